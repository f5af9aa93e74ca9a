import { messageOf } from './message-of.ts';

/** Error codes of a file system in words. */
export const fileErrorWords: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  EEXIST: 'it is a file, not a directory',
  ENOTDIR: 'it is not a directory',
  EISDIR: 'it is a directory',
  EROFS: 'the file system is read-only',
  ENOTSUP: 'no directory can be made there',
  ENOSPC: 'no space is left on the device',
};

/** Why a file could not be read or written, without the system call it came from; other errors as they are. */
export function fileErrorText(error: unknown): string {
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? '';
  return fileErrorWords[code] ?? messageOf(error);
}
