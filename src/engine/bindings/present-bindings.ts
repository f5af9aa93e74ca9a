import type { Manifest, Timestamp } from '../../api/meta.ts';
import type { ClusterObservation, PlacementObservation } from '../../api/observation.ts';
import { type Placement, type PlacementRef, placementKey, refOf } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import { parseInstant } from '../kernel/instant.ts';
import { byText } from '../kernel/ordering.ts';
import { isWholeLook, sightingOf } from '../observed.ts';
import type { Rendered } from '../overrides/render.ts';
import { boundByCluster } from '../placement/bindings.ts';
import type { BindingStep, LoadedPlacement, PlacementWork } from '../placement-work.ts';
import { isLostSnapshot, lostSnapshotMessage } from '../recovery/lost-snapshot.ts';
import { isRebuilt, rememberedManifests } from '../recovery/rebuilt-snapshot.ts';
import { keyOfManifest, objectKey } from '../selection/object-key.ts';
import type { World } from '../world.ts';
import { observeBinding } from './conditions/observe-binding.ts';
import { withHeldLabels } from './held-labels.ts';
import { isSeenGone } from './observed-removal.ts';
import type { IsOwn } from './own-objects.ts';
import { ownershipOf } from './ownership.ts';

/** Recorded bindings as their clusters show them, by cluster name; those that are cleaned up are gone. */
export function presentBindings(loaded: LoadedPlacement, recorded: readonly Binding[], world: World): BindingStep[] {
  const isOwn = ownershipOf(loaded, world);
  return recorded
    .filter((binding) => !isSeenGone(loaded, binding, world, isOwn))
    .map(
      (binding): BindingStep => ({
        binding: observed(loaded, withHeldLabels(loaded, binding, world), world, isOwn),
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
 * Bindings that this plan moved, as their clusters show them now: the next plan would observe the same, so this one
 * does already. Override failures show at once.
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

/** A binding with what its overrides fill in from the labels that its cluster has now, as the cluster shows it by that. */
export function filledAsObserved(work: LoadedPlacement, world: World): (binding: Binding) => Binding {
  const isOwn = ownershipOf(work, world);
  return ({ clusterLabels: _, ...filled }) => observed(work, filled, world, isOwn);
}

/**
 * An index says nothing about overrides or how to apply, and neither does a member that names no digest, or the same one: its
 * word is older than these.
 */
function assigned(binding: Binding, work: LoadedPlacement, world: World, isOwn: IsOwn): Binding {
  const { record, observationOf, input } = world;
  const { targetCluster, resourceSnapshotIndex } = binding;
  const ref = refOf(work.placement);
  const before = boundByCluster(record.placements.get(placementKey(ref))?.state.bindings ?? []).get(targetCluster);
  const sighting = sightingOf(observationOf(targetCluster), ref, resourceSnapshotIndex);
  if (before?.resourceSnapshotIndex !== resourceSnapshotIndex || !sighting) return binding;
  const rendered = renderedFor(work, binding, world, isOwn);
  const isSame = sighting.digest === undefined || (rendered.ok && rendered.digest === sighting.digest);
  return isSame ? { ...binding, assignedAt: input.now } : binding;
}

const isMoved = ({ move }: BindingStep): boolean => move === 'add' || move === 'update';

function observed(loaded: LoadedPlacement, present: Binding, world: World, isOwn: IsOwn): Binding {
  const { placement } = loaded;
  const { now } = world.input;
  const { assignedAt, ...rest } = present;
  const binding = assignedAt === now ? present : rest;
  const observation = world.observationOf(binding.targetCluster);
  const heard = assignedAt === now ? withoutOlder(observation, refOf(placement), now) : observation;
  return observeBinding({
    placement,
    binding,
    rendered: renderedFor(loaded, binding, world, isOwn),
    appliedBy: binding.applyStrategy ?? recordedPlacement(refOf(placement), world)?.spec.strategy.applyStrategy,
    observation: isLostSnapshot(loaded, binding.resourceSnapshotIndex)
      ? asSaid(heard, refOf(placement), binding.resourceSnapshotIndex)
      : heard,
    now,
  });
}

/** The placement as it was planned with last. */
const recordedPlacement = (ref: PlacementRef, { record }: World): Placement | undefined =>
  record.placements.get(placementKey(ref))?.object;

/** No actor gets a snapshot with unknown contents, so none ever reports on it: what a cluster shows takes the place of a report. */
function asSaid(
  observation: ClusterObservation | undefined,
  placement: PlacementRef,
  resourceSnapshotIndex: number,
): ClusterObservation | undefined {
  const isSilent = sightingOf(observation, placement, resourceSnapshotIndex) === undefined;
  if (!isWholeLook(observation) || !isSilent) return observation;
  const others = observation.placements.filter(
    (sighting) => placementKey(sighting.placement) !== placementKey(placement),
  );
  return { ...observation, placements: [...others, { placement, resourceSnapshotIndex, done: true, results: [] }] };
}

/** Without what the actor said of the placement before `now`. */
function withoutOlder(
  observation: ClusterObservation | undefined,
  ref: PlacementRef,
  now: Timestamp,
): ClusterObservation | undefined {
  const older = sightingOf(observation, ref);
  if (!observation || (parseInstant(older?.at ?? '') ?? 0) >= (parseInstant(now) ?? 0)) return observation;
  return { ...observation, placements: observation.placements.filter((sighting) => sighting !== older) };
}

/**
 * Where a record holds no contents for an index (written by hand, or lost), or some that were put together from what all members
 * hold, what the member shows of the placement stands for them.
 */
function renderedFor(loaded: LoadedPlacement, binding: Binding, world: World, isOwn: IsOwn): Rendered {
  const { placement } = loaded;
  const { targetCluster: cluster, resourceSnapshotIndex: index } = binding;
  const manifests = rememberedManifests(loaded, index);
  if (manifests) return world.render({ placement: refOf(placement), manifests, lists: binding, cluster });
  const observation = world.observationOf(cluster);
  const shown = new Map<string, Manifest>();
  for (const object of observation?.objects ?? []) if (isOwn(object, binding)) shown.set(keyOfManifest(object), object);
  for (const { object } of sightingOf(observation, refOf(placement))?.results ?? []) {
    const { apiVersion, kind, namespace, name } = object;
    const key = objectKey(object);
    if (!shown.has(key)) shown.set(key, { apiVersion, kind, metadata: { name, ...(namespace ? { namespace } : {}) } });
  }
  // As in KubeFleet, whose works cannot be made of a snapshot that is gone (workgenerator/controller.go): the next version may come.
  const isSeen = isWholeLook(observation) && shown.size === 0;
  if (isSeen && isGone(loaded, index, sightingOf(observation, refOf(placement), index)))
    return { ok: false, reason: 'SyncWorkFailed', message: lostSnapshotMessage(index) };
  return { ok: true, manifests: [...shown.values()].map((manifest) => ({ manifest })), duplicates: [], digest: '' };
}

/**
 * The contents are lost, not left out of a record that was written by hand. An actor gets rebuilt contents: until it has
 * observed them, the kinds in them are not observed.
 */
const isGone = (
  loaded: LoadedPlacement,
  index: number | undefined,
  sighting: PlacementObservation | undefined,
): index is number =>
  index !== undefined &&
  (isLostSnapshot(loaded, index) || (sighting?.done === true && isRebuilt(loaded.resourceSnapshots, index)));
