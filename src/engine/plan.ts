import type { ClusterName, Manifest, ObjectRef, PlacementKey } from '../api/meta.ts';
import { type ApplyStrategy, abandons, type PlacementRef, placementKey, refOf } from '../api/placement.ts';
import { assemble, type Parts } from './assemble.ts';
import { carryMoves } from './bindings/carry-moves.ts';
import { endsOfToldRepairs } from './bindings/conditions/reported-repairs.ts';
import { approvedRemovals } from './bindings/foreign-objects.ts';
import { awaitLook } from './bindings/observed-removal.ts';
import { filledAsShown, observeMoved } from './bindings/present-bindings.ts';
import { handedOver } from './delivery/handed-over.ts';
import { beginDeleted, beginPlacement, withoutLeft } from './delivery/load-placement.ts';
import { placedObjects } from './delivery/placed-objects.ts';
import { farewellOf, outcomeOf } from './delivery/placement-outcome.ts';
import { schedulePlacement } from './delivery/schedule-placement.ts';
import { clustersAppliedAnew, contentsOf, recordedContentsOf } from './delivery/target-content.ts';
import { type EvictOutcome, evict } from './evict/evict.ts';
import { guard } from './guard/guard.ts';
import type { PlanInput } from './input.ts';
import { sameValue } from './kernel/same-value.ts';
import { placementLabelValue } from './overrides/ownership.ts';
import type { RenderedManifest } from './overrides/render.ts';
import { placementPause } from './pause/placement-pause.ts';
import { leavingSteps, type PlacementWork } from './placement-work.ts';
import type { Plan, Target } from './plan-document.ts';
import { asFoundWhereUnseen } from './recovery/unseen-clusters.ts';
import { withFindings } from './refused-plan.ts';
import { type Reusable, reusableFrom, reuseFrom, type Settled } from './reuse/reuse.ts';
import { rollPlacement } from './rollout/roll-placement.ts';
import { snapshotResources } from './rollout/snapshot-resources.ts';
import { type NotRolledOut, notRolledOut } from './staged/not-rolled-out.ts';
import { advancePlacementRuns, type RunsOutcome } from './staged/placement-runs.ts';
import { survey } from './survey.ts';
import { inFleet, type World } from './world.ts';

export interface PlanResult {
  readonly plan: Plan;
  /** Everything an actor needs for a target; undefined when its contents are not known. */
  readonly contentOf: (target: Target) => TargetContent | undefined;
  /** What the record says the cluster of a target holds of its placement. */
  readonly recordedContentOf: (target: Target) => readonly Manifest[];
  /** Clusters of a placement that apply once more what they hold, in another way or with other values of their labels. */
  readonly appliedAnew: (placement: PlacementRef) => ReadonlySet<ClusterName>;
  /** Placements whose file says that they are deleted and that what they hold stays. */
  readonly abandoned: ReadonlySet<PlacementKey>;
  /** External placements that wait for an update run which nobody has committed. */
  readonly notRolledOut: () => readonly NotRolledOut[];
  /** For the next plan of the same fleet; made when it is asked for. */
  readonly memo: () => PlanMemo;
}

/** What of a plan the next one need not find out again. Nobody but `planFleet` looks into it. */
export interface PlanMemo {
  readonly reusable: Reusable;
  readonly parts: Parts;
}

export interface TargetContent {
  readonly manifests: readonly RenderedManifest[];
  readonly strategy: ApplyStrategy;
  /** Value of the ownership label on the placement's objects. */
  readonly label: string;
  /**
   * Whether the placement that marks its objects with a label has this one on the cluster, or may have: what else is marked is
   * nobody's.
   */
  readonly isPlaced: (label: string, object: ObjectRef) => boolean;
  /** Namespaces and CRDs that may be removed with what they hold that is not ours. */
  readonly approvedRemovals: readonly ObjectRef[];
  /** Objects that it lets go of instead of removing them, since another placement asks for them. */
  readonly handedOver: readonly ObjectRef[];
  /** Nobody knows what the cluster should hold: everything there stays as it is. */
  readonly leaveAlone: boolean;
  /** When the placement is deleted, what it holds stays (KubeFleet deleteStrategy). */
  readonly abandons: boolean;
  /** Objects that remembered snapshots listed: the only ones that may be removed. */
  readonly prunable: readonly ObjectRef[];
}

/** What leaves frees a cluster that the scheduler fills anew, and that may let something else leave. */
const mostRounds = 8;

/**
 * The policy, in reading order: admit the fleet, survey the members, then for every placement schedule, snapshot, roll out
 * or advance its runs, evict, and say what every cluster should run now. Pure; same input, same plan. With the memo of an
 * earlier plan, of whatever input, the plan is the same and takes less time: placements of which nothing changed are not
 * planned again.
 */
export function planFleet(input: PlanInput, memo?: PlanMemo): PlanResult {
  const world = survey(input);
  const reuse = reuseFrom(memo?.reusable, world);
  const reused = new Map<PlacementWork, Settled>();
  const works = world.admitted.placements.map((placement) => {
    const settled = reuse(placement);
    if (!settled) return beginPlacement(placement, world);
    const { work } = settled.outcome;
    reused.set(work, settled);
    return work;
  });
  const moving = new Set(works).difference(reused);
  const known = new Map(
    [...reused].flatMap(([{ placement }, { runs }]) => (runs ? [[placementKey(refOf(placement)), runs]] : [])),
  );
  let round = goRound({ works, moving, runs: known, evictions: undefined }, world);
  for (let count = 1; count < mostRounds && round.moving.size > 0; count++) round = goRound(round, world);
  const settle = (work: PlacementWork) => awaitLook(observeMoved(withoutLeft(work, world), world), world);
  const outcomes = round.works.map((work) => reused.get(work)?.outcome ?? outcomeOf(settle(work), world));
  const deleted = world.admitted.deleted
    .flatMap((gone) => beginDeleted(gone, world) ?? [])
    .map((work) => farewellOf(settle(work), world));
  const { runs } = round;
  const earlier = memo?.parts;
  const { plan: unguarded, parts } = assemble({ world, outcomes, deleted, runs, evictions: round.evictions!, earlier });
  const recovered = { record: world.record, lost: world.recordLost };
  const plan = withFindings(unguarded, guard({ input, recovered, plan: unguarded }), input.digest);
  const byKey = new Map([...outcomes, ...deleted].map(({ work }) => [placementKey(refOf(work.placement)), work]));
  const isPlaced = placedObjects([...byKey.values()], input);
  const workOf = (target: Target) => byKey.get(placementKey(target.placement));
  const handedOverOf = handedOver(
    outcomes.map(({ work }) => work),
    world,
  );
  return {
    plan,
    contentOf(target) {
      const work = workOf(target);
      // Neither contents nor what stands for them: an empty list would have its actor remove everything.
      if (!work || (!target.remove && target.digest === undefined && target.objects.length === 0)) return undefined;
      return {
        ...contentsOf(work, target, world),
        label: placementLabelValue(target.placement, input.digest),
        isPlaced: (label, object) => isPlaced(label, target.clusterName, object),
        approvedRemovals: approvedRemovals(target, input),
        handedOver: handedOverOf(target, work),
        abandons: abandons(work.placement),
      };
    },
    abandoned: new Set(
      world.input.fleet.beingDeleted.filter(abandons).map((placement) => placementKey(refOf(placement))),
    ),
    recordedContentOf: (target) => recordedContentsOf(target, world),
    notRolledOut: () =>
      outcomes.flatMap(({ work }) => {
        const known = runs.get(placementKey(refOf(work.placement)))?.runs ?? [];
        return notRolledOut(work, { runs: known, digest: input.digest }) ?? [];
      }),
    memo: () => ({ reusable: reusableFrom(world, { outcomes, runs }, ({ work }) => reused.get(work)), parts }),
    appliedAnew(placement) {
      const work = byKey.get(placementKey(placement));
      return work ? clustersAppliedAnew(work, world) : new Set();
    },
  };
}

interface Round {
  readonly works: readonly PlacementWork[];
  /** Of the works those that are not known to come out of another round as they are. */
  readonly moving: ReadonlySet<PlacementWork>;
  readonly runs: ReadonlyMap<PlacementKey, RunsOutcome>;
  readonly evictions: EvictOutcome | undefined;
}

function goRound(before: Round, world: World): Round {
  const runs = new Map<PlacementKey, RunsOutcome>();
  const moved = before.works.map((begun) => {
    const key = placementKey(refOf(begun.placement));
    const earlier = before.runs.get(key);
    if (!before.moving.has(begun)) {
      if (earlier) runs.set(key, earlier);
      return begun;
    }
    const wakes = endsOfToldRepairs(begun.bindings, world.input.now);
    const picked = schedulePlacement({ ...begun, holds: [], problems: [], wakes }, world);
    const scheduled = asFoundWhereUnseen(picked, { ...world, observed: (present) => filledAsShown(present, world) });
    const outcome = advancePlacementRuns(scheduled, world, earlier);
    if (begun.placement.spec.strategy.type === 'External') {
      runs.set(key, outcome);
      return carryMoves(begun, outcome.work);
    }
    if (outcome.runs.length > 0 || outcome.holds.length > 0) runs.set(key, outcome);
    return carryMoves(begun, rollPlacement(snapshotResources(scheduled, world), world));
  });
  const evictions = evict({
    works: moved,
    evictions: before.evictions ? [] : world.input.fleet.evictions,
    recorded: before.evictions
      ? new Map(before.evictions.recorded.map((eviction) => [eviction.metadata.name, eviction]))
      : world.record.evictions,
    budgets: world.input.fleet.budgets,
    now: world.input.now,
    inFleet: (cluster) => inFleet(cluster, world),
    pauseOf: (work) => (work ? placementPause(work, world) : world.freeze),
    digest: world.input.digest,
    refused: world.input.fleet.refused,
    deletedPlacements: new Set([
      ...world.admitted.deleted.map(({ key }) => key),
      ...world.input.fleet.beingDeleted.map((placement) => placementKey(refOf(placement))),
    ]),
    recordLost: world.recordLost,
    unread: world.record.unread?.evictions,
    sources: world.input.fleet.sources,
  });
  const { works } = evictions;
  return {
    works,
    moving: new Set(works.filter((work, at) => lostBindings(before.works[at]!, work))),
    runs,
    evictions: before.evictions ? { ...before.evictions, works } : evictions,
  };
}

/** Whether bindings began to leave in a round, by a rollout, a run or an eviction: the scheduler has not seen their clusters free yet. */
const lostBindings = (before: PlacementWork, after: PlacementWork): boolean =>
  before !== after && !sameValue(leavingBindings(before), leavingBindings(after));

const leavingBindings = ({ bindings }: PlacementWork) => leavingSteps(bindings).map(({ binding }) => binding);
