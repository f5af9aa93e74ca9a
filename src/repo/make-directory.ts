import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Creates a directory and its parents; does nothing if it exists. Node's own `recursive` never ends on file systems that accept no
 * directories (`/proc`). Errors: those of the file system; `ENOTSUP` in that case.
 */
export async function makeDirectory(path: string, mode?: number): Promise<void> {
  const whole = resolve(path);
  if (await isMade(whole, mode)) return;
  await makeDirectory(dirname(whole), mode);
  if (await isMade(whole, mode)) return;
  throw Object.assign(new Error(`cannot create a directory in ${dirname(whole)}`), { code: 'ENOTSUP', path: whole });
}

/** True also if it exists by now. False if the parent does not exist or accepts no directories. */
async function isMade(path: string, mode: number | undefined): Promise<boolean> {
  try {
    await mkdir(path, { mode });
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return false;
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return true;
    throw error;
  }
}
