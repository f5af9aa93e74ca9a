import type { ClusterName, PlacementKey } from '../api/meta.ts';
import { type Placement, placementKey, refOf } from '../api/placement.ts';
import { budgetOfRollouts, placementBudget } from '../engine/budget/placement-budget.ts';
import type { PlanInput } from '../engine/input.ts';
import { conditionIs, isFulfilled } from '../engine/kernel/condition.ts';
import { scale } from '../engine/kernel/int-or-percent.ts';
import type { PlanResult } from '../engine/plan.ts';
import type { PlannedBinding } from '../engine/plan-document.ts';
import { targetNumber } from '../engine/rollout/target-number.ts';
import { upgradeTargets } from '../engine/target-kinds.ts';
import { type RunStage, stageInWaves, withStagesAtOnce } from './run-waves.ts';

/**
 * Waves of a rolling update, or of a stage, that differ only in their clusters: one plan starts them all, and they take as long as one
 * after the other. Otherwise a thousand clusters, one at a time, are a thousand plans.
 */
export interface EqualWaves {
  readonly count: number;
  /** Of one wave. */
  readonly tookMs: number;
  /** Clusters of one wave, by placement. */
  readonly sizes: ReadonlyMap<PlacementKey, number>;
  /** Of the placements that a run updates. */
  readonly stages: readonly RunStage[];
}

/** What members work on after a plan. */
interface InFlight {
  readonly key: PlacementKey;
  readonly at: number;
}

/**
 * The equal waves that follow a plan once everything in flight is done; undefined where there are none. A wave repeats itself if nothing
 * but it is in flight, all of it began with this plan and ends at one instant, and the next clusters, by name, are available and respond:
 * as many become available again as may be updated next (`select.ts`). What happens by time, the caller knows.
 */
export function wavesAfter(
  result: PlanResult,
  of: {
    readonly inFlight: readonly InFlight[];
    readonly silent: ReadonlySet<ClusterName>;
    readonly tookMs: number;
    /** Those that this plan started at once. */
    readonly before: EqualWaves | undefined;
  },
): EqualWaves | undefined {
  const { plan, contents } = result;
  const busy = Map.groupBy(of.inFlight, ({ key }) => key);
  if (busy.size === 0 || of.inFlight.some(({ at }) => at !== of.inFlight[0]!.at)) return undefined;
  if (plan.guard.length > 0 || upgradeTargets(plan.targets).length > 0) return undefined;
  const sizes = new Map<PlacementKey, number>();
  const stages: RunStage[] = [];
  const counts: number[] = [];
  for (const planned of plan.placements) {
    const key = placementKey(planned);
    const size = busy.get(key)?.length;
    if (size === undefined) continue;
    const work = contents.works.get(key);
    if (work === undefined) return undefined;
    if (budgetOfRollouts(placementBudget(planned, contents.world.input.fleet)) !== undefined) return undefined;
    if (work.holds.some(({ reason }) => reason !== 'RolloutBudget')) return undefined;
    if (planned.bindings.filter(({ move }) => move === 'update').length !== size) return undefined;
    if (planned.bindings.some(({ move }) => move === 'add' || move === 'remove')) return undefined;
    const isNext = ({ state, conditions, clusterName }: PlannedBinding): boolean =>
      state === 'Bound' && isFulfilled(conditions) && !of.silent.has(clusterName);
    const wave = of.before?.sizes.get(key) ?? size;
    sizes.set(key, wave);
    if (work.placement.spec.strategy.type === 'RollingUpdate') {
      const waiting = planned.bindings.filter(({ move }) => move === 'wait');
      const past = waiting.findIndex((binding) => !isNext(binding));
      counts.push(Math.floor((past === -1 ? waiting.length : past) / wave));
      continue;
    }
    const stage = stageInWaves(result, planned, isNext);
    if (stage === undefined) return undefined;
    stages.push(stage);
    counts.push(Math.floor(stage.next / wave));
  }
  // Otherwise one of a placement that is being deleted is in flight.
  if (sizes.size < busy.size) return undefined;
  return wavesWithin({ count: Number.POSITIVE_INFINITY, tookMs: of.tookMs, sizes, stages }, Math.min(...counts));
}

/** At most so many of them; undefined where a plan for each costs as little. */
export function wavesWithin(waves: EqualWaves, most: number): EqualWaves | undefined {
  const count = Math.min(waves.count, Math.floor(most));
  return count < 2 ? undefined : { ...waves, count };
}

/** The input whose plan starts all waves: placements may have as many more clusters unavailable, and stages in flight. */
export function withWavesAtOnce(
  input: PlanInput,
  { count, sizes, stages }: EqualWaves,
  { contents }: PlanResult,
): PlanInput {
  const lifted = (placement: Placement): Placement => {
    const key = placementKey(refOf(placement));
    const size = sizes.get(key);
    const work = contents.works.get(key);
    const { strategy } = placement.spec;
    if (size === undefined || work === undefined || strategy.type !== 'RollingUpdate') return placement;
    const total = targetNumber(
      work,
      work.bindings.map((step) => ({ step })),
    );
    const maxUnavailable = scale(strategy.rollingUpdate.maxUnavailable, total, 'up') + (count - 1) * size;
    const rollingUpdate = { ...strategy.rollingUpdate, maxUnavailable };
    return { ...placement, spec: { ...placement.spec, strategy: { ...strategy, rollingUpdate } } } as Placement;
  };
  const placements = input.fleet.placements.map(lifted);
  return withStagesAtOnce({ ...input, fleet: { ...input.fleet, placements } }, stages, count);
}

/** Whether a plan starts these waves and nothing else: otherwise they are not equal, or the guard allows only fewer of them at once. */
export function startsOnly({ plan }: PlanResult, { count, sizes }: EqualWaves): boolean {
  if (plan.guard.length > 0 || upgradeTargets(plan.targets).length > 0) return false;
  if (plan.holds.some(({ removalDigest }) => removalDigest !== undefined)) return false;
  return plan.placements.every((planned) => {
    const moved = planned.bindings.filter(({ move }) => move === 'add' || move === 'update' || move === 'remove');
    const updated = moved.filter(
      ({ move, conditions }) => move === 'update' && !conditionIs(conditions, 'Overridden', 'False'),
    );
    const expected = count * (sizes.get(placementKey(planned)) ?? 0);
    return updated.length === expected && moved.length === expected;
  });
}
