import type { PlacementKey, Timestamp } from '../api/meta.ts';
import { abandons, placementKey, refOf } from '../api/placement.ts';
import { assemble } from './assemble.ts';
import { boundSinceLoss } from './bindings/bound-since-loss.ts';
import { carryMoves } from './bindings/carry-moves.ts';
import { endsOfReportedRepairs } from './bindings/conditions/reported-repairs.ts';
import { filledAsObserved } from './bindings/present-bindings.ts';
import { withApprovedRemovals } from './delivery/approved-removals.ts';
import { deliver } from './delivery/deliver.ts';
import { nodeObjects } from './delivery/node-pools.ts';
import { placementsOutcome } from './delivery/placements-outcome.ts';
import type { PlanContents } from './delivery/plan-contents.ts';
import { schedulePlacement } from './delivery/schedule-placement.ts';
import { noOutcome } from './domain.ts';
import type { EvictOutcome } from './evict/evict.ts';
import { evictionsOutcome, evictPlacements } from './evict/evict-placements.ts';
import { clusterDocuments } from './fleet/cluster-documents.ts';
import { fleetOutcome } from './fleet/fleet-outcome.ts';
import { guard } from './guard/guard.ts';
import type { PlanInput } from './input.ts';
import { nodesOutcome } from './nodes/nodes-outcome.ts';
import type { PlannedMember } from './nodes/reused-plan.ts';
import type { PlacementWork } from './placement-work.ts';
import type { Plan } from './plan-document.ts';
import { withFindings } from './refused-plan.ts';
import { loadPlacements } from './reuse/load-placements.ts';
import type { PlanMemo, PlanParts } from './reuse/memo.ts';
import { rollPlacement } from './rollout/roll-placement.ts';
import { snapshotResources } from './rollout/snapshot-resources.ts';
import { inRounds, type Round } from './rounds.ts';
import { type NotRolledOut, notRolledOut } from './staged/not-rolled-out.ts';
import { advancePlacementRuns, type RunsOutcome } from './staged/placement-runs.ts';
import { runsOutcome } from './staged/runs-outcome.ts';
import { survey } from './survey.ts';
import { upgradesOutcome } from './upgrade/upgrades-outcome.ts';
import type { World } from './world.ts';

export interface PlanResult {
  readonly plan: Plan;
  /** It starts something on a member. */
  readonly starts: boolean;
  /** Instants at which time alone changes something, past ones too; the plan names the next one. */
  readonly wakes: readonly Timestamp[];
  /** Input of `targetContent` and its sibling functions, which return what actors need for a target. */
  readonly contents: PlanContents;
  /** Deleted placements whose objects stay on the clusters. */
  readonly abandoned: ReadonlySet<PlacementKey>;
  /** External placements that wait for an update run that is not in the repo yet. */
  readonly notRolledOut: readonly NotRolledOut[];
  /** What was planned for the nodes of each member. */
  readonly nodes: readonly PlannedMember[];
  /** For `memoOf`, which makes the next plan of the same fleet faster. */
  readonly parts: PlanParts;
}

/**
 * The policy, in reading order: survey the fleet and its members; upgrade clusters; then schedule every placement, advance its update runs
 * or roll it out, and evict, until nothing moves any more; deliver what every cluster should run now; decide which nodes may go; assemble
 * the plan and check it with the guard. Pure: same input, same plan. With the memo of an earlier plan, of any input, the plan is the same
 * and takes less time.
 */
export function planFleet(input: PlanInput, memo?: PlanMemo): PlanResult {
  const surveyed = survey(input);
  const upgrades = upgradesOutcome(surveyed);
  const world: World = { ...surveyed, upgrading: upgrades.upgrading };
  const { works, kept, runs } = loadPlacements(world, memo?.reusable);
  const first: Round<Progress> = { works, moving: new Set(works).difference(kept), runs, evictions: undefined };
  const last = inRounds(first, (before) => advance(before, world));
  const delivered = deliver(last.works, (work) => kept.get(work)?.outcome, world);
  const updateRuns = runsOutcome(last.runs, world);
  const nodes = nodesOutcome(world, nodeObjects(delivered.staying, world), memo?.nodes);
  const clusters = clusterDocuments(world, memo?.clusters);
  const outcomes = {
    others: [fleetOutcome(world, clusters), { ...noOutcome, problems: last.problems }],
    sections: {
      placements: placementsOutcome(delivered, updateRuns.recorded, world),
      runs: updateRuns,
      evictions: evictionsOutcome(last.evictions, world),
      upgrades,
      nodes: nodes.outcome,
    },
  };
  const { plan, targets, wakes, starts } = assemble(outcomes, input, memo?.targets);
  const checked = guard({ input, recovered: { record: world.record, lost: world.recordLost }, plan });
  const staying = delivered.staying.map(({ work }) => work);
  const all = [...delivered.staying, ...delivered.deleted].map(({ work }) => work);
  return {
    plan: withFindings(withApprovedRemovals(plan, checked.removal, world), checked, input.digest),
    starts,
    wakes,
    contents: { world, staying, works: new Map(all.map((work) => [keyOf(work), work])) },
    abandoned: new Set(world.input.fleet.beingDeleted.filter(abandons).map((it) => placementKey(refOf(it)))),
    notRolledOut: staying.flatMap((work) => {
      const { recorded = [], holds = [] } = last.runs.get(keyOf(work)) ?? {};
      return notRolledOut(work, { runs: recorded, holds, world }) ?? [];
    }),
    nodes: nodes.planned,
    parts: { world, outcomes: delivered.staying, runs: last.runs, kept, targets, clusters, nodes: nodes.planned },
  };
}

/** How far a plan has come. */
interface Progress {
  readonly works: readonly PlacementWork[];
  readonly runs: ReadonlyMap<PlacementKey, RunsOutcome>;
  readonly evictions: EvictOutcome | undefined;
}

/** All placements, then the evictions. Removals may free clusters, which the scheduler sees in the next round. */
function advance(before: Round<Progress>, world: World): Progress & { readonly evictions: EvictOutcome } {
  const runs = new Map<PlacementKey, RunsOutcome>();
  const moved = before.works.map((work) => {
    const earlier = before.runs.get(keyOf(work));
    const advanced = before.moving.has(work) ? advancePlacement(work, earlier, world) : { work, runs: earlier };
    if (advanced.runs) runs.set(keyOf(work), advanced.runs);
    return advanced.work;
  });
  const evictions = evictPlacements(moved, world, before.evictions);
  return { works: evictions.works, runs, evictions };
}

/** Picks clusters for a placement; then its update runs move it, or it rolls out by itself. */
function advancePlacement(
  before: PlacementWork,
  earlier: RunsOutcome | undefined,
  world: World,
): { readonly work: PlacementWork; readonly runs: RunsOutcome | undefined } {
  const wakes = endsOfReportedRepairs(before.bindings, world.input.now);
  const picked = schedulePlacement({ ...before, holds: [], problems: [], wakes }, world);
  const observed = (work: PlacementWork) => filledAsObserved(work, world);
  const scheduled = boundSinceLoss(picked, { world, observed });
  const runs = advancePlacementRuns(scheduled, world, earlier);
  if (before.placement.spec.strategy.type === 'External') return { work: carryMoves(before, runs.work), runs };
  const rolled = rollPlacement(snapshotResources(scheduled, world), world);
  return { work: carryMoves(before, rolled), runs: runs.runs.length + runs.holds.length > 0 ? runs : undefined };
}

const keyOf = ({ placement }: PlacementWork): PlacementKey => placementKey(refOf(placement));
