import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawn } from '../support/law-runs.ts';
import { RollingFleet, rollingStories } from './rolling-fleet.ts';

describe('whatever happens to rolling updates of several placements, in any order', () => {
  // PaperFleet.plan itself asserts that the guard passes and that planning again at once changes nothing.
  it('budgets are kept, possible evictions are carried out in the end, and nothing else is removed', async () => {
    await fc.assert(
      fc.asyncProperty(rollingStories, async ({ given, happenings }) => {
        const fleet = new RollingFleet(given);
        await fleet.look();
        for (const happening of happenings) {
          fleet.happens(happening);
          await fleet.look();
        }
        fleet.mendAll();
        expect(await fleet.unsettled()).toEqual([]);
      }),
      drawn(24, 20261121),
    );
  });
});
