import type { PlacementKey } from '../../api/meta.ts';
import { type Placement, placementKey, refOf } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import type { PlacementOutcome } from '../delivery/placement-outcome.ts';
import type { RecordedPlacement } from '../input.ts';
import { type Instant, parseInstant } from '../kernel/instant.ts';
import { latestOf } from '../kernel/latest-of.ts';
import { memoize } from '../kernel/memoize.ts';
import { sameMaps, sameValue } from '../kernel/same-value.ts';
import { placementLabelValue } from '../overrides/ownership.ts';
import { classify, liveBindings } from '../placement/bindings.ts';
import type { Member } from '../placement/members.ts';
import { facetsOf } from '../placement/rules/rules.ts';
import { eligibilityWakes } from '../placement/schedule.ts';
import type { PlacementWork } from '../placement-work.ts';
import { listedObjects } from '../selection/listed-objects.ts';
import { selectResources } from '../selection/select.ts';
import type { RunsOutcome } from '../staged/placement-runs.ts';
import type { World } from '../world.ts';
import { areRestful, isRestful } from './restful.ts';
import { type RunGrounds, runGrounds } from './run-grounds.ts';
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
  readonly outcome: PlacementOutcome;
  /** What was made of its update runs; undefined where there was nothing to make. */
  readonly runs: RunsOutcome | undefined;
  readonly runGrounds: RunGrounds | undefined;
  /** Instants: it is the outcome from the first until just before the second. */
  readonly stands: { readonly from: Instant; readonly until: Instant };
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
 * file, record and selection, the columns of the fleet that its policy reads, and what its update runs go by. The rest has no
 * part in an outcome in which nothing moves (`isRestful`): where there are no runs, budgets and freezes only keep moves back,
 * and `now` and the commit are only written down beside what is new. Time alone moves runs, when it reaches what they wait for,
 * and the eligibility of members, which is judged anew before they are compared, and when it changes next, which is put in
 * place of what was said earlier. What names placements from outside, reports of the fleet and the guard go over all outcomes in every plan,
 * whether they were taken over or not.
 */
export function reuseFrom(earlier: Reusable | undefined, world: World): Reuse {
  if (!earlier || !sameForAll(earlier, world)) return () => undefined;
  const touched = touchedSince(earlier.world.observations, world.input.observations);
  const now = parseInstant(world.input.now) ?? 0;
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
      now >= settled.stands.from &&
      now < settled.stands.until &&
      sameValue(settled.runGrounds, runGrounds(outcome.work, settled.runs?.recorded ?? [], world)) &&
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
  made: { readonly outcomes: readonly PlacementOutcome[]; readonly runs: ReadonlyMap<PlacementKey, RunsOutcome> },
  reused: (outcome: PlacementOutcome) => Settled | undefined,
): Reusable {
  const settled = new Map<PlacementKey, Settled>();
  for (const outcome of made.outcomes) {
    const key = placementKey(refOf(outcome.work.placement));
    const known = reused(outcome) ?? settle(outcome, made.runs.get(key), world);
    if (known) settled.set(key, known);
  }
  const { overrides, index, input } = world;
  return { world: { overrides, members: index.members, observations: input.observations }, settled };
}

function settle(outcome: PlacementOutcome, runs: RunsOutcome | undefined, world: World): Settled | undefined {
  const { placement, bindings, policySnapshots, wakes } = outcome.work;
  const recorded = world.record.placements.get(placementKey(refOf(placement)));
  if (!recorded || !isRestful(outcome, recorded) || (runs && !areRestful(runs, world.record))) return undefined;
  const latest = latestOf(policySnapshots);
  if (!latest) return undefined;
  const groups = classify(
    bindings.map(({ binding }) => binding),
    latest.index,
    world.index,
  );
  const live = liveBindings(groups);
  if (!sameValue(wakes, eligibilityWakes(placement, live, world.index))) return undefined;
  return {
    outcome,
    runs,
    runGrounds: runGrounds(outcome.work, runs?.recorded ?? [], world),
    stands: { from: parseInstant(world.input.now) ?? 0, until: runs ? endOfWaiting(runs) : Number.POSITIVE_INFINITY },
    recorded,
    facets: facetsFor(placement, world),
    live,
  };
}

/** When time alone moves a run. */
const endOfWaiting = ({ wakes, holds }: RunsOutcome): Instant =>
  [...wakes, ...holds.flatMap(({ until }) => until ?? [])].reduce(
    (soonest, instant) => Math.min(soonest, parseInstant(instant) ?? 0),
    Number.POSITIVE_INFINITY,
  );

/** All that every placement looks at. What else there is of members is compared where a policy reads it. */
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

const readFacets = memoize((placement: Placement) =>
  facetsOf(placement).filter(({ kind }) => !comparedForAll.has(kind)),
);

/** Kinds of facets that `sameMember` compares for all placements at once. */
const comparedForAll: ReadonlySet<string> = new Set(['names', 'eligibility', 'taints', 'label']);

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
function withWakes({ outcome, live }: Settled, { index }: World): PlacementOutcome {
  const wakes = eligibilityWakes(outcome.work.placement, live, index);
  return sameValue(wakes, outcome.work.wakes) ? outcome : { ...outcome, work: { ...outcome.work, wakes } };
}
