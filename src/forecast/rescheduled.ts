import type { ClusterName, Timestamp } from '../api/meta.ts';
import { type PlacementRef, placementKey } from '../api/placement.ts';
import type { Forecast, Rollout } from './forecast.ts';

/** What rolls out at another time, and ends the same. */
export interface Rescheduled {
  readonly placement: PlacementRef;
  /** Name of the update run. */
  readonly run?: string;
  readonly clusters: readonly ClusterName[];
  /** When the first of them starts, and when it would have. */
  readonly from: Timestamp;
  readonly usually: Timestamp;
}

/** Rollouts of placements that a change of freezes brings forward, or puts off. `isChanged`: those that it changes anyway. */
export const rescheduled = (
  usual: Pick<Forecast, 'rollouts'>,
  next: Pick<Forecast, 'rollouts'>,
  isChanged: (placement: PlacementRef) => boolean,
): Rescheduled[] =>
  next.rollouts.flatMap((rollout) => {
    const { placement, run } = rollout;
    const before = usual.rollouts.find(
      (of) => of.run === run && placementKey(of.placement) === placementKey(placement),
    );
    if (before === undefined || isChanged(placement)) return [];
    const [was, is] = [startsOf(before), startsOf(rollout)];
    const clusters = [...is.keys()].filter((name) => was.has(name) && was.get(name) !== is.get(name)).sort();
    const first = (starts: ReadonlyMap<ClusterName, Timestamp>) => clusters.map((name) => starts.get(name)!).sort()[0];
    const [usually, from] = [first(was), first(is)];
    if (from === undefined || usually === undefined || from === usually) return [];
    return [{ placement, ...(run !== undefined && { run }), clusters, from, usually }];
  });

const startsOf = ({ stages }: Rollout): ReadonlyMap<ClusterName, Timestamp> =>
  new Map(stages.flatMap(({ clusters }) => clusters.map(({ clusterName, from }) => [clusterName, from] as const)));
