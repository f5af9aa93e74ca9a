import type { ClusterName, Manifest, PlacementKey } from '../api/meta.ts';
import { type PlacementRef, placementKey } from '../api/placement.ts';
import { sourceKey } from '../engine/input.ts';
import type { Rendered } from '../engine/overrides/render.ts';
import type { RecordedLists } from '../engine/overrides/snapshot-id.ts';
import type { PlanResult } from '../engine/plan.ts';
import { keyOfManifest, objectKey, refOfManifest } from '../engine/selection/object-key.ts';
import { isOver, isRunOf } from '../engine/update-run.ts';
import { contestedText } from './contested-objects.ts';
import { type FailingCluster, faultOf } from './failing-clusters.ts';
import { type Held, type HeldByCluster, type HeldObject, textOf } from './held-objects.ts';
import { lackingLater, lackingText } from './lacking-namespaces.ts';
import { compared, type Leaving, type ObjectChange } from './object-changes.ts';
import type { InSteps } from './steps.ts';
import { successorsIn } from './taken-over.ts';
import { isCompared, wantedOn } from './wanted-on.ts';

/**
 * What rolling out what the repo holds would change for these placements, which need an update run for it, or are held. `last`: the
 * last plan; `ends`: what clusters hold before the first one and after it; `leaving`: on the way between them. Clusters that a run in
 * progress has not reached count as if it had, also if it is stopped. `usual`: what clusters would have of a placement anyway, which is
 * left out; undefined: nothing. `failing`: clusters that it would not reach.
 */
export function* pendingChanges(
  placements: readonly PlacementRef[],
  {
    last,
    ends: { before: earlier, after: held },
    leaving,
    usual = () => new Map(),
  }: {
    readonly last: PlanResult;
    readonly ends: Readonly<Record<'before' | 'after', HeldByCluster>>;
    readonly leaving: Leaving;
    readonly usual?: (placement: PlacementRef) => ReadonlyMap<ClusterName, Rendered | undefined>;
  },
): InSteps<{ readonly changes: readonly ObjectChange[]; readonly failing: readonly FailingCluster[] }> {
  const changes: ObjectChange[] = [];
  const failing: FailingCluster[] = [];
  if (placements.length === 0) return { changes, failing };
  const { world, works } = last.contents;
  // What is not removed yet is released then where another placement wants or needs it.
  const successors = successorsIn(last.contents);
  const lackingOn = lackingLater(last);
  const leavingThen: Leaving = {
    ...leaving,
    taker: (of, on) => leaving.taker(of, on) ?? successors.taker(of, on),
    keeper: (of, on) => leaving.keeper(of, on) ?? successors.keeper(of, on),
  };
  for (const placement of placements) {
    const key = placementKey(placement);
    const work = works.get(key);
    if (!work?.selection.ok) continue;
    const onlyCompares = isCompared(last, placement);
    const needsRun = work.placement.spec.strategy.type === 'External';
    const { coming, removed } = comingByRuns(placement, last);
    const anyway = usual(placement);
    const before = new Map<ClusterName, Held>();
    const after = new Map<ClusterName, Held>();
    const ownOf = (of: HeldObject) => (placementKey(of.placement) === key ? [of.manifest] : []);
    const heldOf = (objects: readonly Manifest[]): Held => ({
      objects: new Map(objects.map((manifest) => [keyOfManifest(manifest), { placement, manifest }])),
      placements: new Map([[key, placement]]),
    });
    for (const [cluster, then] of wantedOn(last, placement)) {
      const own = heldOf([...(held.get(cluster)?.objects.values() ?? [])].flatMap(ownOf));
      if (then === undefined) {
        if (!removed.has(cluster)) before.set(cluster, own);
        continue;
      }
      if (onlyCompares) continue;
      if (!then.ok) {
        if (faultIn(anyway.get(cluster)) === then.message) continue;
        const isNew = held.get(cluster)?.placements.has(key) !== true;
        failing.push({ placement, cluster, why: faultOf(then), isNew, needsRun });
        continue;
      }
      const rendered = (of: readonly Manifest[], lists: RecordedLists) =>
        world.render({ placement, manifests: of, lists, cluster });
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
      const [refused, unsure] = refusedWithout(lackingOn(work, cluster), { next, now });
      for (const { object } of refused) next.objects.delete(objectKey(object));
      const isPart = next.objects.size > 0 || !isNew;
      if (contested.length > 0)
        failing.push({ placement, cluster, why: contestedText(contested), isNew, ...(isPart && { isPart }), needsRun });
      if (refused.length > 0)
        failing.push({ placement, cluster, why: lackingText(refused), isNew, ...(isPart && { isPart }), needsRun });
      if (unsure.length > 0)
        failing.push({ placement, cluster, why: lackingText(unsure), isNew, isUnsure: true, needsRun });
      before.set(cluster, now);
      after.set(cluster, next);
    }
    for (const [cluster, rendered] of anyway) leaveOut(rendered, before.get(cluster), after.get(cluster));
    changes.push(...(yield* compared(before, after, leavingThen)).changes);
  }
  return { changes, failing };
}

const faultIn = (rendered: Rendered | undefined): string | undefined =>
  rendered?.ok === false ? rendered.message : undefined;

/** Removes objects that would be the same anyway. */
function leaveOut(anyway: Rendered | undefined, before: Held | undefined, after: Held | undefined): void {
  if (anyway?.ok === false) return;
  const texts = new Map(anyway?.manifests.map(({ manifest }) => [keyOfManifest(manifest), textOf(manifest)]));
  for (const object of new Set([...(before?.objects.keys() ?? []), ...(after?.objects.keys() ?? [])])) {
    const then = after?.objects.get(object);
    if (texts.get(object) !== (then && textOf(then.manifest))) continue;
    before?.objects.delete(object);
    after?.objects.delete(object);
  }
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

/** Objects that a cluster will refuse, since their Namespace is not there; and those of which that is unsure. */
function refusedWithout(
  lacking: ReturnType<ReturnType<typeof lackingLater>>,
  { next, now }: Readonly<Record<'next' | 'now', Held>>,
) {
  const inside = [...next.objects].flatMap(([key, { manifest }]) => {
    const object = refOfManifest(manifest);
    const of = object.namespace === undefined || now.objects.has(key) ? undefined : lacking.get(object.namespace);
    return of ? [{ object, namespace: object.namespace!, isUnsure: of.isUnsure }] : [];
  });
  return [false, true].map((isUnsure) => inside.filter((of) => of.isUnsure === isUnsure)) as [
    typeof inside,
    typeof inside,
  ];
}

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
