import { exitCodeOf, saidAlready } from './exit.ts';
import { program } from './program.ts';

/** Runs one command line (without node and script) and says what went wrong on stderr. Returns the exit code. */
export async function commandLine(args: readonly string[]): Promise<number> {
  try {
    await program().parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (!saidAlready(error)) process.stderr.write(`gitfleet: ${message}\n`);
    if (process.env['GITFLEET_DEBUG'] && error instanceof Error) process.stderr.write(`${error.stack}\n`);
    return exitCodeOf(error);
  }
}
