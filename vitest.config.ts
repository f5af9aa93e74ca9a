import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { patience } from './test/support/law-runs.ts';

/** Programs that tests start would else spend most of their first second on compiling what others have compiled. */
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/compiled');

const timeouts = { testTimeout: patience(120_000), hookTimeout: 60_000 };

/**
 * Folders whose tests leave nothing changed outside themselves share what they load: loading the program takes longer than most
 * of these tests. What they change of streams, environment and clock they put back. The others start many processes, or take long.
 */
const sharing = [
  'acceptance',
  'api',
  'cli',
  'contract',
  'daemon',
  'engine',
  'forecast',
  'members',
  'repo',
  'report',
  'scenarios',
  'security',
  'simulator',
].map((name) => `test/${name}/**/*.test.ts`);

export default defineConfig({
  test: {
    // Tests that start processes wait for them half of the time.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    projects: [
      { test: { name: 'sharing', include: sharing, isolate: false, ...timeouts } },
      { test: { name: 'apart', include: ['test/**/*.test.ts'], exclude: sharing, ...timeouts } },
    ],
  },
});
