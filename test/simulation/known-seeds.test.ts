import { expect, it } from 'vitest';
import { knownSeeds } from './known-seeds.ts';
import { failureOf } from './simulate.ts';

// In a file of their own: each worker runs one file at a time, and these are the longest of all.
it.each(knownSeeds)(
  'seed %s, where %s',
  async (seed) => {
    expect(await failureOf(seed)).toBe('');
  },
  60_000,
);
