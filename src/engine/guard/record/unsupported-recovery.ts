import type { ClusterName, Manifest, PlacementKey } from '../../../api/meta.ts';
import type { Binding } from '../../../api/placement-state.ts';
import type { RecordedPlacement } from '../../input.ts';
import type { GuardFinding } from '../../plan-document.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { isRebuiltSnapshot } from '../evidence/rebuilt-snapshot.ts';
import { nameOf } from '../evidence/snapshot-objects.ts';
import { isNamed } from './rebuilt-state.ts';
import { reportOf, shownPlacements } from './shown-placements.ts';

/**
 * A recovered placement is one that the record lost and that the repo may name. Its bindings are on members that show or report
 * it, with the known index or one above all known ones. Its snapshots list observed or still readable objects, and are never
 * applied.
 */
export function unsupportedRecovery(evidence: Evidence): GuardFinding[] {
  const { input, record, isRecordLost } = evidence;
  if (record.placements === input.record.placements) return [];
  return [...record.placements].flatMap(([key, recovered]) => {
    if (input.record.placements.has(key)) return [];
    const isLost = isRecordLost || input.record.unread?.placements.has(key) === true;
    const faults = isLost
      ? isNamed(input, key)
        ? [...bindingFaults(key, recovered, evidence), ...snapshotFaults(key, recovered, evidence)]
        : ['no file of the repo names it: its objects on members may belong to another fleet']
      : ['the record was not lost and does not have it'];
    return faults.map((fault) => ({
      rule: 'record-invented',
      message: `placement ${key} in the recovered record: ${fault}`,
    }));
  });
}

function bindingFaults(key: PlacementKey, { state }: RecordedPlacement, evidence: Evidence): string[] {
  const highest = highestIndex(key, evidence);
  const seen = new Set<ClusterName>();
  return state.bindings.flatMap((binding) => {
    const { targetCluster: cluster, resourceSnapshotIndex: index } = binding;
    const twice = seen.has(cluster);
    seen.add(cluster);
    if (twice) return [`it has two bindings on ${cluster}`];
    if (binding.deleting || binding.state !== 'Bound') return [`its binding on ${cluster} is not in state Bound`];
    const { isBacked, known, recorded } = backingOf(key, binding, evidence);
    if (!isBacked) return [`nothing confirms that it is on ${cluster}`];
    if (known !== undefined && index !== known) return [`${cluster} has snapshot ${known} of it, not ${index}`];
    if (known === undefined && index !== recorded && !(index !== undefined && index > highest))
      return [`snapshot ${index} on ${cluster} is not above ${highest}, the highest one known`];
    return [];
  });
}

/** Evidence for a binding: objects with our label, the actor's report, or the status that was recorded with it. */
function backingOf(key: PlacementKey, { targetCluster }: Binding, { input, observations }: Evidence) {
  const isShown = shownPlacements(observations).get(key)?.has(targetCluster) === true;
  const report = reportOf(observations, key, targetCluster);
  const status = input.record.unread?.placements
    .get(key)
    ?.object?.status?.placementStatuses?.find(({ clusterName }) => clusterName === targetCluster);
  const recorded = status?.observedResourceIndex;
  return {
    isBacked: isShown || report !== undefined || recorded !== undefined,
    known: report?.resourceSnapshotIndex,
    recorded: recorded === undefined ? undefined : Number(recorded),
  };
}

/** Of the indexes that members report and of the snapshots that are still readable. */
function highestIndex(key: PlacementKey, { input, observations }: Evidence): number {
  const reported = [...(observations?.keys() ?? [])].map(
    (cluster) => reportOf(observations, key, cluster)?.resourceSnapshotIndex ?? -1,
  );
  return Math.max(-1, ...reported, ...(input.record.unread?.placements.get(key)?.snapshots.keys() ?? []));
}

function snapshotFaults(key: PlacementKey, { state, snapshots }: RecordedPlacement, evidence: Evidence): string[] {
  const faults = state.resourceSnapshots
    .filter((entry) => !isRebuiltSnapshot(entry))
    .map(({ index }) => `snapshot ${index} was rebuilt from members and might be applied`);
  for (const [index, manifests] of snapshots) {
    const known = listedBy(key, { index, bindings: state.bindings }, evidence);
    const invented = manifests.map(textOf).find((name) => !known.has(name));
    if (invented) faults.push(`nothing confirms that its snapshot ${index} lists ${invented}`);
  }
  return faults;
}

/** Objects that the file of a snapshot lists, or that clusters with it show. Secrets of members are never committed to git. */
function listedBy(
  key: PlacementKey,
  { index, bindings }: { readonly index: number; readonly bindings: readonly Binding[] },
  { input, observations }: Evidence,
): ReadonlySet<string> {
  const shown = shownPlacements(observations).get(key);
  const written = input.record.unread?.placements.get(key)?.snapshots.get(index) ?? [];
  const live = bindings
    .filter(({ resourceSnapshotIndex }) => resourceSnapshotIndex === index)
    .flatMap(({ targetCluster }) => shown?.get(targetCluster) ?? [])
    .filter(({ apiVersion, kind }) => apiVersion !== 'v1' || kind !== 'Secret');
  return new Set([...written, ...live].map(textOf));
}

const textOf = ({ apiVersion, kind, metadata }: Manifest): string =>
  nameOf(apiVersion, kind, metadata.namespace, metadata.name);
