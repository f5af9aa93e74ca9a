import type { ClusterName, Manifest, PlacementKey } from '../api/meta.ts';
import { type PlacementRef, placementKey } from '../api/placement.ts';
import { stayingOn } from '../engine/delivery/staying-bindings.ts';
import { sourceKey } from '../engine/input.ts';
import { compileOverrides, matchCompiled } from '../engine/overrides/match.ts';
import type { RecordedLists } from '../engine/overrides/snapshot-id.ts';
import type { PlanResult } from '../engine/plan.ts';
import { keyOfManifest, objectKey, refOfManifest } from '../engine/selection/object-key.ts';
import { isOver, isRunOf } from '../engine/update-run.ts';
import { contestedText } from './contested-objects.ts';
import { type FailingCluster, faultOf } from './failing-clusters.ts';
import type { Held, HeldByCluster, HeldObject } from './held-objects.ts';
import { compared, type Leaving, type ObjectChange } from './object-changes.ts';
import type { InSteps } from './steps.ts';
import { successorsIn } from './taken-over.ts';

/**
 * What rolling out what the repo holds would change for these placements, which need an update run for it, or are held. `last`: the
 * last plan; `ends`: what clusters hold before the first one and after it; `leaving`: on the way between them. Clusters that a run in
 * progress has not reached count as if it had, also if it is stopped. `failing`: clusters that it would not reach.
 */
export function* pendingChanges(
  placements: readonly PlacementRef[],
  {
    last,
    ends: { before: earlier, after: held },
    leaving,
  }: {
    readonly last: PlanResult;
    readonly ends: Readonly<Record<'before' | 'after', HeldByCluster>>;
    readonly leaving: Leaving;
  },
): InSteps<{ readonly changes: readonly ObjectChange[]; readonly failing: readonly FailingCluster[] }> {
  const changes: ObjectChange[] = [];
  const failing: FailingCluster[] = [];
  if (placements.length === 0) return { changes, failing };
  const { world, works } = last.contents;
  // What is not removed yet is released then where another placement wants or needs it.
  const successors = successorsIn(last.contents);
  const leavingThen: Leaving = {
    ...leaving,
    taker: (of, on) => leaving.taker(of, on) ?? successors.taker(of, on),
    keeper: (of, on) => leaving.keeper(of, on) ?? successors.keeper(of, on),
  };
  for (const placement of placements) {
    const key = placementKey(placement);
    const work = works.get(key);
    if (!work?.selection.ok) continue;
    const isDeleted = world.admitted.deleted.some((deleted) => deleted.key === key);
    // Nothing is applied under ReportDiff. What was applied before is removed.
    const isCompared = work.placement.spec.strategy.applyStrategy.type === 'ReportDiff';
    const { manifests } = work.selection;
    const needsRun = work.placement.spec.strategy.type === 'External';
    const compiled = compileOverrides(placement, manifests, world.overrides);
    const { coming, removed } = comingByRuns(placement, last);
    const before = new Map<ClusterName, Held>();
    const after = new Map<ClusterName, Held>();
    const ownOf = (of: HeldObject) => (placementKey(of.placement) === key ? [of.manifest] : []);
    const heldOf = (objects: readonly Manifest[]): Held => ({
      objects: new Map(objects.map((manifest) => [keyOfManifest(manifest), { placement, manifest }])),
      placements: new Map([[key, placement]]),
    });
    for (const [cluster, binding] of stayingOn(work)) {
      const member = world.members.get(cluster);
      if (member === undefined) continue;
      const own = heldOf([...(held.get(cluster)?.objects.values() ?? [])].flatMap(ownOf));
      if (binding.state === 'Unscheduled' || isDeleted) {
        if (!removed.has(cluster)) before.set(cluster, own);
        continue;
      }
      if (isCompared) continue;
      const rendered = (of: readonly Manifest[], lists: RecordedLists) =>
        world.render({ placement, manifests: of, lists, cluster });
      const then = rendered(manifests, matchCompiled(compiled, { name: cluster, labels: member.labels }));
      if (!then.ok) {
        const isNew = held.get(cluster)?.placements.has(key) !== true;
        failing.push({ placement, cluster, why: faultOf(then), isNew, needsRun });
        continue;
      }
      const run = coming.get(cluster);
      const brought = run && rendered(work.contents.get(run.index) ?? [], run.lists);
      const now = brought?.ok ? heldOf(brought.manifests.map(({ manifest }) => manifest)) : own;
      const next = heldOf(then.manifests.map(({ manifest }) => manifest));
      for (const object of next.objects.keys()) {
        const left = earlier.get(cluster)?.objects.get(object);
        if (!left || now.objects.has(object) || held.get(cluster)?.objects.has(object)) continue;
        if (leavingThen.taker(left.placement, { cluster, object })) now.objects.set(object, left);
      }
      const isNew = own.objects.size === 0;
      const contested = takenByOthers(next, { now, held: held.get(cluster), key });
      for (const { object } of contested) next.objects.delete(objectKey(object));
      const isPart = next.objects.size > 0 || !isNew;
      if (contested.length > 0)
        failing.push({ placement, cluster, why: contestedText(contested), isNew, ...(isPart && { isPart }), needsRun });
      before.set(cluster, now);
      after.set(cluster, next);
    }
    changes.push(...(yield* compared(before, after, leavingThen)).changes);
  }
  return { changes, failing };
}

/** Objects that another placement has, and that are not among those of the placement with the key: the cluster will refuse them. */
const takenByOthers = (
  next: Held,
  { now, held, key }: { readonly now: Held; readonly held: Held | undefined; readonly key: PlacementKey },
) =>
  [...next.objects].flatMap(([object, { manifest }]) => {
    const on = held?.objects.get(object);
    const isOwn = on && [on.placement, ...(on.others ?? [])].some((of) => placementKey(of) === key);
    return !on || isOwn || now.objects.has(object) ? [] : [{ object: refOfManifest(manifest), holder: on.placement }];
  });

/** The snapshot that runs in progress bring to clusters, with which overrides, and the clusters that they clean up at their end. */
function comingByRuns(placement: PlacementRef, { plan, contents }: Pick<PlanResult, 'contents' | 'plan'>) {
  const { runs } = contents.world.admitted;
  const own = new Set(runs.filter((run) => isRunOf(run, placement)).map((run) => sourceKey(run.kind, run.metadata)));
  const open = plan.runs.filter((run) => own.has(sourceKey(run.kind, run)) && !isOver(run.status));
  const coming = new Map(
    open.flatMap(({ status: { stagesStatus = [], resourceSnapshotIndexUsed: index } }) =>
      stagesStatus.flatMap(({ clusters }) =>
        clusters.map((lists) => [lists.clusterName as ClusterName, { index: Number(index), lists }] as const),
      ),
    ),
  );
  const ends = open.flatMap(({ status }) => status.deletionStageStatus?.clusters ?? []);
  return { coming, removed: new Set<string>(ends.map(({ clusterName }) => clusterName)) };
}
