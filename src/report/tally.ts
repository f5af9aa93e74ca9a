import type { ClusterName } from '../api/meta.ts';
import { isFulfilled } from '../engine/kernel/condition.ts';
import { memoize } from '../engine/kernel/memoize.ts';
import type { PlannedBinding, PlannedPlacement } from '../engine/plan-document.ts';

/** How many clusters a placement is on, and how many of its bindings are in which way. */
export interface Tally {
  /** That it is to be on. One that left and was picked again has two bindings for a while. */
  readonly clusters: number;
  /** Clusters as well. */
  readonly available: number;
  readonly scheduled: number;
  readonly leaving: number;
  /** Bound to another snapshot than the placement's latest. */
  readonly older: number;
}

const clustersOf = (bindings: readonly PlannedBinding[]): number =>
  new Set(bindings.map(({ clusterName }) => clusterName)).size;

/** A plan takes over the placements of the one before of which nothing changed: their bindings are not counted again. */
export const tallyOf = memoize(({ bindings, resourceSnapshotIndex: latest }: PlannedPlacement): Tally => {
  const required = bindings.filter(isRequired);
  const count = (is: (binding: PlannedBinding) => boolean): number => required.filter(is).length;
  return {
    clusters: clustersOf(required),
    available: clustersOf(required.filter(({ conditions }) => isFulfilled(conditions))),
    scheduled: count(({ state }) => state === 'Scheduled'),
    leaving: bindings.length - required.length,
    older: count(({ state, resourceSnapshotIndex }) => state === 'Bound' && resourceSnapshotIndex !== latest),
  };
});

/** The cluster of every binding: of 100,000 bindings that are the same as in the plan before, not one is looked at. */
export const boundClusters = memoize(({ bindings }: PlannedPlacement): readonly ClusterName[] =>
  bindings.map(({ clusterName }) => clusterName),
);

/**
 * Whether the placement is to be on the cluster, as its status counts it (KubeFleet). A cluster that is no longer picked keeps its binding
 * until it is removed, under External until the next update run ends, also when the cluster has left the fleet.
 */
export const isRequired = (binding: PlannedBinding): boolean =>
  binding.state !== 'Unscheduled' && !isBeingRemoved(binding);

/** Its conditions are those from before the removal. */
export const isBeingRemoved = ({ move }: PlannedBinding): boolean => move === 'remove';
