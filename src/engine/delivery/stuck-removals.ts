import type { ClusterName, Condition, Manifest, Timestamp } from '../../api/meta.ts';
import type { ClusterObservation } from '../../api/observation.ts';
import { type PlacementRef, refOf } from '../../api/placement.ts';
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
 * Objects that are to go from a cluster, with their binding or as a newer snapshot lists them no more, that the member has
 * marked as deleted for five minutes and that are still there, with what they wait for; and the instants at which others
 * become such.
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
      const isToGo = goingFrom(work, clusterName, targetOf);
      const stuck: Manifest[] = [];
      for (const { object, since } of deleted) {
        if (!isToGo(object)) continue;
        if (now - since >= patienceMs) stuck.push(object);
        else wakes.push(formatInstant(since + patienceMs));
      }
      if (stuck.length > 0)
        holds.push({
          subject: { ...refOf(work.placement), clusterName },
          reason: 'RemovalPending',
          message: `on ${clusterName} ${told(stuck)}`,
        });
    }
  }
  return { holds, wakes };
}

/** What a member has marked as deleted, by the placement that it is of: nothing almost everywhere. */
const deletedByLabel = memoize((objects: readonly Manifest[]) => {
  const deleted = objects.flatMap((object) => {
    const since = parseInstant(object.metadata.deletionTimestamp ?? '');
    const label = object.metadata.labels?.[placementLabel];
    return since === undefined || label === undefined ? [] : [{ object, label, since }];
  });
  return Map.groupBy(deleted, ({ label }) => label);
});

/** Of a binding on its way out everything goes; else what earlier snapshots list and the present target does not. */
function goingFrom(
  { placement, bindings, contents }: PlacementWork,
  cluster: ClusterName,
  targetOf: (cluster: ClusterName, placement: PlacementRef) => PlacementTarget | undefined,
): (object: Manifest) => boolean {
  if (leavingSteps(bindings).some(({ binding }) => binding.targetCluster === cluster)) return () => true;
  const target = targetOf(cluster, refOf(placement));
  // Without a digest it is unknown what is to be there, and nothing is removed.
  if (target?.digest === undefined) return () => false;
  const stays = new Set(target.objects.map(objectKey));
  const { keys } = listedObjects(contents);
  return (object) => keys.has(keyOfManifest(object)) && !stays.has(keyOfManifest(object));
}

function told(stuck: readonly Manifest[]): string {
  const said = stuck.map((object) => {
    const waits = waitsFor(object);
    return `${describeRef(refOfManifest(object))} is being removed since ${object.metadata.deletionTimestamp}${waits === '' ? '' : ` and waits for ${waits}`}`;
  });
  return listUpTo(said, 3, '; ');
}

/** Its finalizers; a namespace says itself what is left in it. */
function waitsFor(object: Manifest): string {
  const { conditions = [] } = (object['status'] ?? {}) as { conditions?: readonly Condition[] };
  const left =
    object.kind === 'Namespace' ? conditions.filter(({ type, status }) => isLeft.has(type) && status === 'True') : [];
  return [...(object.metadata.finalizers ?? []), ...left.map(({ message = '' }) => message)].join(', ');
}

const isLeft: ReadonlySet<string> = new Set([
  'NamespaceDeletionDiscoveryFailure',
  'NamespaceDeletionGroupVersionParsingFailure',
  'NamespaceDeletionContentFailure',
  'NamespaceContentRemaining',
  'NamespaceFinalizersRemaining',
]);
