import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawn } from '../support/law-runs.ts';
import { StagedFleet, stagedStories } from './staged-fleet.ts';

describe('whatever happens to update runs, in any order', () => {
  // PaperFleet.plan itself asserts that the guard passes and that planning again at once changes nothing.
  it('they keep to their stages, gates, waits and numbers, and what is healthy and approved gets to its end', async () => {
    await fc.assert(
      fc.asyncProperty(stagedStories, async ({ given, happenings }) => {
        const fleet = new StagedFleet(given);
        await fleet.look();
        for (const happening of happenings) {
          fleet.happens(happening);
          await fleet.look();
        }
        fleet.mendAll();
        expect(await fleet.endsOf()).toEqual([]);
      }),
      drawn(8, 20261121),
    );
  });
});
