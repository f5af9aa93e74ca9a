import type { ClusterName, Manifest, PlacementKey } from '../../../api/meta.ts';
import { memoize } from '../../kernel/memoize.ts';
import type { Evidence } from './evidence.ts';
import { isRebuiltSnapshot } from './rebuilt-snapshot.ts';
import { nameOf, objectsOf, placementOf } from './snapshot-objects.ts';

/**
 * Objects of a placement that a cluster shows, as its recorded snapshots name them, if nothing but the record claims which of these the
 * cluster has. Snapshots that were rebuilt from members may leave some out.
 */
export function shownObjects(
  { input, record, observations }: Evidence,
  key: PlacementKey,
  cluster: ClusterName,
): readonly string[] {
  const recorded = record.placements.get(key);
  const objects = observations?.get(cluster)?.objects;
  if (recorded === undefined || objects === undefined || !input.unproven.get(key)?.has(cluster)) return [];
  const named = namesOf(recorded.snapshots);
  const isRebuilt = recorded.state.resourceSnapshots.some(isRebuiltSnapshot);
  return (byPlacement(objects).get(key) ?? []).flatMap(({ apiVersion, kind, metadata: { namespace, name } }) => {
    const shown = nameOf(apiVersion, kind, namespace, name);
    return named.get(withoutVersion(shown)) ?? (isRebuilt ? [shown] : []);
  });
}

const byPlacement = memoize((objects: readonly Manifest[]) => Map.groupBy(objects, placementOf));

/** Names of all objects of the snapshots of a placement, by name without a version: a cluster may show another one. */
const namesOf = memoize(
  (snapshots: ReadonlyMap<number, readonly Manifest[]>): ReadonlyMap<string, readonly string[]> => {
    const names = new Set([...snapshots.values()].flatMap(objectsOf));
    return Map.groupBy(names, withoutVersion);
  },
);

/** `apps/v1/Deployment shop/web` without `v1/`. */
const withoutVersion = (name: string): string => name.replace(/[^/ ]+\/(?=[^/ ]+ )/, '');
