import type { Binding } from '../../../api/placement-state.ts';
import { applyStrategyOf } from '../../../engine/bindings/apply-strategy.ts';
import { recordedDecision } from '../../../engine/placement/selected.ts';
import { snapshotText } from '../../../report/applied-snapshot.ts';
import { whyLate } from '../../../report/waits/why-late.ts';
import { type Bound, type KnownPlacement, knownPlacements } from '../../status/known-placements.ts';
import { namesOfKind } from '../kind-words.ts';
import { ageOf, deliveryConditions, type Listing, listing, statusOf, timesOf } from '../listing.ts';
import { bindingPage } from './page.ts';

interface Shown extends Bound {
  readonly isUnreachable: boolean;
}

/** KubeFleet's columns (binding_types.go), availability always; then cluster, state, snapshot and the reason of a failure. */
export const bindings: Listing = listing<Shown>({
  names: namesOfKind('bindings'),
  clusterNames: ['clusterresourcebindings', 'clusterresourcebinding', 'crb'],
  namespacedNames: ['resourcebindings', 'resourcebinding', 'rb'],
  folders: ['placements'],
  isPlaced: true,
  conditionTypes: deliveryConditions,
  items: ({ record, unreachable }) =>
    knownPlacements(record).flatMap((placement) =>
      placement.state.bindings.map((binding) => ({
        placement,
        binding,
        isUnreachable: unreachable.has(binding.targetCluster),
      })),
    ),
  describe: ({ placement, binding }) => ({
    name: nameOf(placement, binding),
    namespace: placement.namespace,
    placement: placement.title,
    value: bindingObject(placement, binding),
  }),
  page: (bound, status) =>
    bindingPage({ name: nameOf(bound.placement, bound.binding), kind: kindOf(bound.placement) }, bound, status),
  waits({ placement: { title }, binding: { targetCluster } }, status) {
    const placement = knownPlacements(status.record).find((known) => known.title === title);
    const binding = placement?.state.bindings.find((candidate) => candidate.targetCluster === targetCluster);
    const why = placement && binding && whyLate({ placement, binding }, status);
    return why === undefined ? [] : [why];
  },
  // The strategy of the placement, and that in effect on the cluster.
  placedBy: ({ placement: { object }, binding }) =>
    object && {
      placement: object,
      applyStrategies: [object.spec.strategy.applyStrategy, applyStrategyOf(object, binding)],
    },
  columns: [
    { heading: 'WORKSYNCHRONIZED', cell: ({ binding }) => statusOf(binding.conditions, 'WorkSynchronized') },
    { heading: 'RESOURCESAPPLIED', cell: ({ binding }) => statusOf(binding.conditions, 'Applied') },
    { heading: 'RESOURCEAVAILABLE', cell: ({ binding }) => statusOf(binding.conditions, 'Available') },
    { heading: 'AGE', cell: (bound, now) => ageOf(undefined, startTimes(bound), now) },
    { heading: 'CLUSTER', cell: ({ binding }) => binding.targetCluster },
    { heading: 'STATE', cell: ({ binding }) => (binding.deleting ? 'Deleting' : binding.state) },
    { heading: 'SNAPSHOT', cell: ({ binding, isUnreachable }) => snapshotText(binding, isUnreachable) },
    { heading: 'REASON', cell: ({ binding }) => binding.conditions?.find(({ status }) => status === 'False')?.reason },
  ],
});

/** Times of the scheduling and of the delivery: a cluster stays picked while its snapshots change. */
const startTimes = ({ placement, binding }: Bound): readonly (string | undefined)[] => [
  ...timesOf(
    placement.object?.status?.placementStatuses?.find(({ clusterName }) => clusterName === binding.targetCluster)
      ?.conditions,
  ),
  ...timesOf(binding.conditions),
];

const nameOf = ({ name }: KnownPlacement, { targetCluster }: Binding): string => `${name}-${targetCluster}`;

const kindOf = ({ kind }: KnownPlacement): string =>
  kind === 'ClusterResourcePlacement' ? 'ClusterResourceBinding' : 'ResourceBinding';

/** KubeFleet's ClusterResourceBinding or ResourceBinding; its names of snapshots are made from placement and index. */
function bindingObject(placement: KnownPlacement, binding: Binding): object {
  const { name, namespace } = placement;
  const { conditions, failedPlacements, driftedPlacements, diffedPlacements } = binding;
  return {
    apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
    kind: kindOf(placement),
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
