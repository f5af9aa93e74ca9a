#!/usr/bin/env node
import { exitCodeOf, saidAlready } from './cli/exit.ts';
import { program } from './cli/program.ts';

try {
  await program().parseAsync(process.argv);
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  if (!saidAlready(error)) process.stderr.write(`gitfleet: ${message}\n`);
  if (process.env['GITFLEET_DEBUG'] && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  process.exitCode = exitCodeOf(error);
}
