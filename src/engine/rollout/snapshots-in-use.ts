import type { Manifest } from '../../api/meta.ts';
import { placementKey, refOf } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import type { UpdateRunStatus } from '../../api/staged.ts';
import { wasGiven } from '../bindings/cleanup.ts';
import { conditionIs } from '../kernel/condition.ts';
import { isCompleteObservation, placementObservationOf } from '../observed.ts';
import { placementLabel, placementLabelValue } from '../overrides/ownership.ts';
import type { PlacementWork } from '../placement-work.ts';
import { refsIn } from '../selection/listed-objects.ts';
import { keyOfManifest, objectKey } from '../selection/object-key.ts';
import { isOver, isRunOf } from '../update-run.ts';
import { inFleet, type World } from '../world.ts';

/** Indexes of snapshots that are kept beyond the history limit: clusters run them, or may hold objects of them. */
export function snapshotsInUse(work: PlacementWork, world: World): ReadonlySet<number> {
  const ref = refOf(work.placement);
  const indexes = new Set<number>();
  for (const { binding } of work.bindings)
    if (binding.resourceSnapshotIndex !== undefined) indexes.add(binding.resourceSnapshotIndex);
  for (const index of usedByRuns(work, world)) indexes.add(index);
  for (const observation of world.input.observations?.values() ?? []) {
    const seen = placementObservationOf(observation, ref)?.resourceSnapshotIndex;
    if (seen !== undefined) indexes.add(seen);
  }
  for (const index of neededForRemoval(work, world)) indexes.add(index);
  return indexes;
}

/**
 * Indexes that runs use, or will use once they start. Only existing ones count: a new snapshot never takes an index in use. A run
 * that is over uses none: the bindings of its clusters do.
 */
function usedByRuns({ placement, resourceSnapshots }: PlacementWork, world: World): number[] {
  const ref = refOf(placement);
  const known = new Set(resourceSnapshots.map(({ index }) => index));
  return world.admitted.runs.flatMap((run) => {
    if (!isRunOf(run, ref)) return [];
    const { status = {} } = world.record.runs.get(placementKey(run.metadata)) ?? {};
    if (isOver(status)) return [];
    if (status.resourceSnapshotIndexUsed) return [Number(status.resourceSnapshotIndexUsed), ...returnedTo(status)];
    const wanted = Number(run.spec.resourceSnapshotIndex || Number.NaN);
    return known.has(wanted) ? [wanted] : [];
  });
}

/** Indexes that clusters of a run had before it, to which a rollback returns them. */
const returnedTo = ({ stagesStatus = [] }: UpdateRunStatus): number[] =>
  stagesStatus.flatMap(({ clusters }) => clusters.flatMap(({ previous }) => previous?.resourceSnapshotIndex ?? []));

/**
 * Only objects that a recorded snapshot lists may be removed from a member. So the latest snapshot that lists an object is kept
 * as long as a member may hold the object. A member not observed since its last update may hold any object.
 */
function neededForRemoval(work: PlacementWork, world: World): number[] {
  const received = work.bindings.map(({ binding }) => binding).filter((it) => isHolder(it, world));
  const isUnsure = received.some((binding) => !isSettled(binding, work, world));
  const label = placementLabelValue(refOf(work.placement), world.input.digest);
  const observed = new Set(
    received.flatMap(({ targetCluster }) =>
      (world.observationOf(targetCluster)?.objects ?? []).filter(mayBeOf(label)).map((it) => keyOfManifest(it)),
    ),
  );
  const keysOf = (manifests: readonly Manifest[]) => refsIn(manifests).map(objectKey);
  const listed = new Set(work.selection.ok ? keysOf(work.selection.manifests) : []);
  const needed: number[] = [];
  for (const [index, manifests] of [...work.contents].sort(([a], [b]) => b - a)) {
    const keys = keysOf(manifests);
    if (keys.some((key) => !listed.has(key) && (isUnsure || observed.has(key)))) needed.push(index);
    for (const key of keys) listed.add(key);
  }
  return needed;
}

const isHolder = (binding: Binding, world: World): boolean =>
  wasGiven(binding) && inFleet(binding.targetCluster, world);

/** The member was observed, and its actor has finished the last update. */
function isSettled(binding: Binding, { placement }: PlacementWork, world: World): boolean {
  if (world.input.observations === undefined) return conditionIs(binding.conditions, 'Applied', 'True');
  const observation = world.observationOf(binding.targetCluster);
  if (!isCompleteObservation(observation) || binding.deleting) return false;
  return placementObservationOf(observation, refOf(placement), binding.resourceSnapshotIndex)?.done === true;
}

const mayBeOf = (label: string) => (object: Manifest) => {
  const present = object.metadata.labels?.[placementLabel];
  return present === undefined || present === label;
};
