import type { Command } from 'commander';
import { fileErrorText } from '../api/file-error-text.ts';
import { messageOf } from '../api/message-of.ts';
import { program } from './program.ts';
import { exitCodeOf, exitCodes, isAlreadyReported } from './terminal/exit.ts';
import { addressErrorText, isFileError } from './terminal/file-errors.ts';
import { writeError } from './terminal/write.ts';

/** Runs one command line (without node and script) and reports errors on stderr. Returns the exit code. */
export async function commandLine(args: readonly string[]): Promise<number> {
  try {
    const gitfleet = program();
    await gitfleet.parseAsync(commandMeant(gitfleet, args), { from: 'user' });
    return 0;
  } catch (error) {
    if (isUnknownCommand(error)) await hintAtKind(error.message);
    if (!isAlreadyReported(error)) writeError(`gitfleet: ${messageFor(error)}\n`);
    if (process.env['GITFLEET_DEBUG'] && error instanceof Error) writeError(`${error.stack}\n`);
    return isFileError(error) || addressErrorText(error) ? exitCodes.unreachable : exitCodeOf(error);
  }
}

/** Commander reports an unknown command only when it is to run it; `help` with one prints the help of all. So `help X` runs `X`. */
function commandMeant(gitfleet: Command, args: readonly string[]): readonly string[] {
  const [first, name] = args;
  if (first !== 'help' || name === undefined || name === 'help' || name.startsWith('-')) return args;
  return gitfleet.commands.some((known) => known.name() === name) ? args : [name];
}

function messageFor(error: unknown): string {
  if (isFileError(error)) return `${error.path}: ${fileErrorText(error)}`;
  return addressErrorText(error) ?? messageOf(error);
}

const isUnknownCommand = (error: unknown): error is Error =>
  error instanceof Error && (error as { code?: unknown }).code === 'commander.unknownCommand';

/** A command line that starts with a kind, mistyped or not, most likely means `get`. */
async function hintAtKind(complaint: string): Promise<void> {
  const word = /unknown command '([^']*)'$/.exec(complaint)?.[1];
  if (word === undefined) return;
  const { kindLike } = await import('./kinds/kinds.ts');
  const kind = kindLike(word);
  if (kind !== undefined) writeError(`(did you mean gitfleet get ${kind}?)\n`);
}
