import type { Manifest, PlacementKey } from '../../api/meta.ts';
import { type Placement, type PlacementPolicy, placementKey } from '../../api/placement.ts';
import type { Binding, PlacementState } from '../../api/placement-state.ts';
import type { PlanInput, RecordedPlacement } from '../input.ts';
import { by } from '../kernel/ordering.ts';
import { digestAnnotation, placementAnnotation, placementLabel } from '../overrides/ownership.ts';
import { rebuiltHash } from '../selection/content-hash.ts';
import { isSecret } from '../selection/is-secret.ts';
import { normalise } from '../selection/normalise.ts';
import { keyOfManifest } from '../selection/object-key.ts';

/** What a cluster shows of a placement. */
export interface Sighted {
  readonly index: number | undefined;
  readonly objects: readonly Manifest[];
}

/** Who shows objects with the label of which placement. */
export function sightedPlacements(input: PlanInput): Map<PlacementKey, Map<string, Sighted>> {
  const seen = new Map<PlacementKey, Map<string, Sighted>>();
  for (const [cluster, observation] of input.observations ?? []) {
    for (const object of observation.objects) {
      const label = object.metadata.labels?.[placementLabel];
      if (label === undefined) continue;
      const key = (object.metadata.annotations?.[placementAnnotation] ?? label) as PlacementKey;
      const clusters = seen.get(key) ?? new Map<string, Sighted>();
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
 * A record made of what members show.
 * @param placement Undefined while its file cannot be read.
 * @param highest Index below which none is given to what nobody knows the index of.
 */
export function rebuilt(
  placement: Placement | undefined,
  key: PlacementKey,
  sighted: ReadonlyMap<string, Sighted>,
  highest = -1,
): RecordedPlacement {
  const contents = new Map<number, Map<string, Manifest>>();
  const bindings: Binding[] = [];
  for (const [cluster, { index, objects }] of indexed(sighted, highest)) {
    bindings.push({ targetCluster: cluster, state: 'Bound', resourceSnapshotIndex: index });
    const known = contents.get(index) ?? new Map<string, Manifest>();
    contents.set(index, known);
    for (const object of objects) {
      // What a Secret holds on a member never goes to git. It stays there as it is until a snapshot of the repo names it.
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
 * What was rebuilt of a placement, once its file can be read. Its bindings count as made by the policy of then, as far as that can
 * have made them: a scheduler that moved them would act on what it forgot. Of a list no policy can have made a binding that it
 * does not name: an older one did.
 */
export function underPolicy({ state, ...rest }: RecordedPlacement, policy: PlacementPolicy): RecordedPlacement {
  const isNamed = ({ targetCluster }: Binding): boolean =>
    policy.placementType !== 'PickFixed' || policy.clusterNames?.includes(targetCluster) === true;
  const bindings = state.bindings.map((binding) =>
    isNamed(binding) ? { ...binding, policySnapshotIndex: 0 } : binding,
  );
  return { ...rest, state: { ...state, policySnapshots: [policySnapshot(policy)], bindings } };
}

/** Entries of snapshots that were put together from what members hold; the last index is the latest. */
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
 * The clusters with an index each. Where nobody knows it any more, clusters that hold the same share one and all others have
 * their own: under one index for all, what an older cluster holds would be put on the newer ones.
 */
function indexed(
  sighted: ReadonlyMap<string, Sighted>,
  highest: number,
): [string, Sighted & { readonly index: number }][] {
  let next = Math.max(highest, ...[...sighted.values()].map(({ index }) => index ?? -1)) + 1;
  const byContent = new Map<string, number>();
  return [...sighted].map(([cluster, { index, objects }]) => {
    if (index !== undefined) return [cluster, { index, objects }];
    const held = objects.map((object) => `${keyOfManifest(object)} ${object.metadata.annotations?.[digestAnnotation]}`);
    const content = held.sort().join('\n');
    const given = byContent.get(content) ?? next++;
    byContent.set(content, given);
    return [cluster, { index: given, objects }];
  });
}
