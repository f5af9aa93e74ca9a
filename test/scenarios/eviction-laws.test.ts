import fc from 'fast-check';
import { describe, it } from 'vitest';
import { drawn } from '../support/law-runs.ts';
import { EvictedFleet, evictedStories } from './evicted-fleet.ts';

describe('whatever happens to a placement that clusters are evicted from, in any order', () => {
  // PaperFleet.plan itself asserts that the guard passes and that planning again at once changes nothing.
  it('evictions never break its disruption budget, are carried out where that leaves room, and are done once', async () => {
    await fc.assert(
      fc.asyncProperty(evictedStories, async ({ happenings, ...given }) => {
        const fleet = new EvictedFleet(given);
        await fleet.paper.settle();
        await fleet.look();
        for (const happening of happenings) {
          fleet.happens(happening);
          await fleet.look();
        }
      }),
      drawn(30, 20261122),
    );
  });
});
