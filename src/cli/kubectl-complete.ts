#!/usr/bin/env node
import { commandLine } from './command-line.ts';

// kubectl runs `kubectl_complete-gitfleet WORDS…` to complete `kubectl gitfleet WORDS…`.
process.exitCode = await commandLine(['completion', 'kubectl', '--', ...process.argv.slice(2)]);
