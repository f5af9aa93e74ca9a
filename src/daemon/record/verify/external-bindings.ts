import type { ClusterName, PlacementKey } from '../../../api/meta.ts';
import type { Binding } from '../../../api/placement-state.ts';
import type { FleetRecord, RecordedPlacement } from '../../../engine/input.ts';
import type { ProvenRun } from './update-runs.ts';

/** Snapshots of External placements that the record claims for clusters, and that no proven update run rolled out there. */
export type UnprovenBindings = ReadonlyMap<PlacementKey, ReadonlyMap<ClusterName, number>>;

export interface BindingVerifier {
  /** `isExternal`: according to the followed branch. */
  verify(
    record: FleetRecord,
    of: { readonly isExternal: (key: PlacementKey) => boolean; readonly runs: readonly ProvenRun[] },
  ): UnprovenBindings;
  /** This daemon published the record, so its changes come from its own plan. */
  published(record: FleetRecord): void;
  /** The cluster shows the snapshot that the record claims for it. */
  shown(key: PlacementKey, cluster: ClusterName): void;
}

/**
 * Only update runs move an External placement, so an edit of the recorded snapshot of a cluster could bypass every gate. A claim
 * counts only if this daemon knew it before, if a proven run rolled it out, or if the cluster shows it.
 */
export function bindingVerifier(): BindingVerifier {
  let known: FleetRecord['placements'] = new Map();
  const unproven = new Map<PlacementKey, Map<ClusterName, number>>();

  function keep(key: PlacementKey, claims: ReadonlyMap<ClusterName, number>): void {
    if (claims.size === 0) unproven.delete(key);
    else unproven.set(key, new Map(claims));
  }

  return {
    verify({ placements }, { isExternal, runs }) {
      for (const [key, recorded] of placements) {
        if (!isExternal(key)) {
          unproven.delete(key);
          continue;
        }
        const before = known.get(key);
        const open = unproven.get(key);
        if (before?.state === recorded.state && open === undefined) continue;
        const brought = runs.filter(({ placement }) => placement === key);
        const isProven = (binding: Binding, index: number): boolean =>
          brought.some((run) => run.index === index && run.clusters.has(binding.targetCluster)) ||
          (open?.get(binding.targetCluster as ClusterName) !== index && hadBefore(before, recorded, binding));
        keep(key, claimsOf(recorded, isProven));
      }
      for (const key of [...unproven.keys()]) if (!placements.has(key)) unproven.delete(key);
      known = placements;
      return unproven;
    },
    published({ placements }) {
      for (const [key, open] of [...unproven]) {
        const recorded = placements.get(key);
        const stands = (binding: Binding, index: number) => open.get(binding.targetCluster as ClusterName) !== index;
        keep(key, recorded ? claimsOf(recorded, stands) : new Map());
      }
      known = placements;
    },
    shown(key, cluster) {
      const open = unproven.get(key);
      open?.delete(cluster);
      if (open?.size === 0) unproven.delete(key);
    },
  };
}

function claimsOf(
  { state }: RecordedPlacement,
  isProven: (binding: Binding, index: number) => boolean,
): ReadonlyMap<ClusterName, number> {
  const claims = new Map<ClusterName, number>();
  for (const binding of state.bindings) {
    const { targetCluster, resourceSnapshotIndex: index, deleting } = binding;
    if (index !== undefined && deleting !== true && !isProven(binding, index))
      claims.set(targetCluster as ClusterName, index);
  }
  return claims;
}

/** The same index of the same contents. */
function hadBefore(before: RecordedPlacement | undefined, now: RecordedPlacement, binding: Binding): boolean {
  const { targetCluster, resourceSnapshotIndex: index } = binding;
  const earlier = before?.state.bindings.find((candidate) => candidate.targetCluster === targetCluster);
  if (earlier?.resourceSnapshotIndex !== index || earlier?.deleting === true) return false;
  return hashAt(before!, index) === hashAt(now, index);
}

const hashAt = ({ state }: RecordedPlacement, index: number | undefined): string | undefined =>
  state.resourceSnapshots.find((entry) => entry.index === index)?.hash;
