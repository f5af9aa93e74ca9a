import type { ClusterName, ObjectRef } from '../../api/meta.ts';
import { type ApplyStrategy, placementKey } from '../../api/placement.ts';
import type { Target } from '../plan-document.ts';
import { objectKey } from '../selection/object-key.ts';

/**
 * Objects that a target no longer asks for and another placement of the same cluster does: it lets go of them, so that the
 * other takes them over as they are. Removing what is wanted, and everything in it, would only have it made anew. A
 * placement that takes nothing over, or only compares, asks for nothing that is there.
 */
export function handedOver(
  targets: readonly Target[],
  of: {
    readonly prunableOf: (target: Target) => readonly ObjectRef[];
    readonly strategyOf: (target: Target) => ApplyStrategy;
  },
): (target: Target) => readonly ObjectRef[] {
  let byCluster: ReadonlyMap<ClusterName, readonly Target[]> | undefined;
  return (target) => {
    const own = keysOf(target);
    const left = of.prunableOf(target).filter((ref) => target.remove || !own.has(objectKey(ref)));
    if (left.length === 0) return [];
    byCluster ??= Map.groupBy(targets, ({ clusterName }) => clusterName);
    const key = placementKey(target.placement);
    const takers = (byCluster.get(target.clusterName) ?? []).filter(
      (other) => !other.remove && other.digest !== undefined && placementKey(other.placement) !== key,
    );
    return left.filter((ref) =>
      takers.some((other) => keysOf(other).has(objectKey(ref)) && takesOver(of.strategyOf(other))),
    );
  };
}

const takesOver = ({ type, whenToTakeOver }: ApplyStrategy): boolean =>
  type !== 'ReportDiff' && whenToTakeOver !== 'Never';

const keys = new WeakMap<readonly ObjectRef[], ReadonlySet<string>>();

function keysOf({ objects }: Target): ReadonlySet<string> {
  let known = keys.get(objects);
  if (!known) {
    known = new Set(objects.map(objectKey));
    keys.set(objects, known);
  }
  return known;
}
