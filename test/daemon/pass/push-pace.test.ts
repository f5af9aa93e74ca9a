import { expect, it } from 'vitest';
import { pushPace, type Urgency } from '../../../src/daemon/pass/push-pace.ts';

/** Seconds after the last push at which each change is seen, and those at which it may be pushed. */
it.each<[string, { intervalMs: number; once: boolean }, [Urgency, number, number][]]>([
  ['what starts something is pushed at once', { intervalMs: 0, once: false }, [['start', 1, 1]]],
  ['but not too soon after the last push', { intervalMs: 10_000, once: false }, [['start', 1, 10]]],
  ['news are gathered', { intervalMs: 0, once: false }, [['news', 1, 1.5]]],
  [
    'what is no news waits for some',
    { intervalMs: 0, once: false },
    [
      ['quiet', 1, 31],
      ['news', 5, 5.5],
    ],
  ],
  [
    'news do not wait longer for what is none',
    { intervalMs: 0, once: false },
    [
      ['news', 1, 1.5],
      ['quiet', 1.2, 1.5],
    ],
  ],
  [
    'at most half a minute',
    { intervalMs: 0, once: false },
    [
      ['quiet', 1, 31],
      ['quiet', 20, 31],
      ['quiet', 31, 31],
    ],
  ],
  ['a single outcome is not kept waiting', { intervalMs: 0, once: true }, [['quiet', 1, 1.5]]],
])('%s', (_, distances, seen) => {
  let now = 0;
  const pace = pushPace({ now: () => now, after: () => () => {} }, distances);
  pace.pushed();
  const at = seen.map(([urgency, second]) => {
    now = second * 1_000;
    return (pace.waitsUntil(urgency) ?? now) / 1_000;
  });
  expect(at).toEqual(seen.map(([, , expected]) => expected));
});

it('the first outcome after the start does not wait', () => {
  const pace = pushPace({ now: () => 0, after: () => () => {} }, { intervalMs: 0, once: false });
  expect(pace.waitsUntil('quiet')).toBe(500);
  pace.unchanged();
  expect(pace.waitsUntil('quiet')).toBe(30_000);
});
