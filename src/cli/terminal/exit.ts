import { GitError } from '../../git/git-error.ts';

/** What exit codes mean, for every command (docs/cli.md). */
export const exitCodes = {
  nothingToDo: 0,
  somethingToDo: 1,
  invalidInput: 2,
  unreachable: 3,
  refused: 4,
} as const;

/** An error whose message is for the user; anything else that is thrown is a bug. */
export class CliError extends Error {
  readonly exitCode: number;
  /** The command has already printed the message. */
  readonly silent: boolean;

  constructor(
    message: string,
    exitCode: number = exitCodes.invalidInput,
    options: { readonly silent?: boolean; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'CliError';
    this.exitCode = exitCode;
    this.silent = options.silent ?? false;
  }
}

/** The parser of the command line prints its errors itself, with the help text. */
const isUsageError = (error: unknown): error is { readonly exitCode: number } =>
  String((error as { code?: unknown } | undefined)?.code).startsWith('commander.');

/** Whether the error has been printed already. */
export const isAlreadyReported = (error: unknown): boolean =>
  isUsageError(error) || (error instanceof CliError && error.silent);

/** The exit code of a command that ended with an error; 70 for a bug (sysexits.h, EX_SOFTWARE). */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CliError) return error.exitCode;
  if (isUsageError(error)) return error.exitCode === 0 ? 0 : exitCodes.invalidInput;
  if (error instanceof GitError) return error.code === 'bad-address' ? exitCodes.invalidInput : exitCodes.unreachable;
  return 70;
}
