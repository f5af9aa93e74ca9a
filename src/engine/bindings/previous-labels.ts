import { type Placement, refOf } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import { memoize } from '../kernel/memoize.ts';
import { sameValue } from '../kernel/same-value.ts';
import type { Labels } from '../kernel/selector.ts';
import { labelsOf } from '../placement/members.ts';
import type { PlacementWork } from '../placement-work.ts';
import { knownManifests } from '../recovery/rebuilt-snapshot.ts';
import type { World } from '../world.ts';

/**
 * A relabelled cluster keeps what it has, rendered with its previous labels, until the rollout updates it (`rollOut`). With
 * the new labels its overrides would change it at once, outside of every budget.
 */
export function withPreviousLabels(
  loaded: Pick<PlacementWork, 'placement' | 'contents' | 'resourceSnapshots'>,
  binding: Binding,
  world: World,
): Binding {
  const labels = previousLabels(binding, world);
  if (labels === undefined) return binding;
  const { clusterLabels: _, ...present } = binding;
  const manifests = knownManifests(loaded, binding.resourceSnapshotIndex);
  if (!manifests || binding.deleting || !rollsOutByItself(loaded.placement)) return present;
  const what = { placement: refOf(loaded.placement), manifests, lists: present, cluster: binding.targetCluster };
  const [before, now] = [world.render({ ...what, labels }), world.render(what)];
  const isSame = !before.ok || (now.ok && now.digest === before.digest);
  return isSame ? present : { ...present, clusterLabels: labels };
}

/** Labels that the objects of a binding were rendered with, where the cluster has others now. */
export const previousLabels = (binding: Binding, world: World): Labels | undefined =>
  binding.clusterLabels ?? relabelled(world).get(binding.targetCluster);

/** The same, also where the cluster is no longer in the fleet: what it has may need labels that it has no more. */
export function recordedLabels(binding: Binding, world: World): Labels | undefined {
  const gone = world.members.has(binding.targetCluster) ? undefined : world.record.clusters.get(binding.targetCluster);
  return previousLabels(binding, world) ?? (gone && labelsOf(gone));
}

/** With another strategy only a committed update run would ever render the cluster with its new labels. */
const rollsOutByItself = ({ spec }: Placement): boolean => spec.strategy.type === 'RollingUpdate';

/** Recorded labels of the members that have other labels now. */
const relabelled = memoize(({ members, record }: World): ReadonlyMap<string, Labels> => {
  const changed = new Map<string, Labels>();
  for (const [name, { labels, leaving }] of members) {
    const recorded = record.clusters.get(name);
    const before = recorded && labelsOf(recorded);
    if (before && !leaving && !sameValue(before, labels)) changed.set(name, before);
  }
  return changed;
});
