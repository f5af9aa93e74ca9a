import type { Binding } from '../../api/placement-state.ts';
import { recordedDecision } from '../../engine/placement/selected.ts';
import { ageOf, type Listing, listing, statusOf, timesOf } from './listing.ts';
import { type KnownPlacement, knownPlacements } from './placements.ts';

export interface Bound {
  readonly placement: KnownPlacement;
  readonly binding: Binding;
}

/** KubeFleet's columns (binding_types.go), availability always; then where, in which state, with what, and why not. */
export const bindings: Listing = listing<Bound>({
  names: ['bindings', 'binding'],
  clusterNames: ['clusterresourcebindings', 'clusterresourcebinding', 'crb'],
  namespacedNames: ['resourcebindings', 'resourcebinding', 'rb'],
  folders: ['placements'],
  items: ({ record }) =>
    knownPlacements(record).flatMap((placement) => placement.state.bindings.map((binding) => ({ placement, binding }))),
  describe: ({ placement, binding }) => ({
    name: nameOf(placement, binding),
    namespace: placement.namespace,
    placement: placement.title,
    value: bindingObject(placement, binding),
  }),
  columns: [
    { heading: 'WORKSYNCHRONIZED', cell: ({ binding }) => statusOf(binding.conditions, 'WorkSynchronized') },
    { heading: 'RESOURCESAPPLIED', cell: ({ binding }) => statusOf(binding.conditions, 'Applied') },
    { heading: 'RESOURCEAVAILABLE', cell: ({ binding }) => statusOf(binding.conditions, 'Available') },
    { heading: 'AGE', cell: (bound, now) => ageOf(undefined, begun(bound), now) },
    { heading: 'CLUSTER', cell: ({ binding }) => binding.targetCluster },
    { heading: 'STATE', cell: ({ binding }) => (binding.deleting ? 'Deleting' : binding.state) },
    { heading: 'SNAPSHOT', cell: ({ binding }) => binding.resourceSnapshotIndex },
    { heading: 'REASON', cell: ({ binding }) => binding.conditions?.find(({ status }) => status === 'False')?.reason },
  ],
});

/** A cluster is picked before it is given anything, and stays picked while snapshots come and go. */
const begun = ({ placement, binding }: Bound): readonly (string | undefined)[] => [
  ...timesOf(
    placement.object?.status?.placementStatuses?.find(({ clusterName }) => clusterName === binding.targetCluster)
      ?.conditions,
  ),
  ...timesOf(binding.conditions),
];

const nameOf = ({ name }: KnownPlacement, { targetCluster }: Binding): string => `${name}-${targetCluster}`;

/** KubeFleet's ClusterResourceBinding or ResourceBinding; its names of snapshots are made from placement and index. */
function bindingObject(placement: KnownPlacement, binding: Binding): object {
  const { kind, name, namespace } = placement;
  const { conditions, failedPlacements, driftedPlacements, diffedPlacements } = binding;
  return {
    apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
    kind: kind === 'ClusterResourcePlacement' ? 'ClusterResourceBinding' : 'ResourceBinding',
    metadata: {
      name: nameOf(placement, binding),
      ...(namespace ? { namespace } : {}),
      labels: { 'kubernetes-fleet.io/parent-CRP': name },
    },
    spec: {
      state: binding.deleting ? 'Unscheduled' : binding.state,
      targetCluster: binding.targetCluster,
      resourceSnapshotName: named(name, binding.resourceSnapshotIndex, '-snapshot'),
      schedulingPolicySnapshotName: named(name, binding.policySnapshotIndex, ''),
      clusterDecision: recordedDecision(binding),
      clusterResourceOverrideSnapshots: binding.clusterResourceOverrideSnapshots,
      resourceOverrideSnapshots: binding.resourceOverrideSnapshots,
      applyStrategy: binding.applyStrategy,
    },
    status: { failedPlacements, driftedPlacements, diffedPlacements, conditions: conditions ?? [] },
  };
}

const named = (placement: string, index: number | undefined, end: string): string =>
  index === undefined ? '' : `${placement}-${index}${end}`;
