import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Makes a directory and those above it; nothing when it is there. Node's own `recursive` tries for ever where a file
 * system takes no directories (`/proc`). Errors: those of the file system, `ENOTSUP` there.
 */
export async function makeDirectory(path: string, mode?: number): Promise<void> {
  const whole = resolve(path);
  if (await isMade(whole, mode)) return;
  await makeDirectory(dirname(whole), mode);
  if (await isMade(whole, mode)) return;
  throw Object.assign(new Error(`no directory can be made in ${dirname(whole)}`), { code: 'ENOTSUP', path: whole });
}

/** Also when somebody else was faster. False where the one above it is not there, or takes none. */
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
