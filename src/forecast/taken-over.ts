import type { ClusterName } from '../api/meta.ts';
import { placementKey, refOf } from '../api/placement.ts';
import { keeperOf, takerOf } from '../engine/delivery/handed-over.ts';
import type { PlanContents } from '../engine/delivery/plan-contents.ts';
import { strategyOf } from '../engine/delivery/staying-bindings.ts';
import { memoize } from '../engine/kernel/memoize.ts';
import type { PlacementWork } from '../engine/placement-work.ts';
import type { PlanResult } from '../engine/plan.ts';
import type { PlacementTarget, Plan } from '../engine/plan-document.ts';
import { objectKey } from '../engine/selection/object-key.ts';
import { placementTargets } from '../engine/target-kinds.ts';
import type { Leaving } from './object-changes.ts';

/** Other placements for which objects are released. */
type Successors = Pick<Leaving, 'taker' | 'keeper'>;
type Find = Successors['taker'];

/** Of placements that do not want an object any more in what a plan gives clusters. */
export function successorsIn(contents: PlanContents): Successors {
  const of =
    (find: typeof takerOf): Find =>
    (placement, on) => {
      const work = contents.works.get(placementKey(placement));
      const found = work && find(contents, work, on);
      return found && refOf(found.placement);
    };
  return { taker: of(takerOf), keeper: of(keeperOf) };
}

/** The same at the first of these plans that takes an object from a placement. Refused ones change nothing. */
export function successorsAmong(results: readonly PlanResult[]): Successors {
  const planned = results.filter(({ plan }) => plan.guard.length === 0);
  const of =
    (which: keyof Successors): Find =>
    (placement, on) => {
      const id = `${placementKey(placement)} ${on.cluster}`;
      for (const { plan, contents } of planned) {
        const target = targetsOf(plan.targets).get(id);
        const work = contents.works.get(placementKey(placement));
        if (target && work && isWithout(target, on.object, work)) return successorsIn(contents)[which](placement, on);
      }
      return undefined;
    };
  return { taker: of('taker'), keeper: of('keeper') };
}

const targetsOf = memoize(
  (targets: Plan['targets']): ReadonlyMap<string, PlacementTarget> =>
    new Map(placementTargets(targets).map((target) => [idOf(target), target])),
);

const idOf = ({ placement, clusterName }: PlacementTarget): `${string} ${ClusterName}` =>
  `${placementKey(placement)} ${clusterName}`;

/** Without a digest, or while it only compares, everything of it stays as it is. */
function isWithout(target: PlacementTarget, object: string, work: PlacementWork): boolean {
  const { remove, digest, objects, clusterName } = target;
  if (remove) return true;
  const isKept = digest === undefined || strategyOf(work, clusterName).type === 'ReportDiff';
  return !isKept && !objects.some((ref) => objectKey(ref) === object);
}
