import { messageOf } from '../api/message-of.ts';
import { program } from './program.ts';
import { exitCodeOf, exitCodes, saidAlready } from './terminal/exit.ts';
import { addressTrouble, fileTrouble, isFileTrouble } from './terminal/file-trouble.ts';

/** Runs one command line (without node and script) and says what went wrong on stderr. Returns the exit code. */
export async function commandLine(args: readonly string[]): Promise<number> {
  try {
    await program().parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (!saidAlready(error)) process.stderr.write(`gitfleet: ${messageFor(error)}\n`);
    if (process.env['GITFLEET_DEBUG'] && error instanceof Error) process.stderr.write(`${error.stack}\n`);
    return isFileTrouble(error) || addressTrouble(error) ? exitCodes.unreachable : exitCodeOf(error);
  }
}

function messageFor(error: unknown): string {
  if (isFileTrouble(error)) return `${error.path}: ${fileTrouble(error)}`;
  return addressTrouble(error) ?? messageOf(error);
}
