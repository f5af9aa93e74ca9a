import type { ClusterName } from '../api/meta.ts';
import { isFulfilled } from '../engine/kernel/condition.ts';
import { memoize } from '../engine/kernel/memoize.ts';
import type { PlannedBinding, PlannedPlacement } from '../engine/plan-document.ts';

/** How many clusters a placement is on, and how many of its bindings are in which way. */
export interface Tally {
  /** Without those that it is being removed from. One that left and was picked again has two bindings for a while. */
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
  const staying = bindings.filter((binding) => !isBeingRemoved(binding));
  const count = (is: (binding: PlannedBinding) => boolean): number => staying.filter(is).length;
  return {
    clusters: clustersOf(staying),
    available: clustersOf(staying.filter(({ conditions }) => isFulfilled(conditions))),
    scheduled: count(({ state }) => state === 'Scheduled'),
    leaving: bindings.length - staying.length + count(({ state }) => state === 'Unscheduled'),
    older: count(({ state, resourceSnapshotIndex }) => state === 'Bound' && resourceSnapshotIndex !== latest),
  };
});

/** The cluster of every binding: of 100,000 bindings that are the same as in the plan before, not one is looked at. */
export const boundClusters = memoize(({ bindings }: PlannedPlacement): readonly ClusterName[] =>
  bindings.map(({ clusterName }) => clusterName),
);

/** Its conditions are those from before the removal. */
export const isBeingRemoved = ({ move }: PlannedBinding): boolean => move === 'remove';
