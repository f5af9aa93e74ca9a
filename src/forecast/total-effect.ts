import type { ClusterName } from '../api/meta.ts';
import { abandons, type PlacementRef, placementKey } from '../api/placement.ts';
import type { UpdateRun } from '../api/upgrade-run.ts';
import type { Fleet, PlanInput } from '../engine/input.ts';
import { canonicalJson } from '../engine/kernel/canonical-json.ts';
import { parseDuration } from '../engine/kernel/duration.ts';
import { byText } from '../engine/kernel/ordering.ts';
import { sameValue } from '../engine/kernel/same-value.ts';
import { type PlanResult, planFleet } from '../engine/plan.ts';
import type { GuardFinding, Hold } from '../engine/plan-document.ts';
import { memoOf } from '../engine/reuse/memo.ts';
import { type AllowedRemoval, allowedRemovals } from './allowed-removals.ts';
import { type Assumptions, readyAfterIn, supposedOf } from './assumptions.ts';
import type { ChangedFreeze } from './changed-freezes.ts';
import { type ChangedPace, changedPaces } from './changed-paces.ts';
import { type ChangedPolicy, changedPolicies } from './changed-policies.ts';
import { type EndedRefusal, endedRefusals } from './ended-refusals.ts';
import { type FailingClusters, failingByChange, together } from './failing-clusters.ts';
import { type Forecast, forecastOf, type Rollout } from './forecast.ts';
import { answersIn, newAnswersIn, type Uncounted } from './given-answers.ts';
import { heldByChange } from './held-by-change.ts';
import { heldEvictions } from './held-evictions.ts';
import {
  differencesBetween,
  type HeldByCluster,
  heldAfter,
  heldBefore,
  heldOnlyOf,
  keptThrough,
} from './held-objects.ts';
import { joiningMembers } from './joining-members.ts';
import { judgedAnswers } from './judged-answers.ts';
import { type LaterChange, laterChanges, waitingIn } from './later-changes.ts';
import { withLeftOtherwise } from './left-otherwise.ts';
import { type NeededRuns, neededRuns } from './needed-runs.ts';
import { type NodesAt, nodesOfDay } from './nodes-of-day.ts';
import { compared, type Leaving, type ObjectChanges } from './object-changes.ts';
import { type OnlyCompared, onlyCompared } from './only-compared.ts';
import { freezesIn, type Rescheduled } from './rescheduled.ts';
import { type ReturningObject, returningObjects } from './returning-objects.ts';
import { withRunsDone } from './runs-in-progress.ts';
import { atOnce, type ForecastRun, type InSteps, stepByStep } from './steps.ts';
import { type StoppedRun, stoppedRuns } from './stopped-runs.ts';
import { takenBack } from './taken-back.ts';
import { successorsAmong } from './taken-over.ts';
import { type UpgradeForecast, upgradeForecasts } from './upgrade-forecasts.ts';
import { type ChangedUpgrade, changedUpgrades, touchedUpgrades } from './upgrades-in-progress.ts';
import { type Withheld, withheldIn } from './withheld.ts';

/** What a change of the fleet repo does to the clusters once everything has settled, and how it gets there. */
export interface TotalEffect extends ObjectChanges, NeededRuns {
  /** Clusters of the fleet, with those that leave by the change and those that join. */
  readonly fleetSize: number;
  /** What it removes on the way and brings back; no part of the counts. */
  readonly returning: readonly ReturningObject[];
  /** Staged update runs in progress that it ends. */
  readonly stopped: readonly StoppedRun[];
  readonly withheld: readonly Withheld[];
  /** Of the change alone. */
  readonly forecast: Forecast;
  /** Nothing is recorded: before the forecast begins, clusters are supposed to get all of the fleet as it is, except those. */
  readonly unrecorded?: { readonly except: readonly ClusterName[] };
  /** What the forecast rests on. Milliseconds. */
  readonly supposed: Pick<Approved, 'readyAfterMs' | 'approveAfterMs' | 'upgradedAfterMs'>;
  /** What the guard says of the first plan. */
  readonly guard: readonly GuardFinding[];
  /** It is supposed that no approval ends these refusals without the change. */
  readonly noLongerRefused: readonly EndedRefusal[];
  /**
   * What an update run would change then for those that need one; and what placements and update runs that are held would change once they
   * continue. No part of the counts.
   */
  readonly pending: readonly LaterChange[];
  /** Placements with changes that need an update run, or are held, without the change, and that it takes back. */
  readonly takenBack: readonly PlacementRef[];
  /** Clusters that do not get what it brings, by itself or by such a run. */
  readonly failing: readonly FailingClusters[];
  /** Placements that it rolls out in another way. */
  readonly paces: readonly ChangedPace[];
  /** What update runs do when clusters fail, where it changes that. */
  readonly policies: readonly ChangedPolicy[];
  /** What it changes that is only compared. */
  readonly onlyCompared: readonly OnlyCompared[];
  /** What keeps a part of the change from happening to the end, and is not a problem of a file. That part is not in the effect. */
  readonly held: readonly Hold[];
  /** Also those that delay nothing of the change. */
  readonly freezes: readonly ChangedFreeze[];
  /** What it brings forward or puts off by these, and that ends the same. */
  readonly rescheduled: readonly Rescheduled[];
  /** Cluster update runs that the change adds or changes, and those in progress that continue otherwise. Others start nothing meanwhile. */
  readonly upgrades: readonly UpgradeForecast[];
  /** Cluster update runs in progress that the change ends, or that continue otherwise. */
  readonly upgradesInProgress: readonly ChangedUpgrade[];
  /** Cluster update runs in progress that are supposed to be done before. */
  readonly upgradedBefore: readonly string[];
  /** What may become of nodes now and when budgets change within a day, without the change and with it; empty where no member has any. */
  readonly nodes: readonly NodesAt[];
  /** Approvals that it gives or rejects. They are supposed to be given without it, too. */
  readonly answers: readonly string[];
  /** Those of them that do not count in the fleet as it is now, and why. */
  readonly uncounted: readonly Uncounted[];
  /** No approval counts with the change, as `fleet.yaml` is not valid then. */
  readonly noneCounts: boolean;
  /** Cluster update runs with gates that they answer, and that are stopped or failed: the answers count once those continue. */
  readonly halted: readonly string[];
  /** What those of them that are RemovalApprovals let happen; no part of the counts. */
  readonly allowed: readonly AllowedRemoval[];
  /** Clusters that it adds. They are supposed to respond soon after, with nothing of the fleet on them. */
  readonly joining: readonly ClusterName[];
  /** The first plan of the change: its problems and holds. */
  readonly first: PlanResult;
}

/** Approvals are supposed to be given. */
type Approved = Assumptions & { readonly approveAfterMs: number };

/** Until when a preview follows a change, and what it supposes on the way. */
const usualAssumptions: Omit<Approved, 'readyAfterMs'> = {
  untilMs: parseDuration('720h')!,
  upgradedAfterMs: parseDuration('30m')!,
  approveAfterMs: parseDuration('1h')!,
};

export const previewAssumptions = (...fleets: readonly Fleet[]): Approved => ({
  ...usualAssumptions,
  readyAfterMs: readyAfterIn(...fleets),
});

/** The effect of replacing the fleet of an input by another one. */
export const totalEffect = (
  base: PlanInput,
  next: Pick<PlanInput, 'fleet' | 'commit'>,
  assumptions: Approved,
): TotalEffect => atOnce(totalEffectInSteps(base, next, assumptions));

/** The same as {@link totalEffect}, one plan at a time. */
export function* totalEffectInSteps(
  base: PlanInput,
  next: Pick<PlanInput, 'fleet' | 'commit'>,
  supposed: Approved,
): InSteps<TotalEffect> {
  const joining = joiningMembers(base, next.fleet);
  const assumptions = { ...supposed, joining, disruptsNodes: false };
  const changed = changedRuns(base.fleet, next.fleet);
  const touched = touchedUpgrades(base, next.fleet, changed);
  const inProgress = touched.ended.union(touched.going);
  const unchanged = { ...base, fleet: withStopped(base.fleet, inProgress) };
  const settled = yield* stepByStep(unchanged, assumptions);
  const settledEnd = settled.steps.at(-1)!.result;
  // Of a fleet without placements only clusters and their updates are recorded.
  const isRecorded = base.record.exists || base.record.clusters.size + base.record.upgrades.size > 0;
  const now = settled.steps[0]!.result;
  const start = isRecorded ? now : settledEnd;
  const answers = newAnswersIn(next.fleet, base);
  let planned: PlanResult | undefined;
  const present = () => (planned ??= planFleet({ ...base, ...next }, memoOf(now.parts)));
  const stopped = stoppedRuns(start, { next: next.fleet, planned: present });
  const merged = { ...next, fleet: withStopped(next.fleet, changed.union(touched.going)) };
  const { input, done } = withRunsDone(isRecorded ? { ...base, ...merged } : settled.continuedBy(merged), {
    settled: settledEnd,
    runs: changed.size === 0 ? [] : runsInProgress(base, changed.union(inProgress)),
    joining,
  });
  // What is under way may take many plans, which a change of other files need not make again.
  const isSame = isRecorded && isSameFleet(base.fleet, next.fleet);
  const run = isSame ? settled : yield* stepByStep(input, { ...assumptions, silent: settled.silent }, start);
  const results = run.steps.map(({ result }) => result);
  const [first, last] = [results[0]!, results.at(-1)!];
  const { given, ...judged } = judgedAnswers(answers, { base, next, now, planned: present });
  const noLongerRefused = isRecorded ? endedRefusals(now, run.steps, { given, fleet: next.fleet }) : [];
  const unapproved = { ...assumptions, approvesRemovals: false };
  const without = noLongerRefused.length === 0 ? settled : yield* stepByStep(unchanged, unapproved, now);
  const earlier = without.steps.at(-1)!.result;
  const usualForecast = forecastOf(without, base, assumptions);
  const before = heldBefore(first, now);
  yield;
  const { settles, ends } = endsOf({ settled, without, run }, { before, isRecorded });
  yield;
  const [usually, leaving] = [wayOf(without), results].map(leavingIn) as [Leaving, Leaving];
  const differing = differencesBetween(ends.usual, ends.after);
  const left = withLeftOtherwise(differing, ends, { usually, leaving });
  const effect = yield* compared(heldOnlyOf(before, left), heldOnlyOf(ends.after, left), leaving);
  const returning = yield* returningObjects({ usual: without.steps, steps: run.steps }, { ...ends, leaving });
  const kept = ends === settles ? differing : differencesBetween(settles.usual, settles.after);
  const withheld = yield* withheldIn(settles, kept, results);
  const placements = new Set([...effect.placements, ...withheld].map(({ placement }) => placementKey(placement)));
  const upgradesOf = () => ({
    before: upgradeForecasts(without.steps, base),
    after: upgradeForecasts(run.steps, input),
    next: next.fleet,
  });
  const upgradesInProgress = inProgress.size === 0 ? [] : changedUpgrades(touched, upgradesOf());
  const otherwise = touched.going.intersection(new Set(upgradesInProgress.map((of) => of.run)));
  const isUnchanged = (of: Rollout): boolean => !placements.has(placementKey(of.placement)) || isFixed(of, base);
  const forecast = forecastOf(run, input, assumptions, {
    usual: { ...usualForecast, rollouts: usualForecast.rollouts.filter(isUnchanged) },
    isUpgrading: (name) => changed.has(name) || otherwise.has(name),
  });
  const back = yield* takenBack(earlier, last, { effect, ends: settles, leaving });
  const held = [...heldByChange(earlier, last, back), ...withdrawnBy({ base, next, now, planned: present })];
  const needed = neededRuns(earlier, last, waitingIn(held, last));
  const pending = yield* laterChanges(needed.needsRun, { holds: held, earlier, last, ends: settles, leaving });
  const evicted = yield* evictedLater(held, { run, merged, supposed });
  return {
    ...effect,
    allowed: yield* allowedRemovals(given, {
      ...{ asked: now.plan, first, settled: settledEnd, leaving: { ...usually, stays: leaving.stays } },
    }),
    fleetSize: new Set([...base.fleet.members, ...next.fleet.members].map(({ metadata }) => metadata.name)).size,
    returning,
    stopped,
    withheld,
    forecast,
    ...(!isRecorded && { unrecorded: { except: notRespondingIn(usualForecast) } }),
    supposed: supposedOf(next.fleet, supposed),
    guard: first.plan.guard,
    noLongerRefused,
    ...needed,
    pending: [...pending.changes, ...evicted],
    takenBack: back,
    failing: together([...failingByChange(wayOf(without), results, before), ...pending.failing]),
    paces: changedPaces(now, first),
    policies: changedPolicies(now, first),
    onlyCompared: onlyCompared(earlier, last),
    held,
    ...freezesIn({ base, next: next.fleet }, { usual: usualForecast, forecast, placements }),
    upgrades: forecast.upgrades,
    upgradesInProgress,
    upgradedBefore: done,
    nodes: first.plan.nodes.length === 0 ? [] : nodesOfDay(now, present()),
    answers,
    ...judged,
    joining: [...joining],
    first,
  };
}

/**
 * What clusters have before the change and at the ends. `settles`: once the fleet has settled without it. `ends`: the same where nobody
 * approves what it ends the refusal of.
 */
function endsOf(
  { settled, without, run }: Readonly<Record<'settled' | 'without' | 'run', ForecastRun>>,
  { before, isRecorded }: { readonly before: HeldByCluster; readonly isRecorded: boolean },
) {
  const lastOf = ({ steps }: ForecastRun): PlanResult => steps.at(-1)!.result;
  // What is not recorded has happened before.
  const usualOf = (of: ForecastRun) => heldAfter(lastOf(of), isRecorded ? keptThrough(before, wayOf(of)) : before);
  const settles = { before, usual: usualOf(settled), after: heldAfter(lastOf(run), keptThrough(before, wayOf(run))) };
  const isRefused = without.end === 'refused';
  const ends = without === settled ? settles : { ...settles, usual: isRefused ? before : usualOf(without) };
  return { settles, ends };
}

const wayOf = ({ steps }: ForecastRun): PlanResult[] => steps.map(({ result }) => result);

/** What evictions that are held would do once they are carried out. */
function* evictedLater(
  holds: readonly Hold[],
  {
    run,
    merged,
    supposed,
  }: {
    readonly run: ForecastRun;
    readonly merged: Pick<PlanInput, 'fleet' | 'commit'>;
    readonly supposed: Approved;
  },
): InSteps<readonly LaterChange[]> {
  const fleets = heldEvictions(holds, merged.fleet);
  if (fleets === undefined) return [];
  const without = run.continuedBy({ ...merged, fleet: fleets.without });
  const evicting = run.continuedBy({ ...merged, fleet: fleets.evicting });
  const { returning, changes } = yield* totalEffectInSteps(without, evicting, supposed);
  return [
    ...returning.map(({ placement, object, clusters }) => {
      const of = { placement, object, clusters, diff: '' };
      return { ...of, action: 'remove' as const, isHeld: true as const, returns: true as const };
    }),
    ...changes.map((change) => ({ ...change, isHeld: true as const })),
  ];
}

/** Also in positions, which problems of the plan have. */
const isSameFleet = (before: Fleet, after: Fleet): boolean =>
  before.withoutStrategy.symmetricDifference(after.withoutStrategy).size === 0 && sameValue(before, after);

/** An update run in progress rolls out what it has begun with. Other rollouts may have the same times with other objects. */
const isFixed = ({ placement, run }: Rollout, { record }: PlanInput): boolean =>
  run !== undefined &&
  record.runs.get(placementKey({ ...placement, name: run }))?.status?.resourceSnapshotIndexUsed !== undefined;

const notRespondingIn = ({ rollouts, upgrades }: Forecast): ClusterName[] =>
  [...new Set([...rollouts, ...upgrades].flatMap(({ notResponding = [] }) => notResponding))].sort();

/** Gates that close again, since their approval is gone. `planned`: the change, as of now. */
function withdrawnBy({
  base,
  next,
  now,
  planned,
}: {
  readonly base: Pick<PlanInput, 'fleet'>;
  readonly next: Pick<PlanInput, 'fleet'>;
  readonly now: PlanResult;
  readonly planned: () => PlanResult;
}): Hold[] {
  if (answersIn(base.fleet, next.fleet).length === 0) return [];
  const withdrawn = ({ plan }: PlanResult) => plan.holds.filter(({ reason }) => reason === 'ApprovalWithdrawn');
  const known = new Set(withdrawn(now).map(({ subject }) => canonicalJson(subject)));
  return withdrawn(planned()).filter(({ subject }) => !known.has(canonicalJson(subject)));
}

/** Names of cluster update runs that are new, or whose spec differs. Those that it stops end. */
function changedRuns(before: Fleet, after: Fleet): ReadonlySet<string> {
  const specs = ({ upgradeRuns }: Fleet) =>
    new Map(
      upgradeRuns.flatMap(({ metadata, spec }) =>
        spec.state === 'Stopped' ? [] : [[metadata.name as string, canonicalJson(spec)]],
      ),
    );
  const was = specs(before);
  return new Set([...specs(after)].flatMap(([name, spec]) => (was.get(name) === spec ? [] : [name])));
}

/** Those on which the runs of a change may build, in order of their start. */
function runsInProgress({ fleet, record }: PlanInput, without: ReadonlySet<string>): readonly UpdateRun[] {
  const startOf = (run: UpdateRun): string => run.status?.status.startTime ?? '~';
  return fleet.upgradeRuns
    .filter(({ metadata, spec }) => spec.state === 'Started' && !without.has(metadata.name))
    .map((run) => {
      const recorded = record.upgrades.get(run.metadata.name);
      return recorded?.status?.status.startTime === undefined ? run : recorded;
    })
    .sort((a, b) => byText(startOf(a), startOf(b)));
}

/** Of other cluster update runs what is in flight ends, and nothing else starts: they may take weeks, and are no part of the change. */
function withStopped(fleet: Fleet, going: ReadonlySet<string>): Fleet {
  if (fleet.upgradeRuns.length === 0) return fleet;
  const upgradeRuns = fleet.upgradeRuns.map((run) =>
    going.has(run.metadata.name) ? run : { ...run, spec: { ...run.spec, state: 'Stopped' as const } },
  );
  return { ...fleet, upgradeRuns };
}

const leavingIn = (results: readonly PlanResult[]): Leaving => ({
  stays: staysOf(results),
  ...successorsAmong(results),
});

/** Whether the objects of a placement that is no longer there stay on a cluster. Its deletion may wait, and end before the last step. */
function staysOf(results: readonly PlanResult[]): (placement: PlacementRef, cluster: ClusterName) => boolean {
  const abandoned = new Set(
    results.flatMap(({ contents: { world } }) =>
      world.admitted.deleted.flatMap(({ key, placement }) => (placement && abandons(placement) ? [key] : [])),
    ),
  );
  const { members } = results.at(-1)!.contents.world;
  return (placement, cluster) => abandoned.has(placementKey(placement)) || members.get(cluster)?.leaving !== false;
}
