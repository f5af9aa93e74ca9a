import type { ClusterName, Manifest, PlacementKey } from '../../api/meta.ts';
import { type Placement, type PlacementPolicy, placementKey } from '../../api/placement.ts';
import type { Binding, PlacementState } from '../../api/placement-state.ts';
import type { PlanInput, RecordedPlacement } from '../input.ts';
import { by } from '../kernel/ordering.ts';
import { digestAnnotation, placementAnnotation, placementLabel } from '../overrides/ownership.ts';
import { rebuiltHash } from '../selection/content-hash.ts';
import { isSecret } from '../selection/is-secret.ts';
import { normalise } from '../selection/normalise.ts';
import { keyOfManifest } from '../selection/object-key.ts';

/** Objects of a placement that a cluster shows, and the snapshot index that its actor reports. */
export interface PlacementOnCluster {
  readonly index: number | undefined;
  readonly objects: readonly Manifest[];
}

/** The placement of an object on a member, by its label. */
export function placementShownBy({ metadata: { labels, annotations } }: Manifest): PlacementKey | undefined {
  const label = labels?.[placementLabel];
  return label === undefined ? undefined : ((annotations?.[placementAnnotation] ?? label) as PlacementKey);
}

/** Clusters that show objects with a placement's label, by placement. */
export function observedPlacements(input: PlanInput): Map<PlacementKey, Map<ClusterName, PlacementOnCluster>> {
  const seen = new Map<PlacementKey, Map<ClusterName, PlacementOnCluster>>();
  for (const [cluster, observation] of input.observations ?? []) {
    for (const object of observation.objects) {
      const key = placementShownBy(object);
      if (key === undefined) continue;
      const clusters = seen.get(key) ?? new Map<ClusterName, PlacementOnCluster>();
      seen.set(key, clusters);
      const index = observation.placements.find(
        ({ placement }) => placementKey(placement) === key,
      )?.resourceSnapshotIndex;
      clusters.set(cluster, { index, objects: [...(clusters.get(cluster)?.objects ?? []), object] });
    }
  }
  return seen;
}

/**
 * The record of a placement, rebuilt from the objects that members show.
 * @param placement Undefined while its file cannot be read.
 * @param highest Highest index known to have been in use, -1 = none; unknown indexes get higher ones.
 */
export function rebuilt(
  placement: Placement | undefined,
  key: PlacementKey,
  onClusters: ReadonlyMap<ClusterName, PlacementOnCluster>,
  highest: number,
): RecordedPlacement {
  const contents = new Map<number, Map<string, Manifest>>();
  const bindings: Binding[] = [];
  for (const [cluster, { index, objects }] of indexed(onClusters, highest)) {
    bindings.push({ targetCluster: cluster, state: 'Bound', resourceSnapshotIndex: index });
    const known = contents.get(index) ?? new Map<string, Manifest>();
    contents.set(index, known);
    for (const object of objects) {
      // The contents of a Secret on a member are never committed. It stays unchanged until a snapshot from the repo lists it.
      if (isSecret(object)) continue;
      known.set(keyOfManifest(object), normalise(object));
    }
  }
  const indexes = [...contents.keys()].sort((a, b) => a - b);
  const recorded: RecordedPlacement = {
    object: undefined,
    state: {
      apiVersion: 'gitfleet.dev/v1alpha1',
      kind: 'PlacementState',
      metadata: {
        name: placement?.metadata.name ?? key,
        ...(placement?.metadata.namespace ? { namespace: placement.metadata.namespace } : {}),
      },
      policySnapshots: [],
      resourceSnapshots: rebuiltEntries(indexes),
      bindings: bindings.sort(by(({ targetCluster }) => targetCluster)),
    },
    snapshots: new Map([...contents].map(([index, objects]) => [index, [...objects.values()]])),
  };
  return placement ? underPolicy(recorded, placement.spec.policy) : recorded;
}

/**
 * A rebuilt placement with the policy of its file. Its bindings count as made by that policy, so that the scheduler does not
 * move them because the record was lost. A PickFixed policy cannot have made a binding that it does not name: an older one did.
 */
export function underPolicy({ state, ...rest }: RecordedPlacement, policy: PlacementPolicy): RecordedPlacement {
  const isNamed = ({ targetCluster }: Binding): boolean =>
    policy.placementType !== 'PickFixed' || policy.clusterNames?.includes(targetCluster) === true;
  const bindings = state.bindings.map((binding) =>
    isNamed(binding) ? { ...binding, policySnapshotIndex: 0 } : binding,
  );
  return { ...rest, state: { ...state, policySnapshots: [policySnapshot(policy)], bindings } };
}

/** Entries of rebuilt snapshots; the last index is the latest. */
export const rebuiltEntries = (indexes: readonly number[]): PlacementState['resourceSnapshots'] =>
  indexes.map((index) => ({
    index,
    hash: rebuiltHash,
    ...(index === indexes.at(-1) ? { latest: true } : {}),
  }));

const policySnapshot = (policy: PlacementPolicy) => ({
  index: 0,
  latest: true,
  policy,
  ...(policy.numberOfClusters === undefined ? {} : { numberOfClusters: policy.numberOfClusters }),
});

/**
 * The clusters with an index each. Where the index is unknown, clusters that hold the same share one. With a single index for
 * all, the objects of an older cluster would be put on the newer ones.
 */
function indexed(
  onClusters: ReadonlyMap<ClusterName, PlacementOnCluster>,
  highest: number,
): [ClusterName, PlacementOnCluster & { readonly index: number }][] {
  let next = Math.max(highest, ...[...onClusters.values()].map(({ index }) => index ?? -1)) + 1;
  const byContent = new Map<string, number>();
  return [...onClusters].map(([cluster, { index, objects }]) => {
    if (index !== undefined) return [cluster, { index, objects }];
    const held = objects.map((object) => `${keyOfManifest(object)} ${object.metadata.annotations?.[digestAnnotation]}`);
    const content = held.sort().join('\n');
    const given = byContent.get(content) ?? next++;
    byContent.set(content, given);
    return [cluster, { index: given, objects }];
  });
}
