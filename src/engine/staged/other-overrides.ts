import type { ClusterName, Manifest } from '../../api/meta.ts';
import type { PlacementRef } from '../../api/placement.ts';
import { compileOverrides, matchCompiled } from '../overrides/match.ts';
import { idsOf, type RecordedLists } from '../overrides/snapshot-id.ts';
import type { World } from '../world.ts';

/** What a cluster has, or gets from an update run in progress. */
export interface Given {
  readonly cluster: ClusterName;
  /** Several where several runs bring one. */
  readonly snapshots: readonly { readonly index: number; readonly lists: RecordedLists }[];
}

/**
 * Clusters that the overrides of the repo give something else of these manifests, which they have already, or on which one of them fails.
 * Other override snapshots with the same result make no difference.
 */
export function otherOverrides(
  placement: PlacementRef,
  { manifests, given }: { readonly manifests: readonly Manifest[]; readonly given: readonly Given[] },
  { overrides, members, render }: Pick<World, 'overrides' | 'members' | 'render'>,
): readonly ClusterName[] {
  // Nearly all fleets: asked in every plan, of every cluster.
  if (overrides.size === 0) return [];
  const compiled = compileOverrides(placement, manifests, overrides);
  return given.flatMap(({ cluster, snapshots }) => {
    const wanted = matchCompiled(compiled, { name: cluster, labels: members.get(cluster)?.labels });
    const rendered = (lists: RecordedLists) => render({ placement, manifests, lists, cluster });
    const isSame = (lists: RecordedLists): boolean => {
      if (idsOf(lists).join() === idsOf(wanted).join()) return true;
      const [present, next] = [rendered(lists), rendered(wanted)];
      return present.ok && next.ok ? present.digest === next.digest : present.ok === next.ok;
    };
    return snapshots.some(({ lists }) => isSame(lists)) ? [] : [cluster];
  });
}
