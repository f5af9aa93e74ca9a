import type { ClusterName, IntOrPercent, Manifest } from '../../../api/meta.ts';
import { placementKey } from '../../../api/placement.ts';
import type { Fleet } from '../../input.ts';
import { memoize } from '../../kernel/memoize.ts';
import type { Removal } from '../../kernel/removal-digest.ts';
import type { AllowedRemoval, GuardFinding } from '../../plan-document.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { membersThatStay } from '../evidence/members.ts';
import { liveBindings, notRemembered, snapshotReader } from '../evidence/planned-record.ts';
import { isRebuiltSnapshot } from '../evidence/rebuilt-snapshot.ts';
import { objectsOf, placementOf } from '../evidence/snapshot-objects.ts';
import { findRemovals, type Removals } from './removed-objects.ts';
import { requiredApproval } from './required-approval.ts';
import { reviewedRemovals } from './reviewed-removals.ts';

/**
 * How much a plan may remove at once without an approval: from 10 clusters or a tenth of them, 50 objects or a tenth of our
 * objects on a cluster, 2 members or a tenth of them, and never everything of a kind. FleetConfig sets other limits; a
 * RemovalApproval with the digest allows exactly this removal.
 */
export function blastRadius(evidence: Evidence): GuardFinding[] {
  const { findings, approval } = judged(evidence);
  if (approval === undefined || approval.isGiven) return [];
  return findings.map((finding) => ({ ...finding, removalDigest: approval.digest }));
}

/** The approval that lets the plan remove more than the limits allow, or that came too early to do so. */
export function allowedRemoval(evidence: Evidence): AllowedRemoval | undefined {
  const { removals, approval } = judged(evidence);
  return (
    approval && {
      ...approval,
      dropping: removals.dropping,
      reviewed: approval.isGiven ? [] : reviewedRemovals(removals),
    }
  );
}

const judged = memoize((evidence: Evidence) => {
  const removals = findRemovals(evidence);
  const findings = [
    ...tooManyClusters(evidence, removals),
    ...tooManyObjects(evidence, removals),
    ...tooManyLeaving(evidence, removals),
    ...everythingVanished(evidence, removals),
  ];
  return {
    removals,
    findings,
    approval: findings.length === 0 ? undefined : requiredApproval(removals, evidence),
  };
});

/** How many clusters may lose objects in one plan. */
export const mostClusters = ({ config, members }: Pick<Fleet, 'config' | 'members'>): number =>
  limitOf(config?.spec.guard?.maxClusters, 10, members.length);

function tooManyClusters({ fleet }: Evidence, { now }: Removals): GuardFinding[] {
  const clusters = new Set(now.map(({ clusterName }) => clusterName));
  const limit = mostClusters(fleet);
  if (clusters.size <= limit) return [];
  return [
    {
      rule: 'blast-radius-clusters',
      message: `objects of ${some(placementsOf(now))} would be removed from ${clusters.size} clusters, at most ${whole(limit)} are allowed at once: ${some(clusters)}`,
    },
  ];
}

function tooManyObjects(evidence: Evidence, { now }: Removals): GuardFinding[] {
  const perCluster = Map.groupBy(now, ({ clusterName }) => clusterName);
  const findings: GuardFinding[] = [];
  for (const [cluster, removed] of [...perCluster].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const objects = new Set(removed.map(({ placement, object }) => `${placement} ${object}`)).size;
    if (objects <= alwaysAllowed(evidence.fleet)) continue;
    const { limit, held } = objectLimit(cluster, evidence);
    if (objects > limit)
      findings.push({
        rule: 'blast-radius-objects',
        message: `${objects} of ${held} objects would be removed from ${cluster}, at most ${whole(limit)} are allowed at once: those of ${some(placementsOf(removed))}`,
      });
  }
  return findings;
}

/** So many objects may go from any cluster, whatever it holds. */
const alwaysAllowed = ({ config }: Fleet): number => (config?.spec.guard?.maxObjectsPerCluster === undefined ? 50 : 0);

/** How many objects one plan may remove from a cluster, of those that it holds. */
function objectLimit(
  cluster: ClusterName,
  { fleet, record, observations }: Pick<Evidence, 'fleet' | 'record' | 'observations'>,
): { readonly limit: number; readonly held: number } {
  let held = 0;
  for (const [key, { state, snapshots }] of record.placements) {
    const index = liveBindings(state.bindings).get(cluster)?.resourceSnapshotIndex;
    if (index === undefined) continue;
    // A rebuilt snapshot lists what members showed once: nothing else confirms it.
    const isRebuilt = state.resourceSnapshots.some((entry) => entry.index === index && isRebuiltSnapshot(entry));
    const shown = isRebuilt ? (observations?.get(cluster)?.objects ?? []).filter((it) => placementOf(it) === key) : [];
    held += isRebuilt ? shown.length : objectsOf(snapshots.get(index) ?? []).length;
  }
  return { limit: limitOf(fleet.config?.spec.guard?.maxObjectsPerCluster, 50, held), held };
}

/** Whether a plan may not remove so many objects from a cluster. */
export const areTooManyObjects = (
  count: number,
  cluster: ClusterName,
  of: Pick<Evidence, 'fleet' | 'record' | 'observations'>,
): boolean => count > alwaysAllowed(of.fleet) && count > objectLimit(cluster, of).limit;

function tooManyLeaving(evidence: Evidence, { released }: Removals): GuardFinding[] {
  const { fleet } = evidence;
  const leaving = new Set(released.map(({ clusterName }) => clusterName));
  const absent = [...leaving].filter((name) => !fleet.members.some(({ metadata }) => metadata.name === name)).length;
  const limit = limitOf(fleet.config?.spec.guard?.maxLeaving, 2, fleet.members.length + absent);
  if (leaving.size <= limit) return [];
  return [
    {
      rule: 'blast-radius-leaving',
      message: `${leaving.size} members with placements would leave, at most ${whole(limit)} may at once: ${some(leaving)}`,
    },
  ];
}

/** At any size: a repo that suddenly has no placements, members or resources is more often a mistake than intended. */
function everythingVanished(evidence: Evidence, removals: Removals): GuardFinding[] {
  const { fleet } = evidence;
  const finding = (what: string): GuardFinding => ({
    rule: 'everything-vanished',
    message: `all ${what} were removed from the repo in one commit`,
  });
  const findings: GuardFinding[] = [];
  const deleted = new Set(evidence.changes.filter(({ isWanted }) => !isWanted).map(({ key }) => key));
  if (fleet.placements.length === 0 && removals.now.some(({ placement }) => deleted.has(placement)))
    findings.push(finding('placements'));
  if (membersThatStay(evidence).size === 0 && removals.released.length > 0) findings.push(finding('members'));
  if (fleet.resources.length === 0 && removals.dropping.size > 0) findings.push(finding('resources'));
  return [...findings, ...noClusterLeft(evidence, removals), ...nothingSelected(evidence, removals)];
}

/** Names of clusters, none of which is in the fleet, are misspelt rather than a wish to remove the placement. */
function noClusterLeft(evidence: Evidence, { now }: Removals): GuardFinding[] {
  const members = membersThatStay(evidence);
  const emptied = placementsOf(now);
  return evidence.fleet.placements.flatMap(({ metadata: { name, namespace }, spec: { policy } }): GuardFinding[] => {
    const named = policy?.placementType === 'PickFixed' ? (policy.clusterNames ?? []) : [];
    const isMisspelt = named.length > 0 && named.every((cluster) => !members.has(cluster));
    if (!isMisspelt || !emptied.has(placementKey({ name, namespace }))) return [];
    return [
      {
        rule: 'everything-vanished',
        message: `${placementKey({ name, namespace })} would be removed from all of its clusters, since none that it names is in the fleet: ${some(new Set(named))}`,
      },
    ];
  });
}

/** Selectors that match nothing, while what they matched is still in the repo, are misspelt rather than a wish to remove it. */
function nothingSelected(evidence: Evidence, { dropping }: Removals): GuardFinding[] {
  if (dropping.size === 0) return [];
  const contentsOf = snapshotReader(evidence);
  const inRepo = new Set(objectsOf(evidence.fleet.resources.map(({ manifest }) => manifest)));
  return evidence.changes.flatMap(({ key, pairs }): GuardFinding[] => {
    if (!dropping.has(key)) return [];
    const isMistake = pairs.some(
      ({ before, after }) =>
        before !== undefined &&
        after?.resourceSnapshotIndex !== undefined &&
        isKnownEmpty(contentsOf(key, after.resourceSnapshotIndex)) &&
        objectsOf(contentsOf(key, before.resourceSnapshotIndex)).some((object) => inRepo.has(object)),
    );
    if (!isMistake) return [];
    const message = `all objects of ${key} would be removed from its clusters, since its resource selectors match nothing, and the repo still has some of them`;
    return [{ rule: 'everything-vanished', message }];
  });
}

const isKnownEmpty = (contents: readonly Manifest[]): boolean => contents !== notRemembered && contents.length === 0;

/** Without a setting, the larger of `least` and a tenth; with one, only that. Percentages are not rounded. */
function limitOf(setting: IntOrPercent | undefined, least: number, total: number): number {
  if (setting === undefined) return Math.max(least, total / 10);
  const text = String(setting);
  return text.endsWith('%') ? (Number(text.slice(0, -1)) * total) / 100 : Number(text);
}

const placementsOf = (removals: readonly Removal[]): ReadonlySet<string> =>
  new Set(removals.map(({ placement }) => placement));

const whole = (limit: number): number => Math.floor(limit);

const some = (names: ReadonlySet<string>): string => {
  const sorted = [...names].sort();
  return `${sorted.slice(0, 5).join(', ')}${sorted.length > 5 ? ', …' : ''}`;
};
