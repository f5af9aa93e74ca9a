import type { ClusterName, Condition, Manifest, Timestamp } from '../../api/meta.ts';
import type { ClusterObservation } from '../../api/observation.ts';
import { type PlacementRef, refOf } from '../../api/placement.ts';
import { isFields } from '../kernel/fields.ts';
import { formatInstant, parseInstant } from '../kernel/instant.ts';
import { memoize } from '../kernel/memoize.ts';
import { listUpTo } from '../kernel/short-list.ts';
import { placementLabel, placementLabelValue } from '../overrides/ownership.ts';
import { leavingSteps, type PlacementWork } from '../placement-work.ts';
import type { Hold, PlacementTarget } from '../plan-document.ts';
import { listedObjects } from '../selection/listed-objects.ts';
import { describeRef, keyOfManifest, objectKey, refOfManifest } from '../selection/object-key.ts';

/** A removal that takes longer is reported (KubeFleet work applier, deletion-wait-time). */
const patienceMs = 300_000;

/**
 * Objects that are to be removed from a cluster and still exist five minutes after the member marked them as deleted, with
 * what they wait for. They are removed with their binding, or because a newer snapshot no longer lists them. `wakes`: the
 * instants at which further objects become stuck.
 */
export function stuckRemovals(context: {
  readonly works: readonly PlacementWork[];
  readonly observations: ReadonlyMap<ClusterName, ClusterObservation> | undefined;
  readonly targetOf: (cluster: ClusterName, placement: PlacementRef) => PlacementTarget | undefined;
  readonly now: Timestamp;
  readonly digest: (text: string) => string;
}): { readonly holds: Hold[]; readonly wakes: Timestamp[] } {
  const { works, observations, targetOf, digest } = context;
  const holds: Hold[] = [];
  const wakes: Timestamp[] = [];
  const now = parseInstant(context.now) ?? 0;
  let byLabel: ReadonlyMap<string, PlacementWork> | undefined;
  for (const [clusterName, { reachable, objects }] of observations ?? []) {
    if (!reachable) continue;
    for (const [label, deleted] of deletedByLabel(objects)) {
      byLabel ??= new Map(works.map((work) => [placementLabelValue(refOf(work.placement), digest), work]));
      const work = byLabel.get(label);
      if (!work) continue;
      const isToBeRemoved = removedFrom(work, clusterName, targetOf);
      const stuck: Manifest[] = [];
      for (const { object, since } of deleted) {
        if (!isToBeRemoved(object)) continue;
        if (now - since >= patienceMs) stuck.push(object);
        else wakes.push(formatInstant(since + patienceMs));
      }
      if (stuck.length > 0)
        holds.push({
          subject: { ...refOf(work.placement), clusterName },
          reason: 'RemovalPending',
          message: `on ${clusterName} ${stuckText(stuck)}`,
        });
    }
  }
  return { holds, wakes };
}

/** Objects that a member has marked as deleted, by placement label; almost always none. */
const deletedByLabel = memoize((objects: readonly Manifest[]) => {
  const deleted = objects.flatMap((object) => {
    const since = parseInstant(object.metadata.deletionTimestamp ?? '');
    const label = object.metadata.labels?.[placementLabel];
    return since === undefined || label === undefined ? [] : [{ object, label, since }];
  });
  return Map.groupBy(deleted, ({ label }) => label);
});

/** Whether an object is to be removed: all when the binding is; else those of earlier snapshots that the target does not have. */
function removedFrom(
  { placement, bindings, contents }: PlacementWork,
  cluster: ClusterName,
  targetOf: (cluster: ClusterName, placement: PlacementRef) => PlacementTarget | undefined,
): (object: Manifest) => boolean {
  if (leavingSteps(bindings).some(({ binding }) => binding.targetCluster === cluster)) return () => true;
  const target = targetOf(cluster, refOf(placement));
  // Without a digest the desired objects are unknown, and nothing is removed.
  if (target?.digest === undefined) return () => false;
  const stays = new Set(target.objects.map(objectKey));
  const { keys } = listedObjects(contents);
  return (object) => keys.has(keyOfManifest(object)) && !stays.has(keyOfManifest(object));
}

function stuckText(stuck: readonly Manifest[]): string {
  const texts = stuck.map((object) => {
    const waits = waitsFor(object);
    return `${describeRef(refOfManifest(object))} is being removed since ${object.metadata.deletionTimestamp}${waits === '' ? '' : ` and waits for ${waits}`}`;
  });
  return listUpTo(texts, 3, '; ');
}

/** Its finalizers; a namespace also reports its remaining contents. */
function waitsFor(object: Manifest): string {
  const { conditions } = (object['status'] ?? {}) as { conditions?: unknown };
  const reported = Array.isArray(conditions) ? (conditions as readonly unknown[]) : [];
  const left =
    object.kind === 'Namespace'
      ? reported.filter(isCondition).filter(({ type, status }) => isLeft.has(type) && status === 'True')
      : [];
  return [...(object.metadata.finalizers ?? []), ...left.map(({ message = '' }) => message)].join(', ');
}

/** A member may show anything. */
const isCondition = (value: unknown): value is Condition => isFields(value);

const isLeft: ReadonlySet<string> = new Set([
  'NamespaceDeletionDiscoveryFailure',
  'NamespaceDeletionGroupVersionParsingFailure',
  'NamespaceDeletionContentFailure',
  'NamespaceContentRemaining',
  'NamespaceFinalizersRemaining',
]);
