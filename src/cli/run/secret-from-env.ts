import { readFile } from 'node:fs/promises';
import { fileTrouble } from '../terminal/file-trouble.ts';

/**
 * `NAME`, or the contents of the file that `NAME_FILE` names. A file that was named and holds nothing is told to `warn`, one
 * sentence, and no error: a Deployment names the file of a Secret whose key may be left out.
 */
export async function secretFromEnv(name: string, warn: (message: string) => void): Promise<string | undefined> {
  const variable = `${name}_FILE`;
  const file = process.env[variable];
  if (!file) return process.env[name]?.trim() || undefined;
  const complain = (why: string) => warn(`${variable}: ${file}: ${why}, so there is no secret`);
  try {
    const text = (await readFile(file, 'utf8')).trim();
    if (text === '') complain('the file is empty');
    return text || undefined;
  } catch (error) {
    complain(fileTrouble(error));
    return undefined;
  }
}
