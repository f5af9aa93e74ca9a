import { readFile } from 'node:fs/promises';

export interface EnvSecret {
  /** Without white space around it; undefined where neither holds anything. */
  readonly secret: string | undefined;
  /** Where the secret was to come from a file, and what came back instead of its contents. */
  readonly file?: { readonly variable: string; readonly path: string; readonly error?: unknown };
}

/** `NAME`, or what the file holds that `NAME_FILE` names: each time it is asked, so that a secret that is rotated is followed. */
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
