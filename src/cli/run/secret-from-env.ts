import { readFile } from 'node:fs/promises';

/** `NAME`, or the contents of the file that `NAME_FILE` names. */
export async function secretFromEnv(name: string): Promise<string | undefined> {
  const file = process.env[`${name}_FILE`];
  const text = file === undefined ? process.env[name] : await readFile(file, 'utf8').catch(() => undefined);
  return text?.trim() || undefined;
}
