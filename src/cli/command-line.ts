import type { Command } from 'commander';
import { messageOf } from '../api/message-of.ts';
import { program } from './program.ts';
import { exitCodeOf, exitCodes, saidAlready } from './terminal/exit.ts';
import { addressTrouble, fileTrouble, isFileTrouble } from './terminal/file-trouble.ts';
import { writeError } from './terminal/write.ts';

/** Runs one command line (without node and script) and says what went wrong on stderr. Returns the exit code. */
export async function commandLine(args: readonly string[]): Promise<number> {
  try {
    const gitfleet = program();
    await gitfleet.parseAsync(commandMeant(gitfleet, args), { from: 'user' });
    return 0;
  } catch (error) {
    if (isUnknownCommand(error)) await hintAtKind(error.message);
    if (!saidAlready(error)) writeError(`gitfleet: ${messageFor(error)}\n`);
    if (process.env['GITFLEET_DEBUG'] && error instanceof Error) writeError(`${error.stack}\n`);
    return isFileTrouble(error) || addressTrouble(error) ? exitCodes.unreachable : exitCodeOf(error);
  }
}

/** Of a command that it does not know Commander says so when it is to run it; when it is to help with it, it helps with everything. */
function commandMeant(gitfleet: Command, args: readonly string[]): readonly string[] {
  const [first, name] = args;
  if (first !== 'help' || name === undefined || name === 'help' || name.startsWith('-')) return args;
  return gitfleet.commands.some((known) => known.name() === name) ? args : [name];
}

function messageFor(error: unknown): string {
  if (isFileTrouble(error)) return `${error.path}: ${fileTrouble(error)}`;
  return addressTrouble(error) ?? messageOf(error);
}

const isUnknownCommand = (error: unknown): error is Error =>
  error instanceof Error && (error as { code?: unknown }).code === 'commander.unknownCommand';

/** Whoever leaves out the command and names a kind, mistyped or not, most likely wants to see what there is of it. */
async function hintAtKind(complaint: string): Promise<void> {
  const word = /unknown command '([^']*)'$/.exec(complaint)?.[1];
  if (word === undefined) return;
  const { kindLike } = await import('./kinds/kinds.ts');
  const kind = kindLike(word);
  if (kind !== undefined) writeError(`(did you mean gitfleet get ${kind}?)\n`);
}
