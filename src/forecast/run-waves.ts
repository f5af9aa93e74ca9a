import { placementKey } from '../api/placement.ts';
import type { ClusterUpdatingStatus, StagedUpdateRun } from '../api/staged.ts';
import type { FleetRecord, PlanInput } from '../engine/input.ts';
import { findCondition } from '../engine/kernel/condition.ts';
import { formatInstant, type Instant, parseInstant } from '../engine/kernel/instant.ts';
import type { PlanResult } from '../engine/plan.ts';
import type { PlannedBinding, PlannedPlacement, PlannedRun } from '../engine/plan-document.ts';
import { concurrencyOf } from '../engine/staged/execute/current-stage.ts';
import { overdueTimes } from '../engine/staged/execute/move-clusters.ts';
import { withReason } from '../engine/staged/run-conditions.ts';
import { isInFlight, isPending } from '../engine/staged/step.ts';
import { isRunOf } from '../engine/update-run.ts';

/** The stage that a run is updating. */
export interface RunStage {
  /** `[ns.]name`. */
  readonly run: string;
  readonly at: number;
}

/** As of `EqualWaves`. */
interface Waves {
  readonly stages: readonly RunStage[];
  readonly count: number;
  readonly tookMs: number;
}

/**
 * The stage of the placement's run, if all its clusters in flight began with this plan, as many as it allows at once. `next`: its
 * clusters that follow in the same way, one wave after the other.
 */
export function stageInWaves(
  { plan, contents }: PlanResult,
  planned: PlannedPlacement,
  isNext: (binding: PlannedBinding) => boolean,
): (RunStage & { readonly next: number }) | undefined {
  const isOfPlacement = (run: PlannedRun): boolean => {
    const file = fileOf(run, contents);
    return file !== undefined && isRunOf(file, planned);
  };
  const [run, ...others] = plan.runs.filter((run) => isOfPlacement(run) && stageInFlight(run) >= 0);
  if (run === undefined || others.length > 0 || run.status.rollbackStatus) return undefined;
  const at = stageInFlight(run);
  const { clusters } = run.status.stagesStatus![at]!;
  const inFlight = clusters.filter(isInFlight);
  const beganNow = inFlight.every(
    ({ conditions }) => findCondition(conditions, 'Started')!.lastTransitionTime === plan.now,
  );
  if (!beganNow || inFlight.length !== concurrencyOf(run.status, at)) return undefined;
  const isHeld = plan.holds.some(
    ({ subject: { kind, name, namespace, clusterName } }) =>
      kind === run.kind && name === run.name && namespace === run.namespace && clusterName !== undefined,
  );
  if (isHeld) return undefined;
  const bindings = new Map(planned.bindings.map((binding) => [binding.clusterName, binding]));
  const pending = clusters.filter(isPending);
  const past = pending.findIndex(({ clusterName }) => {
    const binding = bindings.get(clusterName);
    return binding?.move !== 'wait' || !isNext(binding);
  });
  return { run: placementKey(run), at, next: past === -1 ? pending.length : past };
}

const stageInFlight = ({ status }: PlannedRun): number =>
  (status.stagesStatus ?? []).findIndex(({ clusters }) => clusters.some(isInFlight));

const fileOf = (run: PlannedRun, { world }: PlanResult['contents']): StagedUpdateRun | undefined =>
  world.admitted.runs.find(({ kind, metadata }) => kind === run.kind && placementKey(metadata) === placementKey(run));

/** Instants of a plan at which only time changes something, without those of clusters that are done before: in flight in these runs. */
export function wakesBeside({ plan, contents, wakes }: PlanResult, stages: readonly RunStage[]): Instant[] {
  const own = new Map<Instant, number>();
  for (const { run, at } of stages) {
    const planned = plan.runs.find((one) => placementKey(one) === run)!;
    const inFlight = planned.status.stagesStatus![at]!.clusters.filter(isInFlight).length;
    for (const overdue of overdueTimes(parseInstant(plan.now)!, fileOf(planned, contents)!))
      own.set(overdue, (own.get(overdue) ?? 0) + inFlight);
  }
  return wakes.flatMap((wake) => {
    const at = parseInstant(wake);
    const left = at === undefined ? 0 : (own.get(at) ?? 0);
    if (at === undefined) return [];
    if (left > 0) own.set(at, left - 1);
    return left > 0 ? [] : [at];
  });
}

/** The input in which these stages allow so many times as many clusters at once. */
export function withStagesAtOnce(input: PlanInput, stages: readonly RunStage[], count: number): PlanInput {
  if (stages.length === 0) return input;
  const runs = new Map(input.record.runs);
  for (const { run, at } of stages) {
    const recorded = runs.get(run);
    const strategy = recorded?.status?.stagedUpdateStrategySnapshot;
    if (!recorded?.status || !strategy) continue;
    const maxConcurrency = concurrencyOf(recorded.status, at) * count;
    const lifted = strategy.stages.map((stage, index) => (index === at ? { ...stage, maxConcurrency } : stage));
    const status = { ...recorded.status, stagedUpdateStrategySnapshot: { ...strategy, stages: lifted } };
    runs.set(run, { ...recorded, status });
  }
  return { ...input, record: { ...input.record, runs } };
}

/** The record of a plan that started so many waves at once as it is when the last of them begins, with the strategies of before. */
export function withStagesInWaves(
  record: FleetRecord,
  waves: Waves,
  { before, now }: { readonly before: FleetRecord; readonly now: Instant },
): FleetRecord {
  const { stages } = waves;
  if (stages.length === 0) return record;
  const runs = new Map(record.runs);
  for (const { run, at } of stages) {
    const recorded = runs.get(run)!;
    const status = recorded.status!;
    const { stagedUpdateStrategySnapshot } = before.runs.get(run)!.status!;
    const stagesStatus = status.stagesStatus!.map((stage, index) =>
      index === at ? { ...stage, clusters: inWaves(stage.clusters, waves, now) } : stage,
    );
    runs.set(run, { ...recorded, status: { ...status, stagedUpdateStrategySnapshot, stagesStatus } });
  }
  return { ...record, runs };
}

function inWaves(
  clusters: readonly ClusterUpdatingStatus[],
  { count, tookMs }: Waves,
  now: Instant,
): ClusterUpdatingStatus[] {
  const size = clusters.filter(isInFlight).length / count;
  let started = 0;
  return clusters.map((cluster) => {
    if (!isInFlight(cluster)) return cluster;
    const wave = Math.floor(started++ / size);
    const from = formatInstant(now + wave * tookMs);
    const conditions = cluster.conditions!.map((condition) => ({ ...condition, lastTransitionTime: from }));
    const begun = { ...cluster, conditions };
    if (wave === count - 1) return begun;
    return withReason(begun, 'ClusterUpdatingSucceeded', 'it is available', formatInstant(now + (wave + 1) * tookMs));
  });
}
