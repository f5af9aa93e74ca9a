import { readFile } from 'node:fs/promises';

export interface EnvSecret {
  /** Without white space around it; undefined if neither is set. */
  readonly secret: string | undefined;
  /** If the secret is in a file: the file, and the error when it was read. */
  readonly file?: { readonly variable: string; readonly path: string; readonly error?: unknown };
}

/** `NAME`, or the contents of the file that `NAME_FILE` names: read at every call, so that a rotated secret takes effect. */
export async function secretFromEnv(name: string, env: NodeJS.ProcessEnv = process.env): Promise<EnvSecret> {
  const variable = `${name}_FILE`;
  const path = env[variable];
  if (!path) return { secret: env[name]?.trim() || undefined };
  const file = { variable, path };
  return readFile(path, 'utf8').then(
    (text) => ({ secret: text.trim() || undefined, file }),
    (error: unknown) => ({ secret: undefined, file: { ...file, error } }),
  );
}
