import type { ClusterName } from '../api/meta.ts';
import type { Difference, HeldByCluster } from './held-objects.ts';
import type { Leaving } from './object-changes.ts';

/**
 * The differences of two ends, with objects that neither has any more, and that only one of them releases: a cluster that leaves
 * during a rollout keeps what that would have removed.
 */
export function withLeftOtherwise(
  differing: ReadonlyMap<ClusterName, Difference>,
  { before, usual, after }: Readonly<Record<'before' | 'usual' | 'after', HeldByCluster>>,
  { usually, leaving }: Readonly<Record<'usually' | 'leaving', Leaving>>,
): ReadonlyMap<ClusterName, Difference> {
  const all = new Map(differing);
  for (const [cluster, { objects }] of before) {
    const ends = [usual.get(cluster), after.get(cluster)];
    const others = [...objects].flatMap(([object, { placement }]) => {
      if (ends.some((end) => end?.objects.has(object))) return [];
      const [without, released] = [usually, leaving].map(
        ({ stays, taker, keeper }) =>
          stays(placement, cluster) ||
          (taker(placement, { cluster, object }) ?? keeper(placement, { cluster, object })) !== undefined,
      );
      return without === released ? [] : [object];
    });
    if (others.length === 0) continue;
    const known = all.get(cluster);
    all.set(cluster, {
      objects: new Set([...(known?.objects ?? []), ...others]),
      placements: known?.placements ?? new Set(),
    });
  }
  return all;
}
