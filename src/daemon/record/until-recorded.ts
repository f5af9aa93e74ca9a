import { type Clock, sleep } from '../../members/clock.ts';
import type { FleetMembers } from '../members.ts';
import type { PassResult } from '../pass/pass-result.ts';
import { startsSomething } from './publication.ts';

/** Races lost in a row that are borne. */
const mostRaces = 10;
/** Passes that let something begin: a rollout whose clusters are ready at once goes on until then. */
const mostRounds = 20;
/** So long members are waited for to come to rest after each of them, milliseconds of pace. */
const patienceMs = 30_000;

/**
 * Passes until what came of them is recorded: after the first, and as long as one lets more begin, members come to rest and
 * another pass looks. `published` when any of them changed the status branch. Error when other writers win every race.
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
      // The first pass began something or found it under way: only a later one can tell what came of it.
      const over = rounds > 0 && !startsSomething(result.plan);
      if (over || ++rounds === mostRounds) return { ...result, kind: published ? 'published' : 'unchanged' };
    }
  }
  throw new Error('the status branch kept moving: another daemon is publishing to it all the time');
}
