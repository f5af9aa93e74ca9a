import type { ClusterName, ObjectRef } from '../../api/meta.ts';
import { type ApplyStrategy, placementKey, refOf } from '../../api/placement.ts';
import { memoize } from '../kernel/memoize.ts';
import type { PlacementWork } from '../placement-work.ts';
import type { PlacementTarget } from '../plan-document.ts';
import { containersOf, contentOf } from '../selection/containers.ts';
import { listedObjects, refsIn } from '../selection/listed-objects.ts';
import { objectKey } from '../selection/object-key.ts';
import type { PlanContents } from './plan-contents.ts';
import { prunableOf, stayingOn, strategyOf } from './staying-bindings.ts';
import { nextContents, type Wanted, wantedOn } from './wanted-objects.ts';

/** An object that a placement no longer wants on a cluster. `object`: its key. */
interface LetGo {
  readonly cluster: ClusterName;
  readonly object: string;
}

/**
 * Objects that a target no longer has and another placement of the same cluster needs, now or after its next rollout: they are
 * released instead of removed. One that wants the object itself takes it over unchanged: if it were removed, with everything in it, the
 * other would only create it again. One that wants something in it needs it to stay: with a Namespace Kubernetes removes everything in
 * it, with a CustomResourceDefinition everything of its kind.
 */
export function handedOver(contents: PlanContents, target: PlacementTarget, of: PlacementWork): readonly ObjectRef[] {
  const own = new Set(target.remove ? [] : target.objects.map(objectKey));
  const left = prunableOf(of).filter((ref) => !own.has(objectKey(ref)));
  const { clusterName: cluster } = target;
  return left.filter((ref) => {
    const on = { cluster, object: objectKey(ref) };
    return takerOf(contents, of, on) !== undefined || keeperOf(contents, of, on) !== undefined;
  });
}

/**
 * The placement that takes an object over from one that no longer wants it on a cluster. One that takes nothing over, or only
 * compares, does not count.
 */
export const takerOf = (contents: PlanContents, { placement }: PlacementWork, on: LetGo): PlacementWork | undefined =>
  listing(contents.staying)
    .objects.get(on.object)
    ?.find((work) => {
      if (work.placement === placement) return false;
      const wanted = wantedBy(work, on.cluster, contents);
      return wanted?.objects.has(on.object) === true && takesOver(strategyOf(work, on.cluster));
    });

/**
 * The placement that needs a Namespace or CustomResourceDefinition of one that no longer wants it on a cluster: it wants something in it
 * there. One that only compares does not count, nor one that brings the container itself and never takes over.
 */
export function keeperOf(contents: PlanContents, of: PlacementWork, on: LetGo): PlacementWork | undefined {
  const container = contentOf(on.object, of.contents);
  if (container === undefined) return undefined;
  return listing(contents.staying)
    .containers.get(container)
    ?.find((work) => {
      if (work.placement === of.placement) return false;
      const wanted = wantedBy(work, on.cluster, contents);
      const isNeeded = wanted?.containers.has(container) === true && !wanted.objects.has(on.object);
      return isNeeded && strategyOf(work, on.cluster).type !== 'ReportDiff';
    });
}

/** Undefined: it is not on the cluster, or leaves it. */
function wantedBy(work: PlacementWork, cluster: ClusterName, contents: PlanContents): Wanted | undefined {
  const binding = stayingOn(work).get(cluster);
  if (!binding || binding.state === 'Unscheduled') return undefined;
  const known = desiredBy(contents);
  const id = `${cluster} ${placementKey(refOf(work.placement))}`;
  const wanted = known.get(id) ?? wantedOn(work, cluster, contents.world);
  known.set(id, wanted);
  return wanted;
}

/** What placements of a plan have on their clusters, or will have; filled on demand. */
const desiredBy = memoize((_: PlanContents) => new Map<string, Wanted>());

const takesOver = ({ type, whenToTakeOver }: ApplyStrategy): boolean =>
  type !== 'ReportDiff' && whenToTakeOver !== 'Never';

/**
 * Placements that may want an object, or something in a container, on some cluster. Nearly always that is only the one that releases it,
 * so nothing else is computed.
 */
const listing = memoize((works: readonly PlacementWork[]) => {
  const objects = new Map<string, PlacementWork[]>();
  const containers = new Map<string, PlacementWork[]>();
  const put = (by: Map<string, PlacementWork[]>, key: string, work: PlacementWork): void => {
    const list = by.get(key);
    if (list) list.push(work);
    else by.set(key, [work]);
  };
  for (const work of works) {
    const refs = [...listedObjects(work.contents).refs, ...refsIn(nextContents(work))];
    for (const key of new Set(refs.map(objectKey))) put(objects, key, work);
    for (const key of new Set(refs.flatMap(containersOf))) put(containers, key, work);
  }
  return { objects, containers };
});
