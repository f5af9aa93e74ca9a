import type { ClusterName, Manifest } from '../../api/meta.ts';
import { refOf } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import { memoize } from '../kernel/memoize.ts';
import { matchesSelector } from '../kernel/selector.ts';
import type { PlacementWork } from '../placement-work.ts';
import type { PlacementTarget } from '../plan-document.ts';
import type { World } from '../world.ts';
import type { PlacementOutcome } from './placement-outcome.ts';
import { stayingOn } from './staying-bindings.ts';
import { renderedFor } from './target-content.ts';

/** Objects of clusters that say how nodes are made, as files and overrides write them. */
export interface NodeObjects {
  /** By cluster. */
  readonly delivered: ReadonlyMap<ClusterName, readonly Manifest[]>;
  /** NodePools that would go there, if their file were valid, or the override that changes them. */
  readonly invalid: ReadonlyMap<ClusterName, readonly Manifest[]>;
}

export function nodeObjects(outcomes: readonly PlacementOutcome[], world: World): NodeObjects {
  const delivered = new Map<ClusterName, Manifest[]>();
  const invalid = new Map<ClusterName, Manifest[]>();
  const add = (to: Map<ClusterName, Manifest[]>, cluster: ClusterName, manifests: readonly Manifest[]) =>
    to.set(cluster, [...(to.get(cluster) ?? []), ...manifests]);
  for (const { work, targets } of outcomes) {
    for (const target of targetsOfNodes(targets)) {
      const rendered = renderedFor(work, target, world).map(({ manifest, written }) => written ?? manifest);
      add(delivered, target.clusterName, rendered.filter(isOfNodes));
    }
    for (const [cluster, binding] of stayingOn(work)) add(invalid, cluster, invalidByOverride(work, binding, world));
    const selected = world.input.fleet.invalidPools.filter((manifest) => selects(work, manifest));
    if (selected.length > 0) for (const cluster of clustersOf(work)) add(invalid, cluster, selected);
  }
  return { delivered, invalid };
}

/** An override that fails keeps all of the placement from the cluster, also from one that is new. */
function invalidByOverride({ placement, contents }: PlacementWork, binding: Binding, world: World): Manifest[] {
  const { targetCluster: cluster, resourceSnapshotIndex: index, conditions } = binding;
  const isFailing = conditions?.some(({ type, status }) => type === 'Overridden' && status === 'False');
  if (!isFailing || index === undefined) return [];
  const manifests = contents.get(index) ?? [];
  const rendered = world.render({ placement: refOf(placement), manifests, lists: binding, cluster });
  return rendered.ok || rendered.reason !== 'OverriddenFailed' || !rendered.pool ? [] : [rendered.pool];
}

/** Few placements have any, and most have the targets of the plan before. */
const targetsOfNodes = memoize((targets: readonly PlacementTarget[]) =>
  targets.filter(({ objects }) => objects.some(isOfNodes)),
);

const isOfNodes = ({ apiVersion }: { readonly apiVersion: string }): boolean => apiVersion.startsWith('karpenter.');

const selects = ({ placement }: PlacementWork, { metadata }: Manifest): boolean =>
  placement.spec.resourceSelectors.some(
    ({ group, kind, name, labelSelector }) =>
      group === 'karpenter.sh' &&
      kind === 'NodePool' &&
      (name === undefined || name === metadata.name) &&
      (labelSelector === undefined || matchesSelector(labelSelector, metadata.labels)),
  );

const clustersOf = ({ bindings, decisions }: PlacementWork): ReadonlySet<ClusterName> =>
  new Set([
    ...bindings.flatMap(({ binding }) => (binding.deleting ? [] : [binding.targetCluster])),
    ...decisions.flatMap(({ clusterName, selected }) => (selected ? [clusterName] : [])),
  ]);
