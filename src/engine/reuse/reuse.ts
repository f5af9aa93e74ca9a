import type { PlacementKey } from '../../api/meta.ts';
import { type Placement, placementKey, refOf } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import { listedObjects } from '../delivery/listed-objects.ts';
import type { RecordedPlacement } from '../input.ts';
import { onceFor } from '../kernel/once-for.ts';
import { sameMaps, sameValue } from '../kernel/same-value.ts';
import { placementLabelValue } from '../overrides/ownership.ts';
import { classify, liveBindings } from '../placement/bindings.ts';
import { facetsOf } from '../placement/compiled/compile-policy.ts';
import type { Member } from '../placement/members.ts';
import { eligibilityWakes } from '../placement/schedule.ts';
import type { Outcome } from '../placement-outcome.ts';
import { selectResources } from '../selection/select.ts';
import { latestOf } from '../selection/snapshot.ts';
import type { PlacementWork } from '../working.ts';
import type { World } from '../world.ts';
import { isRestful } from './restful.ts';
import { sightingKey, type Touched, touchedSince } from './touched.ts';

/** What a plan leaves for the next one: outcomes that stand as long as nothing they came from changes. */
export interface Reusable {
  readonly world: Pick<World, 'overrides'> & {
    readonly members: readonly Member[];
    readonly observations: World['input']['observations'];
  };
  readonly settled: ReadonlyMap<PlacementKey, Settled>;
}

/** An outcome that changes nothing, and what it came from that it does not hold itself and that not every placement reads. */
export interface Settled {
  readonly outcome: Outcome;
  readonly recorded: RecordedPlacement;
  /** Digests of the properties and namespaces of all members that the policy reads. */
  readonly facets: string;
  /** Of its bindings those that hold their cluster: that depends on which members there are, and who of them leaves. */
  readonly live: readonly Binding[];
}

/** The earlier outcome of a placement where planning it again would give it again, as far as is certain; otherwise undefined. */
export type Reuse = (placement: Placement) => Settled | undefined;

/**
 * Which outcomes of an earlier plan stand: those that changed nothing then, with everything that they came from as it was. That
 * is compared, by identity or by value: what all placements read (members, overrides), what its bindings' clusters show, its own
 * file, record and selection, and the columns of the fleet that its policy reads. The rest has no part in an outcome in which
 * nothing moves (`isRestful`): budgets and freezes only keep moves back, and `now` and the commit are only written down beside
 * what is new. Time alone moves the eligibility of members, which is judged anew before they are compared, and when it changes
 * next, which is put in place of what was said earlier. Evictions, runs, what is told of the fleet and the guard go over all
 * outcomes in every plan, whether they were taken over or not.
 */
export function reuseFrom(earlier: Reusable | undefined, world: World): Reuse {
  if (!earlier || !sameForAll(earlier, world)) return () => undefined;
  const touched = touchedSince(earlier.world.observations, world.input.observations);
  return (placement) => {
    const key = placementKey(refOf(placement));
    const settled = earlier.settled.get(key);
    const recorded = world.record.placements.get(key);
    if (!settled || !recorded) return undefined;
    const { outcome } = settled;
    const stands =
      sameValue(outcome.work.placement, placement) &&
      sameRecord(settled.recorded, recorded) &&
      outcome.work.selection === selectResources({ placement, hub: world.hub, digest: world.input.digest }) &&
      settled.facets === facetsFor(placement, world) &&
      !isNamedByRun(placement, world) &&
      (touched.size === 0 ||
        !outcome.work.bindings.some(({ binding }) =>
          concerns(touched.get(binding.targetCluster), outcome.work, world),
        ));
    return stands ? { ...settled, outcome: withWakes(settled, world) } : undefined;
  };
}

/** What the next plan may use of this one. `reused`: what this one used itself. */
export function reusableFrom(
  world: World,
  outcomes: readonly Outcome[],
  reused: (outcome: Outcome) => Settled | undefined,
): Reusable {
  const settled = new Map<PlacementKey, Settled>();
  for (const outcome of outcomes) {
    const known = reused(outcome) ?? settle(outcome, world);
    if (known) settled.set(placementKey(refOf(outcome.work.placement)), known);
  }
  const { overrides, index, input } = world;
  return { world: { overrides, members: index.members, observations: input.observations }, settled };
}

function settle(outcome: Outcome, world: World): Settled | undefined {
  const { placement, bindings, policySnapshots, wakes } = outcome.work;
  const recorded = world.record.placements.get(placementKey(refOf(placement)));
  if (!recorded || isNamedByRun(placement, world) || !isRestful(outcome, recorded)) return undefined;
  const latest = latestOf(policySnapshots);
  if (!latest) return undefined;
  const groups = classify(
    bindings.map(({ binding }) => binding),
    latest.index,
    world.index,
  );
  const live = liveBindings(groups);
  if (!sameValue(wakes, eligibilityWakes(placement, live, world.index))) return undefined;
  return { outcome, recorded, facets: facetsFor(placement, world), live };
}

/** All that every placement looks at. The members' properties and namespaces are compared where a policy reads them. */
const sameForAll = ({ world: before }: Reusable, world: World): boolean =>
  !world.recordLost &&
  (before.observations === undefined) === (world.input.observations === undefined) &&
  before.members.length === world.index.members.length &&
  before.members.every((member, at) => sameMember(member, world.index.members[at]!)) &&
  sameMaps(before.overrides, world.overrides, sameValue);

const sameMember = (a: Member, b: Member): boolean =>
  a.name === b.name &&
  a.leaving === b.leaving &&
  a.eligibility.eligible === b.eligibility.eligible &&
  (a.eligibility.eligible || b.eligibility.eligible || a.eligibility.reason === b.eligibility.reason) &&
  sameValue(a.labels, b.labels) &&
  sameValue(a.taints, b.taints);

/** A status branch is read anew after each push; files that did not change keep the identity of what was read from them. */
const sameRecord = (a: RecordedPlacement, b: RecordedPlacement): boolean =>
  a.object === b.object &&
  a.state === b.state &&
  a.inNamespace === b.inNamespace &&
  sameMaps(a.mirrored ?? new Map(), b.mirrored ?? new Map()) &&
  sameMaps(a.snapshots, b.snapshots);

/** Digests of what the policy of a placement reads of the members beyond labels and taints, as they are in this plan. */
export function facetsFor(placement: Placement, { index, input }: World): string {
  return readFacets(placement)
    .map((facet) => index.facetDigest(facet, input.digest))
    .join(' ');
}

const readFacets = onceFor((placement: Placement) =>
  facetsOf(placement).filter(({ kind }) => kind === 'property' || kind === 'namespace'),
);

/** Runs move bindings by rules of their own, which look at more than one placement. */
const isNamedByRun = ({ metadata }: Placement, world: World): boolean =>
  world.admitted.runs.some(({ spec }) => spec.placementName === metadata.name);

/** Objects are told by their label and by name: an object of another placement may stand where this one wants its own. */
function concerns(
  touched: Touched | 'whole' | undefined,
  { placement, contents, selection }: PlacementWork,
  { input }: World,
): boolean {
  if (touched === undefined || touched === 'whole') return touched !== undefined;
  if (touched.placements.has(sightingKey(refOf(placement)))) return true;
  if (touched.objects.size === 0) return false;
  const listed = listedObjects(contents).keys;
  return (
    !selection.ok ||
    touched.labels.has(placementLabelValue(refOf(placement), input.digest)) ||
    !touched.objects.isDisjointFrom(listed)
  );
}

/** A later heartbeat puts off when a member becomes ineligible, whatever else stays. */
function withWakes({ outcome, live }: Settled, { index }: World): Outcome {
  const wakes = eligibilityWakes(outcome.work.placement, live, index);
  return sameValue(wakes, outcome.work.wakes) ? outcome : { ...outcome, work: { ...outcome.work, wakes } };
}
