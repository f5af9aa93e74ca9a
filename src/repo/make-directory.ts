import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Makes a directory and those above it; nothing when it is there. Node's own `recursive` tries for ever where a file
 * system takes no directories (`/proc`). Errors: those of the file system, `ENOTSUP` there.
 */
export async function makeDirectory(path: string, mode?: number): Promise<void> {
  const whole = resolve(path);
  try {
    await mkdir(whole, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await stat(whole)).isDirectory()) return;
    if (code !== 'ENOENT' || dirname(whole) === whole) throw error;
    if (await isThere(dirname(whole))) throw noneHere(whole, error);
    await makeDirectory(dirname(whole), mode);
    await makeDirectory(whole, mode);
  }
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

const noneHere = (path: string, cause: unknown): Error =>
  Object.assign(new Error(`no directory can be made in ${dirname(path)}`, { cause }), { code: 'ENOTSUP', path });
