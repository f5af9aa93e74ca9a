import { describe, expect, it } from 'vitest';
import { failureOf, firstAmple, firstGated, firstWide, simulate } from './simulate.ts';

/** More: `npm run simulate -- 2000` on all cores, or `SEEDS=200 FROM=1 npx vitest run test/simulation`. */
const count = Number(process.env['SEEDS'] ?? 6);
const from = process.env['FROM'];
const starts = from === undefined ? [firstWide, firstAmple, firstGated] : [Number(from)];
const seeds = starts.flatMap((start) =>
  Array.from({ length: Math.ceil(count / starts.length) }, (_, at) => String(start + at)),
);

describe('whatever happens, no rule is broken, and when it is over everything converges', () => {
  it.each(seeds)(
    'seed %s',
    async (seed) => {
      expect(await failureOf(seed)).toBe('');
    },
    60_000,
  );
});

it('a seed gives the same story twice', async () => {
  expect(await simulate('twice')).toEqual(await simulate('twice'));
});
