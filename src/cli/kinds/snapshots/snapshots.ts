import type { Manifest } from '../../../api/meta.ts';
import type { PolicySnapshotEntry, ResourceSnapshotEntry } from '../../../api/placement-state.ts';
import { type KnownPlacement, knownPlacements } from '../../status/known-placements.ts';
import { namesOfKind } from '../kind-words.ts';
import { ageOf, type Listing, listing, timesOf } from '../listing.ts';
import { type OfPlacement, policySnapshotPage, snapshotPage } from './page.ts';

/** KubeFleet's columns GEN (always 1: a snapshot never changes) and AGE, then those that differ between snapshots. */
export const resourceSnapshots: Listing = listing<OfPlacement<ResourceSnapshotEntry>>({
  names: [...namesOfKind('resourceSnapshots'), 'resourcesnapshot'],
  clusterNames: ['clusterresourcesnapshots', 'clusterresourcesnapshot', 'crs'],
  namespacedNames: ['resourcesnapshots', 'rs'],
  folders: ['placements'],
  ordered: true,
  items: ({ record }) =>
    knownPlacements(record).flatMap((placement) =>
      placement.state.resourceSnapshots.map((entry) => ({ placement, entry })),
    ),
  describe: ({ placement, entry }) => ({
    ...identity(placement, entry.index, '-snapshot'),
    value: resourceSnapshotObject(placement, entry),
  }),
  page: (of) => snapshotPage({ ...identity(of.placement, of.entry.index, '-snapshot'), kind: resourceKind(of) }, of),
  columns: [
    { heading: 'GEN', cell: () => 1 },
    { heading: 'AGE', cell: ({ entry }, now) => ageOf(undefined, [entry.createdAt], now) },
    { heading: 'INDEX', cell: ({ entry }) => entry.index },
    { heading: 'LATEST', cell: ({ entry }) => String(entry.latest ?? false) },
    { heading: 'OBJECTS', cell: ({ placement, entry }) => placement.snapshots.get(entry.index)?.length },
    {
      heading: 'CLUSTERS',
      cell: ({ placement: { state }, entry }) =>
        state.bindings.filter(({ resourceSnapshotIndex }) => resourceSnapshotIndex === entry.index).length,
    },
    { heading: 'COMMIT', cell: ({ entry }) => entry.commit?.slice(0, 12) },
  ],
});

export const policySnapshots: Listing = listing<OfPlacement<PolicySnapshotEntry>>({
  names: namesOfKind('policySnapshots'),
  clusterNames: ['clusterschedulingpolicysnapshots', 'clusterschedulingpolicysnapshot', 'csps'],
  namespacedNames: ['schedulingpolicysnapshots', 'schedulingpolicysnapshot', 'sps'],
  folders: ['placements'],
  conditionTypes: ['Scheduled'],
  ordered: true,
  items: ({ record }) =>
    knownPlacements(record).flatMap((placement) =>
      placement.state.policySnapshots.map((entry) => ({ placement, entry })),
    ),
  describe: ({ placement, entry }) => ({
    ...identity(placement, entry.index, ''),
    value: policySnapshotObject(placement, entry),
  }),
  page: (of) => policySnapshotPage({ ...identity(of.placement, of.entry.index, ''), kind: policyKind(of) }, of),
  columns: [
    { heading: 'GEN', cell: () => 1 },
    { heading: 'AGE', cell: ({ entry }, now) => ageOf(undefined, timesOf(entry.conditions), now) },
    { heading: 'INDEX', cell: ({ entry }) => entry.index },
    { heading: 'LATEST', cell: ({ entry }) => String(entry.latest ?? false) },
    { heading: 'TYPE', cell: ({ entry }) => entry.policy.placementType },
    { heading: 'SELECTED', cell: ({ entry }) => entry.targetClusters?.filter(({ selected }) => selected).length },
  ],
});

const identity = ({ name, namespace, title }: KnownPlacement, index: number, end: string) => ({
  name: `${name}-${index}${end}`,
  namespace,
  placement: title,
});

type Placed = Pick<OfPlacement<unknown>, 'placement'>;

const resourceKind = ({ placement: { kind } }: Placed): string =>
  kind === 'ClusterResourcePlacement' ? 'ClusterResourceSnapshot' : 'ResourceSnapshot';

const policyKind = ({ placement: { kind } }: Placed): string =>
  kind === 'ClusterResourcePlacement' ? 'ClusterSchedulingPolicySnapshot' : 'SchedulingPolicySnapshot';

const metadataOf = (placement: KnownPlacement, index: number, end: string, latest: boolean | undefined) => ({
  name: `${placement.name}-${index}${end}`,
  ...(placement.namespace ? { namespace: placement.namespace } : {}),
  labels: {
    'kubernetes-fleet.io/parent-CRP': placement.name,
    'kubernetes-fleet.io/is-latest-snapshot': String(latest ?? false),
  },
});

function resourceSnapshotObject(placement: KnownPlacement, entry: ResourceSnapshotEntry): object {
  const { index, latest, createdAt, hash, commit } = entry;
  const manifests: readonly Manifest[] = placement.snapshots.get(index) ?? [];
  return {
    apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
    kind: resourceKind({ placement }),
    metadata: {
      ...metadataOf(placement, index, '-snapshot', latest),
      creationTimestamp: createdAt,
      annotations: { 'kubernetes-fleet.io/resource-hash': hash, 'gitfleet.dev/commit': commit },
    },
    spec: { selectedResources: manifests },
  };
}

function policySnapshotObject(placement: KnownPlacement, entry: PolicySnapshotEntry): object {
  const { index, latest, policy, policyHash, numberOfClusters, observedGeneration, conditions, targetClusters } = entry;
  return {
    apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
    kind: policyKind({ placement }),
    metadata: {
      ...metadataOf(placement, index, '', latest),
      ...(numberOfClusters === undefined
        ? {}
        : { annotations: { 'kubernetes-fleet.io/number-of-clusters': String(numberOfClusters) } }),
    },
    spec: { policy, policyHash },
    status: { observedCRPGeneration: observedGeneration, conditions: conditions ?? [], targetClusters },
  };
}
