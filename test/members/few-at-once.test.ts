import { expect, it } from 'vitest';
import { type FewAtOnce, fewAtOnce } from '../../src/members/few-at-once.ts';
import { manualClock } from '../../src/simulator/clock.ts';
import { begin, openWorld, turn } from '../support/member-world.ts';

/** Starts numbered tasks, each of which ends on request. */
function asked(few: FewAtOnce, count: number) {
  const begun: number[] = [];
  const over = new Map<number, () => void>();
  const all = Array.from({ length: count }, (_, number) =>
    few.run(async () => {
      begun.push(number);
      await new Promise<void>((resolve) => over.set(number, resolve));
      return number;
    }),
  );
  return { begun, all, end: (number: number) => over.get(number)!() };
}
const upTo = (count: number): number[] => Array.from({ length: count }, (_, number) => number);

it('starts 64 at once, and the next in order when one ends', async () => {
  const clock = manualClock(begin);
  const { begun, all, end } = asked(fewAtOnce(clock), 70);
  await turn();
  expect(begun).toEqual(upTo(64));
  end(9);
  end(3);
  await turn();
  expect(begun).toEqual(upTo(66));
  expect(await all[9]).toBe(9);
});

it('blocks a place for at most a second', async () => {
  const clock = manualClock(begin);
  const { begun, end, all } = asked(fewAtOnce(clock), 130);
  await turn();
  clock.advance(999);
  await turn();
  expect(begun).toEqual(upTo(64));
  clock.advance(1);
  await turn();
  expect(begun).toEqual(upTo(128));
  // Its place is taken by another task, so its end frees none.
  end(0);
  await all[0];
  await turn();
  expect(begun).toEqual(upTo(128));
  clock.advance(1_000);
  await turn();
  expect(begun).toEqual(upTo(130));
});

it('starts the next when one fails, and rejects for its caller', async () => {
  const few = fewAtOnce(manualClock(begin));
  const failed = few.run(() => Promise.reject(new Error('broken')));
  await expect(failed).rejects.toThrow('broken');
  const { begun } = asked(few, 64);
  await turn();
  expect(begun).toEqual(upTo(64));
});

it('sets no timer while nothing waits', async () => {
  const clock = manualClock(begin);
  asked(fewAtOnce(clock), 64);
  await turn();
  expect(clock.pending()).toBe(0);
});

it('limits the sweeps of members', async () => {
  const few = fewAtOnce(manualClock(begin));
  const world = await openWorld({}, { fewAtOnce: few });
  const others = asked(few, 64);
  const listed = () => world.requests.filter(({ path }) => path.includes('labelSelector')).length;
  const swept = world.member.sweep();
  await turn();
  expect(listed()).toBe(0);
  others.end(0);
  await swept;
  expect(listed()).toBeGreaterThan(0);
});
