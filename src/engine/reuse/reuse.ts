import type { ClusterName, PlacementKey } from '../../api/meta.ts';
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
import { changedMembers, type MemberChanges, placementKindKey } from './member-changes.ts';
import { type RunInputs, runInputs } from './run-inputs.ts';
import { areRunsUnchanged, isUnchangedOutcome } from './unchanged-outcome.ts';

/** Outcomes of a plan that later plans may reuse as long as their inputs do not change. */
export interface Reusable {
  readonly world: Pick<World, 'overrides' | 'upgrading'> & {
    readonly members: readonly Member[];
    readonly observations: World['input']['observations'];
  };
  readonly settled: ReadonlyMap<PlacementKey, Settled>;
}

/** An outcome that changes nothing, with its inputs beyond the placement itself and what every placement reads. */
export interface Settled {
  readonly outcome: PlacementOutcome;
  /** The outcome of its update runs; undefined where it has none. */
  readonly runs: RunsOutcome | undefined;
  readonly runInputs: RunInputs | undefined;
  /** It is valid from the first instant until just before the second. */
  readonly stands: { readonly from: Instant; readonly until: Instant };
  readonly recorded: RecordedPlacement;
  /** Digests of the properties and namespaces of all members that the policy reads. */
  readonly facets: string;
  /** Its bindings that keep their cluster, which depends on the members and on those that leave. */
  readonly live: readonly Binding[];
}

/** The earlier outcome of a placement, if planning it again would certainly give the same; otherwise undefined. */
export type Reuse = (placement: Placement) => Settled | undefined;

/**
 * Which outcomes of an earlier plan are still valid: those that changed nothing then, if all their inputs are the same by
 * identity or by value. The inputs are: members and overrides, which all placements read; what the clusters of its bindings
 * show; its own file, record and selection; the columns of the fleet that its policy reads; the inputs of its update runs.
 * Other inputs do not affect an outcome in which nothing moves (`isUnchangedOutcome`): without runs, budgets and freezes only
 * hold moves, and `now` and the commit are recorded only with something new. Time alone changes runs, at the instants that
 * they wait for, and the eligibility of members. Eligibility is evaluated again before members are compared, and its next
 * change replaces the earlier one. Fleet-wide reports and the guard cover all outcomes of every plan, reused or not.
 */
export function reuseFrom(earlier: Reusable | undefined, world: World): Reuse {
  if (!earlier || !sameForAll(earlier, world)) return () => undefined;
  const upgraded = changedIn(earlier.world.upgrading, world.upgrading);
  const touched = changedMembers(earlier.world.observations, world.input.observations);
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
      sameValue(settled.runInputs, runInputs(outcome.work, settled.runs?.recorded ?? [], world)) &&
      !(upgraded.size > 0 && outcome.work.bindings.some(({ binding }) => upgraded.has(binding.targetCluster))) &&
      (touched.size === 0 ||
        !outcome.work.bindings.some(({ binding }) =>
          concerns(touched.get(binding.targetCluster), outcome.work, world),
        ));
    return stands ? { ...settled, outcome: withWakes(settled, world) } : undefined;
  };
}

/** Clusters whose upgrade began, ended, or is now that of another run. */
const changedIn = (before: World['upgrading'], after: World['upgrading']): ReadonlySet<ClusterName> =>
  new Set([...before.keys(), ...after.keys()].filter((cluster) => before.get(cluster) !== after.get(cluster)));

/** What the next plan may reuse of this one. `reused`: what this one reused itself. */
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
  const { overrides, upgrading, index, input } = world;
  return { world: { overrides, upgrading, members: index.members, observations: input.observations }, settled };
}

function settle(outcome: PlacementOutcome, runs: RunsOutcome | undefined, world: World): Settled | undefined {
  const { placement, bindings, policySnapshots, wakes } = outcome.work;
  const recorded = world.record.placements.get(placementKey(refOf(placement)));
  if (!recorded || !isUnchangedOutcome(outcome, recorded) || (runs && !areRunsUnchanged(runs, world.record)))
    return undefined;
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
    runInputs: runInputs(outcome.work, runs?.recorded ?? [], world),
    stands: { from: parseInstant(world.input.now) ?? 0, until: runs ? endOfWaiting(runs) : Number.POSITIVE_INFINITY },
    recorded,
    facets: facetsFor(placement, world),
    live,
  };
}

/** The instant at which time alone changes a run. */
const endOfWaiting = ({ wakes, holds }: RunsOutcome): Instant =>
  [...wakes, ...holds.flatMap(({ until }) => until ?? [])].reduce(
    (soonest, instant) => Math.min(soonest, parseInstant(instant) ?? 0),
    Number.POSITIVE_INFINITY,
  );

/** Compares what every placement reads. Other facts of members are compared where a policy reads them. */
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

/** The status branch is read again after each push; values from unchanged files keep their identity. */
const sameRecord = (a: RecordedPlacement, b: RecordedPlacement): boolean =>
  a.object === b.object &&
  a.state === b.state &&
  a.inNamespace === b.inNamespace &&
  sameMaps(a.mirrored ?? new Map(), b.mirrored ?? new Map()) &&
  sameMaps(a.snapshots, b.snapshots);

/** Digests of the facts that the policy of a placement reads of the members, beyond labels and taints. */
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

/** Objects are compared by label and by name: an object of another placement may have the name of one that this placement wants. */
function concerns(
  touched: MemberChanges | 'whole' | undefined,
  { placement, contents, selection }: PlacementWork,
  { input }: World,
): boolean {
  if (touched === undefined || touched === 'whole') return touched !== undefined;
  if (touched.placements.has(placementKindKey(refOf(placement)))) return true;
  if (touched.objects.size === 0) return false;
  const listed = listedObjects(contents).keys;
  return (
    !selection.ok ||
    touched.labels.has(placementLabelValue(refOf(placement), input.digest)) ||
    !touched.objects.isDisjointFrom(listed)
  );
}

/** A later heartbeat delays when a member becomes ineligible, even if nothing else changes. */
function withWakes({ outcome, live }: Settled, { index }: World): PlacementOutcome {
  const wakes = eligibilityWakes(outcome.work.placement, live, index);
  return sameValue(wakes, outcome.work.wakes) ? outcome : { ...outcome, work: { ...outcome.work, wakes } };
}
