import type { ClusterName, Manifest, Timestamp } from '../api/meta.ts';
import type { ClusterObservation } from '../api/observation.ts';
import { type Placement, type PlacementRef, placementKey, refOf } from '../api/placement.ts';
import type { Binding } from '../api/placement-state.ts';
import { observeBinding } from './delivery/binding-conditions.ts';
import { isCleanedUp } from './delivery/cleanup.ts';
import { listedObjects, refsIn } from './delivery/listed-objects.ts';
import { isApplied, sightingOf } from './delivery/outcomes.ts';
import { type IsOwn, ownObjects } from './delivery/own-objects.ts';
import { withHeldLabels } from './held-labels.ts';
import { parseInstant } from './kernel/instant.ts';
import { onceFor } from './kernel/once-for.ts';
import { byText } from './kernel/ordering.ts';
import { placementLabelValue } from './overrides/ownership.ts';
import type { Rendered } from './overrides/render.ts';
import { keyOfManifest, objectKey } from './selection/object-key.ts';
import { rememberedManifests } from './selection/rebuilt.ts';
import { type BindingStep, leavingSteps, type PlacementWork } from './working.ts';
import type { World } from './world.ts';

/** What is known of a placement before anything is decided. */
type Begun = Pick<PlacementWork, 'placement' | 'contents' | 'resourceSnapshots' | 'selection'>;

/** Recorded bindings as their clusters show them, by cluster name; those that are cleaned up are gone. */
export function presentBindings(begun: Begun, recorded: readonly Binding[], world: World): BindingStep[] {
  const isOwn = ownershipOf(begun, world);
  return recorded
    .filter(
      (binding) =>
        !(isGone(begun, binding, world, isOwn) && binding.deletionTimestamp !== lookedAt(binding.targetCluster, world)),
    )
    .map(
      (binding): BindingStep => ({
        binding: observed(begun, withHeldLabels(begun, binding, world), world, isOwn),
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
 * Removals decided by this plan from clusters that show nothing already, or that tell of an earlier removal. The look that shows
 * it is older than the decision, and something may be on its way there still: only the next one, planned with or made at a
 * later instant, lets the binding go. So planning again at once says the same.
 */
export function awaitLook(work: PlacementWork, world: World): PlacementWork {
  if (leavingSteps(work.bindings).length === 0) return work;
  const isOwn = ownershipOf(work, world);
  return {
    ...work,
    bindings: work.bindings.map((step) =>
      isGone(work, step.binding, world, isOwn) || isToldTooEarly(work, step.binding, world)
        ? { ...step, binding: { ...step.binding, deletionTimestamp: lookedAt(step.binding.targetCluster, world) } }
        : step,
    ),
  };
}

const isToldTooEarly = (work: PlacementWork, binding: Binding, world: World): boolean =>
  binding.deleting === true &&
  isRemovalTold(work, binding.targetCluster, world) &&
  recordedLeaving(work, binding.targetCluster, world) === undefined;

/** What the actor of a placement said last is what came of a removal: of anything else it says which snapshot. */
function isRemovalTold({ placement }: PlacementWork, cluster: ClusterName, { observationOf }: World): boolean {
  const sighting = sightingOf(observationOf(cluster), refOf(placement));
  return sighting?.done === true && sighting.resourceSnapshotIndex === undefined;
}

const recordedLeaving = ({ placement }: PlacementWork, cluster: ClusterName, { record }: World): Binding | undefined =>
  record.placements
    .get(placementKey(refOf(placement)))
    ?.state.bindings.find((binding) => binding.deleting && binding.targetCluster === cluster);

/** Whether the actor has told what came of the removal of a binding that is on its way out, in a look made since it was decided. */
export function isRemovalOver(work: PlacementWork, cluster: ClusterName, world: World): boolean {
  const leaving = recordedLeaving(work, cluster, world);
  return (
    leaving !== undefined &&
    leaving.deletionTimestamp !== lookedAt(cluster, world) &&
    isRemovalTold(work, cluster, world)
  );
}

/** The present, or when the cluster was looked at where that is later: a chain of plans may stand still and be shown new looks. */
function lookedAt(cluster: ClusterName, { input: { now }, observationOf }: World): Timestamp {
  const seen = observationOf(cluster)?.observedAt;
  return seen !== undefined && (parseInstant(seen) ?? 0) > (parseInstant(now) ?? 0) ? seen : now;
}

/** On its way out, and nothing is left on its cluster. */
function isGone({ placement }: Begun, binding: Binding, world: World, isOwn: IsOwn): boolean {
  const { targetCluster } = binding;
  return (
    binding.deleting === true &&
    isCleanedUp({
      observation: world.observationOf(targetCluster),
      isOwn: (object) => isOwn(object, binding),
      inFleet: inFleet(targetCluster, world),
      binding,
      placement: refOf(placement),
    })
  );
}

/**
 * Bindings that this plan moved, as their clusters show them now: the next plan would say the same, so this one says it
 * already. Override failures show at once.
 */
export const observeMoved = (work: PlacementWork, world: World): PlacementWork =>
  work.bindings.some(isMoved) ? { ...work, bindings: work.bindings.map(movedAsShown(work, world)) } : work;

/** A binding of a placement as its cluster shows it now, where this plan moved it. */
export function movedAsShown(work: Begun, world: World): (step: BindingStep) => BindingStep {
  const isOwn = ownershipOf(work, world);
  return (step) =>
    isMoved(step)
      ? { ...step, binding: observed(work, assigned(step.binding, work, world, isOwn), world, isOwn) }
      : step;
}

/** A binding with what its overrides fill in from the labels that its cluster has now, as the cluster shows it by that. */
export function filledAsShown(work: Begun, world: World): (binding: Binding) => Binding {
  const isOwn = ownershipOf(work, world);
  return ({ clusterLabels: _, ...filled }) => observed(work, filled, world, isOwn);
}

/**
 * An index says nothing about overrides or how to apply, and neither does a member that names no digest, or the same one: its
 * word is older than these.
 */
function assigned(binding: Binding, work: Begun, world: World, isOwn: IsOwn): Binding {
  const { record, observationOf, input } = world;
  const { targetCluster, resourceSnapshotIndex } = binding;
  const ref = refOf(work.placement);
  const before = boundOn(record.placements.get(placementKey(ref))?.state.bindings ?? []).get(targetCluster);
  const sighting = sightingOf(observationOf(targetCluster), ref, resourceSnapshotIndex);
  if (before?.resourceSnapshotIndex !== resourceSnapshotIndex || !sighting) return binding;
  const rendered = renderedFor(work, binding, world, isOwn);
  const isSame = sighting.digest === undefined || (rendered.ok && rendered.digest === sighting.digest);
  return isSame ? { ...binding, assignedAt: input.now } : binding;
}

/** Bound ones that are not on their way out, by cluster, of two the first: every binding that moves asks. */
const boundOn = onceFor(
  (recorded: readonly Binding[]) =>
    new Map(
      recorded
        .toReversed()
        .flatMap((binding) =>
          binding.state === 'Bound' && !binding.deleting ? [[binding.targetCluster, binding] as const] : [],
        ),
    ),
);

const isMoved = ({ move }: BindingStep): boolean => move === 'add' || move === 'update';

/** Members of the fleet that are not on their way out of it. */
export const inFleet = (cluster: ClusterName, world: World): boolean => world.members.get(cluster)?.leaving === false;

/** Which live objects are of a placement. */
export function ownershipOf({ placement, contents, selection }: Begun, world: World): IsOwn {
  const { keys } = listedObjects(contents);
  let selected: ReadonlySet<string> | undefined;
  return ownObjects({
    label: placementLabelValue(refOf(placement), world.input.digest),
    isListed(key) {
      selected ??= new Set(selection.ok ? refsIn(selection.manifests).map(objectKey) : []);
      return keys.has(key) || selected.has(key);
    },
    isAnothers: (key, cluster) => hasAnother(refOf(placement), { key, cluster }, world),
  });
}

/** A placement that has taken over what another lets go of says so before an observation without labels does. */
function hasAnother(
  ref: PlacementRef,
  { key, cluster }: { readonly key: string; readonly cluster: ClusterName },
  { record, observationOf }: World,
): boolean {
  return (observationOf(cluster)?.placements ?? []).some(({ placement, results }) => {
    if (placementKey(placement) === placementKey(ref)) return false;
    const recorded = record.placements.get(placementKey(placement));
    if (!recorded || !boundOn(recorded.state.bindings).has(cluster) || !listedObjects(recorded.snapshots).keys.has(key))
      return false;
    const said = results.find(({ object }) => objectKey(object) === key);
    return said === undefined || isApplied(said);
  });
}

function observed(begun: Begun, present: Binding, world: World, isOwn: IsOwn): Binding {
  const { placement } = begun;
  const { now } = world.input;
  const { assignedAt, ...rest } = present;
  const binding = assignedAt === now ? present : rest;
  const observation = world.observationOf(binding.targetCluster);
  return observeBinding({
    placement,
    binding,
    rendered: renderedFor(begun, binding, world, isOwn),
    appliedBy: binding.applyStrategy ?? recordedPlacement(refOf(placement), world)?.spec.strategy.applyStrategy,
    observation: assignedAt === now ? withoutOlder(observation, refOf(placement), now) : observation,
    now,
  });
}

/** The placement as it was planned with last. */
const recordedPlacement = (ref: PlacementRef, { record }: World): Placement | undefined =>
  record.placements.get(placementKey(ref))?.object;

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
 * Where a record holds no contents for an index (written by hand), or some that were put together from what all members
 * hold, what the member shows of the placement stands for them.
 */
function renderedFor(begun: Begun, binding: Binding, world: World, isOwn: IsOwn): Rendered {
  const { placement } = begun;
  const { targetCluster: cluster, resourceSnapshotIndex: index } = binding;
  const manifests = rememberedManifests(begun, index);
  if (manifests) return world.render({ placement: refOf(placement), manifests, lists: binding, cluster });
  const observation = world.observationOf(cluster);
  const shown = new Map<string, Manifest>();
  for (const object of observation?.objects ?? []) if (isOwn(object, binding)) shown.set(keyOfManifest(object), object);
  for (const { object } of sightingOf(observation, refOf(placement))?.results ?? []) {
    const { apiVersion, kind, namespace, name } = object;
    const key = objectKey(object);
    if (!shown.has(key)) shown.set(key, { apiVersion, kind, metadata: { name, ...(namespace ? { namespace } : {}) } });
  }
  return { ok: true, manifests: [...shown.values()].map((manifest) => ({ manifest })), duplicates: [], digest: '' };
}
