import { type Placement, refOf } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import { memoize } from '../kernel/memoize.ts';
import { sameValue } from '../kernel/same-value.ts';
import type { Labels } from '../kernel/selector.ts';
import { labelsOf } from '../placement/members.ts';
import type { PlacementWork } from '../placement-work.ts';
import { rememberedManifests } from '../recovery/rebuilt-snapshot.ts';
import type { World } from '../world.ts';

/**
 * A relabelled cluster keeps what it was given, rendered with the labels that it had then, until a rollout has looked at it
 * (`rollOut`): with its new ones the overrides that it carries would change it at once, outside of every budget.
 */
export function withHeldLabels(
  loaded: Pick<PlacementWork, 'placement' | 'contents' | 'resourceSnapshots'>,
  binding: Binding,
  world: World,
): Binding {
  const labels = labelsBefore(binding, world);
  if (labels === undefined) return binding;
  const { clusterLabels: _, ...present } = binding;
  const manifests = rememberedManifests(loaded, binding.resourceSnapshotIndex);
  if (!manifests || binding.deleting || !rollsOutByItself(loaded.placement)) return present;
  const what = { placement: refOf(loaded.placement), manifests, lists: present, cluster: binding.targetCluster };
  const [before, now] = [world.render({ ...what, labels }), world.render(what)];
  const isSame = !before.ok || (now.ok && now.digest === before.digest);
  return isSame ? present : { ...present, clusterLabels: labels };
}

/** Labels that what a cluster holds was rendered with, where it has others now. */
export const labelsBefore = (binding: Binding, world: World): Labels | undefined =>
  binding.clusterLabels ?? relabelled(world).get(binding.targetCluster);

/** Elsewhere nothing would ever give the cluster what its labels ask for, but a run that somebody commits. */
const rollsOutByItself = ({ spec }: Placement): boolean => spec.strategy.type === 'RollingUpdate';

/** Members that have other labels than the record knows, and which those are. */
const relabelled = memoize(({ members, record }: World): ReadonlyMap<string, Labels> => {
  const changed = new Map<string, Labels>();
  for (const [name, { labels, leaving }] of members) {
    const recorded = record.clusters.get(name);
    const before = recorded && labelsOf(recorded);
    if (before && !leaving && !sameValue(before, labels)) changed.set(name, before);
  }
  return changed;
});
