import type { ClusterName, IntOrPercent } from '../../api/meta.ts';
import { type Placement, type RollingUpdate, refOf } from '../../api/placement.ts';
import { formatInstant } from '../kernel/instant.ts';
import { shortList } from '../kernel/short-list.ts';
import { type Paused, pausedHold } from '../pause/pause.ts';
import { upgradingHold } from '../pause/upgrading-hold.ts';
import type { Hold } from '../plan-document.ts';
import type { Candidate, Classified } from './classify.ts';

/** When enough clusters have become ready by time alone that one waiting binding may move; undefined = never. */
export const freeAt = (all: readonly Classified[], readyMissing: number): number | undefined =>
  all.flatMap(({ readyAt }) => readyAt ?? []).sort((a, b) => a - b)[readyMissing - 1];

/** Holds that name the budget, the clusters that each binding is waiting for, and until when if time alone frees it. */
export function holdsOf(
  waiting: ReadonlySet<Classified>,
  placement: Placement,
  { maxUnavailable, maxSurge }: Pick<RollingUpdate, 'maxUnavailable' | 'maxSurge'>,
  outcome: {
    readonly all: readonly Classified[];
    readonly readyAt: number | undefined;
    /** Why the disruption budget holds some. */
    readonly denials: ReadonlyMap<Classified, string>;
    /** maxUnavailable does not require any cluster to be ready: then unready ones wait for one that is. */
    readonly noneNeeded: boolean;
    /** Clusters that the policy requires and did not find: maxUnavailable counts them as not available. */
    readonly unplaced: number;
  },
): Hold[] {
  const { readyAt, denials, noneNeeded, unplaced } = outcome;
  const stuck = isZero(maxUnavailable) && isZero(maxSurge);
  const [leaving, unready] = [notRemoved(outcome.all), notReady(outcome.all)];
  return [...waiting].map((entry): Hold => {
    const { candidate } = entry;
    const { binding } = entry.step;
    const subject = { ...refOf(placement), clusterName: binding.targetCluster };
    const move = moveText(candidate);
    const denial = denials.get(entry);
    const own = candidate === 'bind' ? `maxSurge ${maxSurge}` : `maxUnavailable ${maxUnavailable}`;
    const budget = denial === undefined ? own : 'the disruption budget';
    if (readyAt === undefined && noneNeeded && candidate !== 'bind' && denial === undefined)
      return {
        subject,
        reason: 'RolloutBudget',
        message: `${binding.targetCluster} ${move} once it or another cluster of the placement is available: a cluster that is not available is not moved`,
      };
    if (readyAt === undefined || candidate === 'bind' || denial !== undefined) {
      const once = denial ?? (stuck ? 'maxUnavailable and maxSurge are both 0: the rollout cannot move' : undefined);
      const awaited =
        candidate === 'bind' ? leaving : `${unplacedText(unplaced)}${unready}` || zeroUnavailableText(maxUnavailable);
      return {
        subject,
        reason: 'RolloutBudget',
        message: `${binding.targetCluster} ${move} once ${budget} allows it${once ? ` (${once})` : awaited}`,
      };
    }
    const until = formatInstant(readyAt);
    return {
      subject,
      reason: 'UnavailablePeriod',
      message: `${binding.targetCluster} ${move} once ${budget} allows it: clusters with resources that cannot be tracked count as available after ${until}`,
      until,
    };
  });
}

const isLeaving = ({ step: { binding } }: Classified): boolean =>
  binding.state === 'Unscheduled' || binding.deleting === true;

/** A binding being removed counts against maxSurge until it is gone from its cluster. */
const notRemoved = (all: readonly Classified[]): string =>
  listed(
    all.filter((entry) => entry.canBeReady && isLeaving(entry)),
    'not removed yet',
  );

/** Clusters that time alone makes ready are left out: the message would change before anything may move. */
const notReady = (all: readonly Classified[]): string =>
  listed(
    all.filter((entry) => !entry.ready && entry.readyAt === undefined && !isLeaving(entry)),
    'not ready yet',
  );

const unplacedText = (unplaced: number): string =>
  unplaced === 0
    ? ''
    : `; ${unplaced} ${unplaced === 1 ? 'cluster' : 'clusters'} that the policy requires and did not find ${unplaced === 1 ? 'counts' : 'count'} as not available`;

/** Every cluster is ready, but with maxUnavailable 0 none of them may be moved. */
const zeroUnavailableText = (maxUnavailable: IntOrPercent): string =>
  isZero(maxUnavailable)
    ? ' (with 0 every cluster that the policy requires must stay available: set 1 or more to continue the rollout)'
    : '';

const listed = (awaited: readonly Classified[], what: string): string =>
  awaited.length === 0 ? '' : ` (${what}: ${shortList(awaited.map(({ step }) => step.binding.targetCluster))})`;

const isZero = (value: IntOrPercent): boolean => /^0%?$/.test(String(value));

/** Holds of a paused placement: every binding to move waits for the end of the pause, whatever the budgets allow. */
export const pausedHolds = (waiting: readonly Classified[], placement: Placement, pause: Paused): Hold[] =>
  waiting.map(({ step: { binding }, candidate }) =>
    pausedHold(
      { ...refOf(placement), clusterName: binding.targetCluster },
      `${binding.targetCluster} ${moveText(candidate)}`,
      pause,
    ),
  );

/** Holds of bindings to move on clusters that are being upgraded. */
export const upgradingHolds = (
  all: readonly Classified[],
  placement: Placement,
  upgrading: ReadonlyMap<ClusterName, string>,
): Hold[] =>
  all.flatMap(({ step: { binding }, candidate }) => {
    const run = upgrading.get(binding.targetCluster);
    if (run === undefined || candidate === 'none') return [];
    const subject = { ...refOf(placement), clusterName: binding.targetCluster };
    return [{ subject, ...upgradingHold(`${binding.targetCluster} ${moveText(candidate)}`, run) }];
  });

const moveText = (candidate: Candidate): string =>
  candidate === 'remove' ? 'is removed' : candidate === 'bind' ? 'is added' : 'is updated';
