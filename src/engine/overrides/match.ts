import type { Manifest } from '../../api/meta.ts';
import type { OverrideSnapshot } from '../../api/override.ts';
import type { PlacementRef } from '../../api/placement.ts';
import { byText } from '../kernel/ordering.ts';
import { unpack } from '../selection/envelope.ts';
import { labelsOf, lookupOf, type OverrideCluster, objectKeys, ruleMatches, selectorKeys } from './lookup.ts';
import { type OverrideLists, snapshotId } from './snapshot-id.ts';
import type { OverrideHistory } from './snapshots.ts';

/** The override snapshots that select objects of one placement's snapshot, for any cluster. */
export interface CompiledOverrides {
  /** Sorted by snapshot name. */
  readonly cluster: readonly OverrideSnapshot[];
  /** Sorted by namespace, then snapshot name. */
  readonly namespaced: readonly OverrideSnapshot[];
  /** Ids in `only` that the history does not contain. */
  readonly missing: OverrideLists;
}

/**
 * Selects the snapshots whose placement reference is absent or names this placement, and which select an object of
 * `manifests` or of an envelope among them. Without `only` these are the latest ones. With `only`, a list of ids, exactly
 * those, latest or not: a rollback to an older resource snapshot uses the override snapshots last used with it.
 */
export function compileOverrides(
  placement: PlacementRef,
  manifests: readonly Manifest[],
  history: OverrideHistory,
  only?: readonly string[],
): CompiledOverrides {
  const { byId, latest } = lookupOf(history);
  if (only ? only.length === 0 : latest.size === 0) return nothingCompiled;
  const found = new Set<OverrideSnapshot>();
  if (only) {
    const keys = new Set(manifests.flatMap(keysOf));
    for (const snapshot of only.flatMap((id) => byId.get(id) ?? [])) {
      if (selectorKeys(snapshot).some((key) => keys.has(key))) found.add(snapshot);
    }
  } else {
    for (const key of manifests.flatMap(keysOf)) for (const snapshot of latest.get(key) ?? []) found.add(snapshot);
  }
  const snapshots = [...found].filter((snapshot) => isFor(snapshot, placement)).sort(bySnapshotName);
  const missing = (only ?? []).filter((id) => !byId.has(id));
  if (snapshots.length === 0 && missing.length === 0) return nothingCompiled;
  return {
    cluster: snapshots.filter((snapshot) => snapshot.kind === 'ClusterResourceOverrideSnapshot'),
    namespaced: snapshots.filter((snapshot) => snapshot.kind === 'ResourceOverrideSnapshot'),
    missing: listsOf(missing),
  };
}

/**
 * The snapshots with at least one rule for this cluster, which its binding lists (KubeFleet overrider.go). A missing snapshot is
 * listed for every cluster, so that rendering fails instead of silently omitting it.
 */
export function matchCompiled(compiled: CompiledOverrides, cluster: OverrideCluster): OverrideLists {
  if (compiled === nothingCompiled) return noOverrides;
  const labels = labelsOf(cluster);
  const matches = ({ overrideSpec }: OverrideSnapshot): boolean =>
    overrideSpec.policy.overrideRules.some((rule) => ruleMatches(rule, labels));
  const lists = {
    clusterResourceOverrideSnapshots: [
      ...compiled.cluster.filter(matches).map(({ metadata }) => metadata.name),
      ...compiled.missing.clusterResourceOverrideSnapshots,
    ],
    resourceOverrideSnapshots: [
      ...compiled.namespaced
        .filter(matches)
        .map(({ metadata }) => ({ name: metadata.name, namespace: metadata.namespace ?? '' })),
      ...compiled.missing.resourceOverrideSnapshots,
    ],
  };
  return lists.clusterResourceOverrideSnapshots.length + lists.resourceOverrideSnapshots.length === 0
    ? noOverrides
    : lists;
}

/** {@link compileOverrides} and {@link matchCompiled} in one, for a single cluster. */
export const matchOverrides = (request: {
  readonly placement: PlacementRef;
  readonly manifests: readonly Manifest[];
  readonly history: OverrideHistory;
  readonly cluster: OverrideCluster;
}): OverrideLists =>
  matchCompiled(compileOverrides(request.placement, request.manifests, request.history), request.cluster);

/** Ids of all compiled snapshots, for any cluster. The entry of a resource snapshot records them as last used with it. */
export const compiledIds = (compiled: CompiledOverrides): string[] =>
  [...compiled.cluster, ...compiled.namespaced].map(snapshotId);

/** Shared by all clusters without overrides, to save memory. */
export const noOverrides: OverrideLists = { clusterResourceOverrideSnapshots: [], resourceOverrideSnapshots: [] };
const nothingCompiled: CompiledOverrides = { cluster: [], namespaced: [], missing: noOverrides };

function keysOf(manifest: Manifest): string[] {
  const { cluster, namespaced } = objectKeys(manifest);
  const keys = namespaced === undefined ? [cluster] : [cluster, namespaced];
  const opened = unpack(manifest);
  return opened?.ok ? [...keys, ...opened.manifests.flatMap(keysOf)] : keys;
}

/** A cluster override can only name a ClusterResourcePlacement, a namespaced one also a ResourcePlacement of its namespace. */
function isFor({ overrideSpec, metadata }: OverrideSnapshot, placement: PlacementRef): boolean {
  const named = overrideSpec.placement;
  if (!named) return true;
  if (named.name !== placement.name) return false;
  if (named.scope === 'Namespaced') {
    return placement.kind === 'ResourcePlacement' && metadata.namespace === placement.namespace;
  }
  return placement.kind === 'ClusterResourcePlacement';
}

const bySnapshotName = (a: OverrideSnapshot, b: OverrideSnapshot): number =>
  byText(a.metadata.namespace ?? '', b.metadata.namespace ?? '') || byText(a.metadata.name, b.metadata.name);

function listsOf(ids: readonly string[]): OverrideLists {
  const split = ids.map((id) => id.split('/'));
  return {
    clusterResourceOverrideSnapshots: split.filter((parts) => parts.length === 1).map(([name]) => name!),
    resourceOverrideSnapshots: split
      .filter((parts) => parts.length === 2)
      .map(([namespace, name]) => ({ name: name!, namespace: namespace! })),
  };
}
