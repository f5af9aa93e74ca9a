import type { ClusterName, PlacementKey, Timestamp } from '../api/meta.ts';
import { type PlacementRef, placementKey } from '../api/placement.ts';
import type { Fleet } from '../engine/input.ts';
import { type ChangedFreeze, changedFreezes } from './changed-freezes.ts';
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

/**
 * Freezes that a change adds, changes or removes, and rollouts that it brings forward or puts off by them. `placements`: those that it
 * changes anyway.
 */
export function freezesIn(
  [before, after]: readonly [Fleet, Fleet],
  {
    now,
    usual,
    forecast,
    placements,
  }: {
    readonly now: Timestamp;
    /** Without the change. */
    readonly usual: Pick<Forecast, 'rollouts'>;
    readonly forecast: Pick<Forecast, 'rollouts'>;
    readonly placements: ReadonlySet<PlacementKey>;
  },
): { readonly freezes: readonly ChangedFreeze[]; readonly rescheduled: readonly Rescheduled[] } {
  const freezes = changedFreezes(before, after, now);
  if (freezes.length === 0) return { freezes, rescheduled: [] };
  const others = forecast.rollouts.filter(({ placement }) => !placements.has(placementKey(placement)));
  return { freezes, rescheduled: others.flatMap((rollout) => otherTimes(rollout, usual)) };
}

function otherTimes(rollout: Rollout, usual: Pick<Forecast, 'rollouts'>): Rescheduled[] {
  const { placement, run } = rollout;
  const before = usual.rollouts.find((of) => of.run === run && placementKey(of.placement) === placementKey(placement));
  if (before === undefined) return [];
  const [was, is] = [startsOf(before), startsOf(rollout)];
  const clusters = [...is.keys()].filter((name) => was.has(name) && was.get(name) !== is.get(name)).sort();
  const first = (starts: ReadonlyMap<ClusterName, Timestamp>) => clusters.map((name) => starts.get(name)!).sort()[0];
  const [usually, from] = [first(was), first(is)];
  if (from === undefined || usually === undefined || from === usually) return [];
  return [{ placement, ...(run !== undefined && { run }), clusters, from, usually }];
}

const startsOf = ({ stages }: Rollout): ReadonlyMap<ClusterName, Timestamp> =>
  new Map(stages.flatMap(({ clusters }) => clusters.map(({ clusterName, from }) => [clusterName, from] as const)));
