import { defineConfig } from 'vitest/config';
import { patience } from './test/support/law-runs.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: patience(120_000),
    hookTimeout: 60_000,
  },
});
