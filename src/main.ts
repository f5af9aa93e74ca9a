#!/usr/bin/env node
import { commandLine } from './cli/command-line.ts';

// `gitfleet get clusters | head`: who reads has seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

process.exitCode = await commandLine(process.argv.slice(2));
