import type { IntOrPercent } from '../../api/meta.ts';
import { type Placement, type RollingUpdate, refOf } from '../../api/placement.ts';
import { formatInstant } from '../kernel/instant.ts';
import { shortList } from '../kernel/short-list.ts';
import { type Paused, pausedHold } from '../pause/pause.ts';
import type { Hold } from '../plan-document.ts';
import type { Candidate, Classified } from './classify.ts';

/** When so many clusters more will have become ready by time alone that one that waits may move. */
export const freeAt = (all: readonly Classified[], readyMissing: number): number | undefined =>
  all.flatMap(({ readyAt }) => readyAt ?? []).sort((a, b) => a - b)[readyMissing - 1];

/** Why each of them may not move yet, for which clusters it waits, and until when if time alone frees it. */
export function holdsOf(
  waiting: ReadonlySet<Classified>,
  placement: Placement,
  { maxUnavailable, maxSurge }: Pick<RollingUpdate, 'maxUnavailable' | 'maxSurge'>,
  pick: {
    readonly all: readonly Classified[];
    readonly readyAt: number | undefined;
    /** Why the disruption budget keeps some back. */
    readonly denials: ReadonlyMap<Classified, string>;
    /** maxUnavailable asks for no cluster to be ready: then those that are not wait for one that is. */
    readonly noneNeeded: boolean;
    /** Clusters that the policy asks for and has not got: to maxUnavailable they are not available. */
    readonly unplaced: number;
  },
): Hold[] {
  const { readyAt, denials, noneNeeded, unplaced } = pick;
  const stuck = isZero(maxUnavailable) && isZero(maxSurge);
  const [going, unready] = [stillGoing(pick.all), notReady(pick.all)];
  return [...waiting].map((entry): Hold => {
    const { candidate } = entry;
    const { binding } = entry.step;
    const subject = { ...refOf(placement), clusterName: binding.targetCluster };
    const wants = wanted(candidate);
    const denial = denials.get(entry);
    const own = candidate === 'bind' ? `maxSurge ${maxSurge}` : `maxUnavailable ${maxUnavailable}`;
    const budget = denial === undefined ? own : 'the disruption budget';
    if (readyAt === undefined && noneNeeded && candidate !== 'bind' && denial === undefined)
      return {
        subject,
        reason: 'RolloutBudget',
        message: `${binding.targetCluster} ${wants} once it, or another cluster of the placement, is available: of those that are not, none is moved`,
      };
    if (readyAt === undefined || candidate === 'bind' || denial !== undefined) {
      const once = denial ?? (stuck ? 'maxUnavailable and maxSurge are both 0: the rollout cannot move' : undefined);
      const awaited = candidate === 'bind' ? going : `${lacking(unplaced)}${unready}` || beyond(maxUnavailable);
      return {
        subject,
        reason: 'RolloutBudget',
        message: `${binding.targetCluster} ${wants} once ${budget} allows it${once ? ` (${once})` : awaited}`,
      };
    }
    const until = formatInstant(readyAt);
    return {
      subject,
      reason: 'UnavailablePeriod',
      message: `${binding.targetCluster} ${wants} once ${budget} allows it: clusters with resources that cannot be tracked count as available after ${until}`,
      until,
    };
  });
}

const isLeaving = ({ step: { binding } }: Classified): boolean =>
  binding.state === 'Unscheduled' || binding.deleting === true;

/** What is on its way out takes its part of the surge until it is gone, however long its cluster cannot let go of it. */
const stillGoing = (all: readonly Classified[]): string =>
  told(
    all.filter((entry) => entry.canBeReady && isLeaving(entry)),
    'not gone yet',
  );

/** Those that time alone makes ready are not told: the plan would change with them before anything may move. */
const notReady = (all: readonly Classified[]): string =>
  told(
    all.filter((entry) => !entry.ready && entry.readyAt === undefined && !isLeaving(entry)),
    'not ready yet',
  );

const lacking = (unplaced: number): string =>
  unplaced === 0
    ? ''
    : `; ${unplaced} ${unplaced === 1 ? 'cluster' : 'clusters'} that the policy asks for and has not found ${unplaced === 1 ? 'counts' : 'count'} as not available`;

/** Every cluster is ready, and still none may be taken away: only one more than the policy asks for would let it. */
const beyond = (maxUnavailable: IntOrPercent): string =>
  isZero(maxUnavailable)
    ? ' (with 0 every cluster that the policy asks for stays available: 1 or more lets the rollout go on)'
    : '';

const told = (awaited: readonly Classified[], what: string): string =>
  awaited.length === 0 ? '' : ` (${what}: ${shortList(awaited.map(({ step }) => step.binding.targetCluster))})`;

const isZero = (value: IntOrPercent): boolean => /^0%?$/.test(String(value));

/** While the placement is paused everything that wants to move waits for the end of it, whatever the budgets allow. */
export const pausedHolds = (waiting: readonly Classified[], placement: Placement, pause: Paused): Hold[] =>
  waiting.map(({ step: { binding }, candidate }) =>
    pausedHold(
      { ...refOf(placement), clusterName: binding.targetCluster },
      `${binding.targetCluster} ${wanted(candidate)}`,
      pause,
    ),
  );

const wanted = (candidate: Candidate): string =>
  candidate === 'remove' ? 'is to be removed' : candidate === 'bind' ? 'is to be added' : 'is to be updated';
