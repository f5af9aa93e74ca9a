import { fileErrorText, fileErrorWords } from '../../api/file-error-text.ts';
import { GitError } from '../../git/git-error.ts';
import { CliError, exitCodes } from './exit.ts';

/** An error of the file system about a path, not a bug of ours. */
export const isFileError = (error: unknown): error is NodeJS.ErrnoException & { readonly path: string } =>
  error instanceof Error && 'path' in error && 'code' in error && String(error.code) in fileErrorWords;

/** The message of a listen error: another program has the address, or this machine does not. */
export function addressErrorText(error: unknown): string | undefined {
  const { code, syscall, address, port } = (error ?? {}) as NodeJS.ErrnoException & { address?: string; port?: number };
  if (syscall !== 'listen') return undefined;
  const why =
    code === 'EADDRINUSE'
      ? 'another program listens there, perhaps another gitfleet'
      : (fileErrorWords[code ?? ''] ?? 'this machine has no such address');
  return `${address}:${port} cannot be taken: ${why}: choose another with --listen (of simulate: --port)`;
}

/** Throws a CliError for an argument that cannot be read: exit code 3, or 2 for an invalid repository address. */
export const unreadable =
  (name: string) =>
  (error: unknown): never => {
    if (error instanceof CliError) throw error;
    // Its message names the fault and has no credentials.
    if (error instanceof GitError && error.code === 'bad-address')
      throw new CliError(error.message, exitCodes.invalidInput, { cause: error });
    throw new CliError(`${name} cannot be read: ${fileErrorText(error)}`, exitCodes.unreachable, { cause: error });
  };
