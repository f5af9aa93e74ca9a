import type { ClusterName, PlacementKey } from '../../api/meta.ts';
import { placementKey } from '../../api/placement.ts';
import type { PlanInput } from '../input.ts';
import type { GuardFinding, Plan, Target } from '../plan-document.ts';
import type { Compared } from './comparison.ts';

/**
 * What a removal must stand on: a binding we recorded, objects of ours that were seen there, or an eviction that asks for
 * it and was not carried out before, which may speak of a cluster that is picked in the same plan.
 */
export function removalsHaveFooting(input: PlanInput, compared: readonly Compared[]): GuardFinding[] {
  const isDone = (eviction: string): boolean =>
    (input.record.evictions.get(eviction)?.status?.conditions ?? []).some(({ type }) => type === 'Executed');
  const isEvicted = (key: PlacementKey, cluster: ClusterName): boolean =>
    input.fleet.evictions.some(
      ({ metadata, spec }) =>
        placementKey({ name: spec.placementName }) === key && spec.clusterName === cluster && !isDone(metadata.name),
    );
  return compared.flatMap(({ key, pairs }) =>
    pairs
      .filter(({ removedNow, before }) => removedNow && before === undefined)
      .filter(({ clusterName }) => !isEvicted(key, clusterName))
      .filter(({ clusterName }) => {
        const seen = input.observations?.get(clusterName);
        return !seen?.placements.some(({ placement }) => placementKey(placement) === key);
      })
      .map(({ clusterName }) => ({
        rule: 'removal-without-binding',
        message: `placement ${key} would be removed from ${clusterName}, where nothing says that it ever was`,
      })),
  );
}

/** A repo that could not be read in full says nothing about what is absent from it. */
export function absenceIsBelievable(input: PlanInput, compared: readonly Compared[]): GuardFinding[] {
  const { unreadable, refused, placements, beingDeleted, members } = input.fleet;
  const isRefused = (name: string, kinds: readonly string[]): boolean =>
    refused.some(
      (ref) => kinds.includes(ref.kind) && (ref.namespace ? `${ref.namespace}.${ref.name}` : ref.name) === name,
    );
  const cause = (name: string, kinds: readonly string[]): string | undefined =>
    unreadable.length > 0
      ? `${unreadable[0]} could not be read`
      : isRefused(name, kinds)
        ? 'its file is not valid'
        : undefined;
  const findings: GuardFinding[] = [];
  const placementKinds = ['ClusterResourcePlacement', 'ResourcePlacement'];
  const written = new Set(placements.map((placement) => placementKey(placement.metadata)));
  // A file that can be read and says that its placement is being deleted is nothing absent.
  for (const { metadata } of beingDeleted)
    if (!isRefused(placementKey(metadata), placementKinds)) written.add(placementKey(metadata));
  for (const { key, pairs } of compared) {
    const why = cause(key, placementKinds);
    if (!written.has(key) && why && pairs.some(({ removedNow, before }) => removedNow && before))
      findings.push({
        rule: 'unreadable-repo',
        message: `placement ${key} would be removed as if its file were gone, but ${why}`,
      });
  }
  const gone = new Set<string>();
  for (const { pairs } of compared)
    for (const { clusterName, before, after, removedNow } of pairs)
      if (before && (after === undefined || removedNow)) gone.add(clusterName);
  const names = new Set(members.map(({ metadata }) => metadata.name));
  for (const name of [...gone].sort()) {
    const why = cause(name, ['MemberCluster']);
    if (!names.has(name) && why)
      findings.push({
        rule: 'unreadable-repo',
        message: `member ${name} would leave as if its file were gone, but ${why}`,
      });
  }
  return findings;
}

/** At most one target per cluster and placement. */
export function targetsAreUnique(plan: Plan): GuardFinding[] {
  if (isStrictlySorted(plan.targets)) return [];
  const seen = new Set<string>();
  const findings: GuardFinding[] = [];
  for (const { clusterName, placement } of plan.targets) {
    const id = `${clusterName} ${placementKey(placement)}`;
    if (seen.has(id))
      findings.push({
        rule: 'duplicate-target',
        message: `placement ${placementKey(placement)} has more than one target on ${clusterName}`,
      });
    seen.add(id);
  }
  return findings;
}

/** Sorted lists, which plans have, are told to be unique without remembering a million names. */
function isStrictlySorted(targets: readonly Target[]): boolean {
  let [lastCluster, lastKey] = ['', ''];
  for (const { clusterName, placement } of targets) {
    const key = placementKey(placement);
    if (clusterName === lastCluster ? key <= lastKey : clusterName < lastCluster) return false;
    lastCluster = clusterName;
    lastKey = key;
  }
  return true;
}
