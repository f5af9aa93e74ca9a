import { type Clock, sleep } from '../../members/clock.ts';
import type { FleetMembers } from '../members.ts';
import type { PassResult } from '../pass/pass-result.ts';

/** Largest number of lost races in a row. */
const mostRaces = 10;
/** Largest number of passes that start something: a rollout whose clusters are ready at once continues until then. */
const mostRounds = 20;
/** Longest wait for members to settle after each of them, milliseconds of pace. */
const patienceMs = 30_000;

/**
 * Runs passes until their outcome is recorded: after the first, and as long as one starts something, it waits for the members to
 * settle and runs another. `published` when any of them changed the status branch. Error when other writers win every race.
 */
export async function untilRecorded(
  { members, pace }: { readonly members: FleetMembers; readonly pace: Clock },
  pass: () => Promise<PassResult>,
): Promise<PassResult> {
  let published = false;
  for (let [races, rounds] = [0, 0]; races < mostRaces; ) {
    const result = await pass();
    if (result.kind === 'refused') return result;
    if (result.kind === 'moved') races++;
    else if (result.kind === 'gathering') await sleep(pace, Math.max(result.pushAtMs - pace.now(), 0));
    else {
      races = 0;
      published ||= result.kind === 'published';
      await members.settled(patienceMs);
      // The first pass may have started something, so only a later one shows its outcome.
      const over = rounds > 0 && !result.starts;
      if (over || ++rounds === mostRounds) return { ...result, kind: published ? 'published' : 'unchanged' };
    }
  }
  throw new Error('the status branch kept moving: another daemon publishes to it all the time');
}
