import type { ClusterName } from '../api/meta.ts';
import { type PlacementRef, placementKey } from '../api/placement.ts';
import type { Plan, PlannedBinding } from '../engine/plan-document.ts';
import { faultOn } from './failing-clusters.ts';

/** What clusters of a placement have at the end. */
export interface PlacementEnd {
  /** Absent: nothing of the placement. */
  readonly resourceSnapshotIndex?: number;
  readonly clusters: readonly ClusterName[];
  /** Why they do not get what they are to have: an override that fails, say. */
  readonly why?: string;
}

/** The newest snapshot first. */
export function placementEnd(placement: PlacementRef, { placements }: Plan): PlacementEnd[] {
  const { bindings = [] } = placements.find((of) => placementKey(of) === placementKey(placement)) ?? {};
  const ends = bindings
    .filter(({ move }) => move !== 'remove')
    .map((binding) => ({ cluster: binding.clusterName, end: endOf(binding) }));
  return [...Map.groupBy(ends, ({ end }) => JSON.stringify(end)).values()]
    .map((of) => ({ ...of[0]!.end, clusters: of.map(({ cluster }) => cluster).sort() }))
    .sort((a, b) => (b.resourceSnapshotIndex ?? -1) - (a.resourceSnapshotIndex ?? -1));
}

function endOf(binding: PlannedBinding) {
  const why = faultOn(binding);
  const index = why === undefined ? binding.resourceSnapshotIndex : binding.appliedResourceSnapshotIndex;
  return { ...(index !== undefined && { resourceSnapshotIndex: index }), ...(why !== undefined && { why }) };
}
