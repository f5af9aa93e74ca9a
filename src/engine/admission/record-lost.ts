import type { Manifest, PlacementKey } from '../../api/meta.ts';
import { type Placement, placementKey, refOf } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import { isSecret } from '../delivery/secret-values.ts';
import type { FleetRecord, PlanInput, RecordedPlacement } from '../input.ts';
import { by } from '../kernel/ordering.ts';
import { digestAnnotation, placementAnnotation, placementLabel } from '../overrides/ownership.ts';
import type { Hold } from '../plan-document.ts';
import { normalise } from '../selection/normalise.ts';
import { keyOfManifest } from '../selection/object-key.ts';
import { rebuiltHash } from '../selection/rebuilt.ts';
import { leftAlone, mayBeWritten } from './never-read.ts';

export interface Recovered {
  readonly record: FleetRecord;
  readonly holds: readonly Hold[];
  readonly lost: boolean;
}

/**
 * With no record at all while members carry our label, bindings and contents are rebuilt from what the members show, so
 * that nothing is installed twice, nothing older comes back and nothing of theirs is removed (docs/design.md). Placements
 * that the repo no longer names are left alone and said aloud: their objects may belong to another fleet. One that a broken
 * file may name is rebuilt as well: by the time the file is mended the record would not be lost any more.
 */
export function recoverRecord(input: PlanInput): Recovered {
  const { record, observations } = input;
  if (record.exists || observations === undefined) return { record, holds: [], lost: false };
  const seen = sightedPlacements(input);
  if (seen.size === 0) return { record, holds: [], lost: false };
  const known = new Map(input.fleet.placements.map((placement) => [placementKey(refOf(placement)), placement]));
  const placements = new Map<PlacementKey, RecordedPlacement>();
  const holds: Hold[] = [];
  for (const [key, sighted] of [...seen].sort(by(([name]) => name))) {
    const placement = known.get(key);
    if (placement || mayBeWritten(input.fleet, key)) placements.set(key, rebuilt(placement, key, sighted));
    else holds.push(leftAlone(key, [...sighted.keys()]));
  }
  return {
    record: { ...record, exists: true, placements: new Map([...record.placements, ...placements]) },
    holds,
    lost: true,
  };
}

interface Sighted {
  readonly index: number | undefined;
  readonly objects: readonly Manifest[];
}

function sightedPlacements(input: PlanInput): Map<PlacementKey, Map<string, Sighted>> {
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

/** @param placement Undefined while its file cannot be read. */
function rebuilt(
  placement: Placement | undefined,
  key: PlacementKey,
  sighted: ReadonlyMap<string, Sighted>,
): RecordedPlacement {
  const contents = new Map<number, Map<string, Manifest>>();
  const bindings: Binding[] = [];
  for (const [cluster, { index, objects }] of indexed(sighted)) {
    bindings.push({ targetCluster: cluster, state: 'Bound', policySnapshotIndex: 0, resourceSnapshotIndex: index });
    const known = contents.get(index) ?? new Map<string, Manifest>();
    contents.set(index, known);
    for (const object of objects) {
      // What a Secret holds on a member never goes to git. It stays there as it is until a snapshot of the repo names it.
      if (isSecret(object)) continue;
      known.set(keyOfManifest(object), normalise(object));
    }
  }
  const indexes = [...contents.keys()].sort((a, b) => a - b);
  return {
    object: undefined,
    state: {
      apiVersion: 'gitfleet.dev/v1alpha1',
      kind: 'PlacementState',
      metadata: {
        name: placement?.metadata.name ?? key,
        ...(placement?.metadata.namespace ? { namespace: placement.metadata.namespace } : {}),
      },
      // Present bindings count as made by the present policy: a scheduler that moved them would act on what it forgot.
      policySnapshots: placement ? [policySnapshot(placement.spec.policy)] : [],
      resourceSnapshots: indexes.map((index) => ({
        index,
        hash: rebuiltHash,
        ...(index === indexes.at(-1) ? { latest: true } : {}),
      })),
      bindings: bindings.sort(by(({ targetCluster }) => targetCluster)),
    },
    snapshots: new Map([...contents].map(([index, objects]) => [index, [...objects.values()]])),
  };
}

const policySnapshot = (policy: Placement['spec']['policy']) => ({
  index: 0,
  latest: true,
  policy,
  ...(policy.numberOfClusters === undefined ? {} : { numberOfClusters: policy.numberOfClusters }),
});

/**
 * The clusters with an index each. Where nobody knows it any more, clusters that hold the same share one and all others have
 * their own: under one index for all, what an older cluster holds would be put on the newer ones.
 */
function indexed(sighted: ReadonlyMap<string, Sighted>): [string, Sighted & { readonly index: number }][] {
  let next = Math.max(-1, ...[...sighted.values()].map(({ index }) => index ?? -1)) + 1;
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
