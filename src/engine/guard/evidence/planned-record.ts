import type { ClusterName, Manifest, PlacementKey } from '../../../api/meta.ts';
import { placementKey } from '../../../api/placement.ts';
import type { Binding, PlacementState } from '../../../api/placement-state.ts';
import { memoize } from '../../kernel/memoize.ts';
import type { Plan } from '../../plan-document.ts';
import type { Evidence } from './evidence.ts';

/** Contents of a snapshot by index: those of the plan's record, else the recorded ones. */
export function snapshotReader({
  record,
  plan,
}: Pick<Evidence, 'record' | 'plan'>): (key: PlacementKey, index: number | undefined) => readonly Manifest[] {
  const { snapshots } = writtenIn(plan.record);
  return (key, index) =>
    index === undefined
      ? []
      : (record.placements.get(key)?.snapshots.get(index) ?? snapshots.get(`${key}/${index}`) ?? notRemembered);
}

/** Contents of a snapshot that no longer has a file: they are unknown. */
export const notRemembered: readonly Manifest[] = [];

/** Bindings in the record that the plan writes, by placement and cluster. */
export function bindingReader(plan: Plan): (key: PlacementKey, cluster: ClusterName) => Binding | undefined {
  const { states } = writtenIn(plan.record);
  return (key, cluster) => liveBindings(states.get(key)?.bindings ?? noBindings).get(cluster);
}

/** Bindings of a state that are not being removed, by cluster, of two the first: rules check cluster by cluster. */
export const liveBindings = memoize(
  (bindings: readonly Binding[]): ReadonlyMap<ClusterName, Binding> =>
    new Map(
      bindings.toReversed().flatMap((binding) => (binding.deleting ? [] : [[binding.targetCluster, binding] as const])),
    ),
);

const noBindings: readonly Binding[] = [];

/** Whether the plan still removes a placement from a cluster; for one that is not planned, whether its record does. */
export function leavingReader(plan: Plan): (key: PlacementKey, cluster: ClusterName) => boolean {
  const planned = new Map(plan.placements.map((placement) => [placementKey(placement), placement.bindings]));
  const { states } = writtenIn(plan.record);
  return (key, cluster) =>
    planned.get(key)?.some(({ clusterName, move }) => clusterName === cluster && move === 'remove') ??
    states.get(key)?.bindings.some(({ targetCluster, deleting }) => targetCluster === cluster && deleting) === true;
}

/** States by placement, and contents of snapshots by `placement/index`: several rules read them. */
const writtenIn = memoize((record: Plan['record']) => {
  const states = new Map<string, PlacementState>();
  const snapshots = new Map<string, readonly Manifest[]>();
  for (const [path, { kind, value }] of record) {
    const parts = path.split('/');
    const name = parts.at(-1);
    if (kind === 'manifests') {
      if (parts.at(-2) === 'snapshots') snapshots.set(`${parts.at(-3)}/${name!.replace(/\.yaml$/, '')}`, value);
    } else if (name === 'state.yaml') states.set(parts.at(-2)!, value as PlacementState);
  }
  return { states, snapshots };
});

/** Override snapshots of those bindings. */
export function overridesReader(plan: Plan): (key: PlacementKey, cluster: ClusterName) => string | undefined {
  const bindingOf = bindingReader(plan);
  return (key, cluster) => {
    const binding = bindingOf(key, cluster);
    return binding && overridesOf(binding);
  };
}

/** One text for the override snapshots of a binding: two bindings with the same ones have the same. */
export const overridesOf = (
  binding: Pick<Binding, 'clusterResourceOverrideSnapshots' | 'resourceOverrideSnapshots'>,
): string =>
  JSON.stringify([
    binding.clusterResourceOverrideSnapshots ?? [],
    (binding.resourceOverrideSnapshots ?? []).map(({ namespace, name }) => [namespace, name]),
  ]);
