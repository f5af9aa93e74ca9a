import type { ClusterName, PlacementKey, Timestamp } from '../api/meta.ts';
import { type PlacementRef, placementKey } from '../api/placement.ts';
import type { Fleet, PlanInput } from '../engine/input.ts';
import { mayHideConfig } from '../engine/recovery/last-good-config.ts';
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
  { base, next }: { readonly base: Pick<PlanInput, 'fleet' | 'now' | 'record'>; readonly next: Fleet },
  {
    usual,
    forecast,
    placements,
  }: {
    /** Without the change. */
    readonly usual: Pick<Forecast, 'rollouts'>;
    readonly forecast: Pick<Forecast, 'rollouts'>;
    readonly placements: ReadonlySet<PlacementKey>;
  },
): { readonly freezes: readonly ChangedFreeze[]; readonly rescheduled: readonly Rescheduled[] } {
  // The last good version is in effect while the present one is not valid.
  const inEffect = (fleet: Fleet): Pick<Fleet, 'config'> => ({
    config: fleet.config ?? (mayHideConfig(fleet) ? (base.record.config ?? base.fleet.config) : undefined),
  });
  const freezes = changedFreezes(inEffect(base.fleet), inEffect(next), base.now);
  if (freezes.length === 0) return { freezes, rescheduled: [] };
  const others = forecast.rollouts.filter(({ placement }) => !placements.has(placementKey(placement)));
  return { freezes, rescheduled: others.flatMap((rollout) => otherTimes(rollout, usual)) };
}

/** Clusters that start earlier, and those that start later, where a freeze holds the rollout with the change or without it. */
function otherTimes(rollout: Rollout, usual: Pick<Forecast, 'rollouts'>): Rescheduled[] {
  const { placement, run } = rollout;
  const before = usual.rollouts.find((of) => of.run === run && placementKey(of.placement) === placementKey(placement));
  if (before === undefined || !(isFrozen(before) || isFrozen(rollout))) return [];
  const [was, is] = [startsOf(before), startsOf(rollout)];
  const first = (starts: ReadonlyMap<ClusterName, Timestamp>, of: readonly ClusterName[]) =>
    of.map((name) => starts.get(name)!).sort()[0]!;
  const all = [...is.keys()].filter((name) => was.has(name)).sort();
  const [earlier, later] = [
    all.filter((name) => is.get(name)! < was.get(name)!),
    all.filter((name) => is.get(name)! > was.get(name)!),
  ];
  return [earlier, later].flatMap((clusters) =>
    clusters.length === 0
      ? []
      : [
          {
            placement,
            ...(run !== undefined && { run }),
            clusters,
            from: first(is, clusters),
            usually: first(was, clusters),
          },
        ],
  );
}

const isFrozen = ({ waits, stages }: Rollout): boolean =>
  [...waits, ...stages.flatMap((stage) => stage.waits)].some(({ kind }) => kind === 'freeze');

const startsOf = ({ stages }: Rollout): ReadonlyMap<ClusterName, Timestamp> =>
  new Map(stages.flatMap(({ clusters }) => clusters.map(({ clusterName, from }) => [clusterName, from] as const)));
