#!/usr/bin/env node
import { nodeTooOld } from './cli/node-version.ts';
import { writeError } from './cli/terminal/write.ts';

// `gitfleet get clusters | head`: who reads has seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  writeError(`gitfleet: the output cannot be written: ${error.message}\n`);
  process.exit(1);
});

const complaint = nodeTooOld(process.versions.node);
if (complaint) {
  writeError(`${complaint}\n`);
  process.exitCode = 2;
} else {
  const { commandLine } = await import('./cli/command-line.ts');
  process.exitCode = await commandLine(process.argv.slice(2));
}
