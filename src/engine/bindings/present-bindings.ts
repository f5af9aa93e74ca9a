import type { Manifest, Timestamp } from '../../api/meta.ts';
import type { ClusterObservation, PlacementObservation } from '../../api/observation.ts';
import { type Placement, type PlacementRef, placementKey, refOf } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import { parseInstant } from '../kernel/instant.ts';
import { byText } from '../kernel/ordering.ts';
import { sameValue } from '../kernel/same-value.ts';
import { isCompleteObservation, placementObservationOf } from '../observed.ts';
import type { Rendered } from '../overrides/render.ts';
import { boundByCluster } from '../placement/bindings.ts';
import type { BindingStep, LoadedPlacement, PlacementWork } from '../placement-work.ts';
import { isLostSnapshot, lostSnapshotMessage } from '../recovery/lost-snapshot.ts';
import { isRebuilt, knownManifests } from '../recovery/rebuilt-snapshot.ts';
import { keyOfManifest, objectKey } from '../selection/object-key.ts';
import type { World } from '../world.ts';
import { observeBinding } from './conditions/observe-binding.ts';
import { isRemovalObserved } from './observed-removal.ts';
import type { IsOwn } from './own-objects.ts';
import { ownershipOf } from './ownership.ts';
import { withPreviousLabels } from './previous-labels.ts';

/** Recorded bindings as their clusters show them, by cluster name, without those that are cleaned up. */
export function presentBindings(loaded: LoadedPlacement, recorded: readonly Binding[], world: World): BindingStep[] {
  const isOwn = ownershipOf(loaded, world);
  return recorded
    .filter((binding) => !isRemovalObserved(loaded, binding, world, isOwn))
    .map(
      (binding): BindingStep => ({
        binding: observed(loaded, withPreviousLabels(loaded, binding, world), world, isOwn),
        move: binding.deleting ? 'remove' : 'keep',
      }),
    )
    .sort(
      (a, b) =>
        byText(a.binding.targetCluster, b.binding.targetCluster) ||
        Number(b.binding.deleting ?? false) - Number(a.binding.deleting ?? false),
    );
}

/**
 * Observes the bindings that this plan moved. The next plan would observe the same, and override failures show at once.
 */
export const observeMoved = (work: PlacementWork, world: World): PlacementWork =>
  work.bindings.some(isMoved) ? { ...work, bindings: work.bindings.map(movedAsObserved(work, world)) } : work;

/** A binding of a placement as its cluster shows it now, where this plan moved it. */
export function movedAsObserved(work: LoadedPlacement, world: World): (step: BindingStep) => BindingStep {
  const isOwn = ownershipOf(work, world);
  return (step) => {
    if (!isMoved(step) || step.observed === step.binding) return step;
    const binding = observed(work, assigned(step.binding, work, world, isOwn), world, isOwn);
    return { ...step, binding, observed: binding };
  };
}

/** A binding rendered with the present labels of its cluster, with the conditions that the cluster shows for it. */
export function filledAsObserved(work: LoadedPlacement, world: World): (binding: Binding) => Binding {
  const isOwn = ownershipOf(work, world);
  return ({ clusterLabels: _, ...filled }) => observed(work, filled, world, isOwn);
}

/**
 * Marks a binding whose overrides or apply strategy changed under the same index. A report of its actor for that index, without
 * a digest or with the same one, is older than the change.
 */
function assigned(binding: Binding, work: LoadedPlacement, world: World, isOwn: IsOwn): Binding {
  const { record, observationOf, input } = world;
  const { targetCluster, resourceSnapshotIndex } = binding;
  const ref = refOf(work.placement);
  const before = boundByCluster(record.placements.get(placementKey(ref))?.state.bindings ?? []).get(targetCluster);
  const shown = placementObservationOf(observationOf(targetCluster), ref, resourceSnapshotIndex);
  if (before?.resourceSnapshotIndex !== resourceSnapshotIndex || !shown) return binding;
  const rendered = renderedFor(work, binding, world, isOwn);
  const isSame = shown.digest === undefined || (rendered.ok && rendered.digest === shown.digest);
  return isSame ? { ...binding, assignedAt: input.now } : binding;
}

const isMoved = ({ move }: BindingStep): boolean => move === 'add' || move === 'update';

function observed(loaded: LoadedPlacement, present: Binding, world: World, isOwn: IsOwn): Binding {
  const { placement } = loaded;
  const { now } = world.input;
  const { assignedAt, ...rest } = present;
  const binding = assignedAt === undefined || assignedAt === now ? present : rest;
  const observation = world.observationOf(binding.targetCluster);
  const current = assignedAt === now ? withoutOlderReport(observation, refOf(placement), now) : observation;
  const shown = observeBinding({
    placement,
    binding,
    rendered: renderedFor(loaded, binding, world, isOwn),
    appliedBy: binding.applyStrategy ?? recordedPlacement(refOf(placement), world)?.spec.strategy.applyStrategy,
    observation: isGivenToNone(loaded, binding.resourceSnapshotIndex)
      ? withInferredReport(current, refOf(placement), binding.resourceSnapshotIndex)
      : current,
    now,
  });
  return sameValue(present, shown) ? present : shown;
}

/** The placement as last planned. */
const recordedPlacement = (ref: PlacementRef, { record }: World): Placement | undefined =>
  record.placements.get(placementKey(ref))?.object;

/** No actor gets a snapshot with unknown contents, so none reports on it. The objects that the cluster shows stand for a report. */
function withInferredReport(
  observation: ClusterObservation | undefined,
  placement: PlacementRef,
  resourceSnapshotIndex: number,
): ClusterObservation | undefined {
  const isSilent = placementObservationOf(observation, placement, resourceSnapshotIndex) === undefined;
  if (!isCompleteObservation(observation) || !isSilent) return observation;
  const others = observation.placements.filter((other) => placementKey(other.placement) !== placementKey(placement));
  return { ...observation, placements: [...others, { placement, resourceSnapshotIndex, done: true, results: [] }] };
}

/** Without a report of the actor from before `now`. */
function withoutOlderReport(
  observation: ClusterObservation | undefined,
  ref: PlacementRef,
  now: Timestamp,
): ClusterObservation | undefined {
  const older = placementObservationOf(observation, ref);
  if (!observation || (parseInstant(older?.at ?? '') ?? 0) >= (parseInstant(now) ?? 0)) return observation;
  return { ...observation, placements: observation.placements.filter((other) => other !== older) };
}

/**
 * The binding's manifests on its cluster. Where the contents of its snapshot are unknown (written by hand, or lost) or were
 * rebuilt from the members, the objects that the member shows stand for them.
 */
function renderedFor(loaded: LoadedPlacement, binding: Binding, world: World, isOwn: IsOwn): Rendered {
  const { placement } = loaded;
  const { targetCluster: cluster, resourceSnapshotIndex: index } = binding;
  const manifests = knownManifests(loaded, index);
  if (manifests) return world.render({ placement: refOf(placement), manifests, lists: binding, cluster });
  const observation = world.observationOf(cluster);
  const shown = new Map<string, Manifest>();
  for (const object of observation?.objects ?? []) if (isOwn(object, binding)) shown.set(keyOfManifest(object), object);
  for (const { object } of placementObservationOf(observation, refOf(placement))?.results ?? []) {
    const { apiVersion, kind, namespace, name } = object;
    const key = objectKey(object);
    if (!shown.has(key)) shown.set(key, { apiVersion, kind, metadata: { name, ...(namespace ? { namespace } : {}) } });
  }
  // As in KubeFleet, whose works cannot be made from a snapshot that is gone (workgenerator/controller.go). The next version may roll out.
  const isSeen = isCompleteObservation(observation) && shown.size === 0;
  if (isSeen && isGone(loaded, index, placementObservationOf(observation, refOf(placement), index)))
    return { ok: false, reason: 'SyncWorkFailed', message: lostSnapshotMessage(index) };
  return { ok: true, manifests: [...shown.values()].map((manifest) => ({ manifest })), duplicates: [], digest: '' };
}

/**
 * The contents are lost, not left out of a record that was written by hand. Kinds of rebuilt contents are observed only after
 * the actor has been given them.
 */
const isGone = (
  loaded: LoadedPlacement,
  index: number | undefined,
  shown: PlacementObservation | undefined,
): index is number =>
  index !== undefined &&
  (isGivenToNone(loaded, index) || (shown?.done === true && isRebuilt(loaded.resourceSnapshots, index)));

/** No actor is given the snapshot: its contents are lost, or nothing was found to rebuild them from. */
const isGivenToNone = (loaded: LoadedPlacement, index: number | undefined): index is number =>
  isLostSnapshot(loaded, index) ||
  (index !== undefined && isRebuilt(loaded.resourceSnapshots, index) && loaded.contents.get(index)?.length === 0);
