import { placementKey } from '../../api/placement.ts';
import { isRepaired } from '../../engine/bindings/conditions/reported-repairs.ts';
import { isInProgress } from '../../engine/bindings/health.ts';
import { conditionIs, findCondition, isFulfilled } from '../../engine/kernel/condition.ts';
import { memoize } from '../../engine/kernel/memoize.ts';
import type { Plan, PlannedBinding } from '../../engine/plan-document.ts';
import { recordedObjects } from '../../repo/record/recorded-objects.ts';
import { titleOf } from '../../repo/title-of.ts';
import { shortagesOf } from '../../report/shortage.ts';
import { isRequired } from '../../report/tally.ts';
import { progressOf } from '../../report/waits/progress-text.ts';
import { count } from './count.ts';
import type { Metrics, Sample } from './metrics.ts';

/** Sets the gauges of placements and staged update runs, from the last plan. */
export function reportPlacements(plan: Plan, metrics: Metrics): void {
  for (const [name, samples] of samplesOf(plan)) metrics.setSeries(name, samples);
}

/** Remembers when each placement was last seen available wherever it should be. */
export function successKeeper(metrics: Metrics): (plan: Plan, seconds: number) => void {
  let last: ReadonlyMap<string, number> = new Map();
  return (plan, seconds) => {
    const succeeded = successfulIn(plan);
    last = new Map(
      plan.placements.flatMap((placement) => {
        const title = titleOf(placement);
        const at = succeeded.has(title) ? seconds : last.get(title);
        return at === undefined ? [] : [[title, at] as const];
      }),
    );
    metrics.setSeries(
      'gitfleet_placement_last_success_timestamp_seconds',
      [...last].map(([placement, value]) => ({ labels: { placement }, value })),
    );
  };
}

const successfulIn = memoize((plan: Plan): ReadonlySet<string> => {
  const short = shortagesOf(plan);
  const whole = plan.placements.filter(
    (placement) =>
      !short.has(placementKey(placement)) &&
      placement.bindings.every((binding) => !isRequired(binding) || stateOf(binding) === 'available'),
  );
  return new Set(whole.map(titleOf));
});

const samplesOf = memoize((plan: Plan): ReadonlyMap<string, readonly Sample[]> => {
  const objects = wrongObjects(plan);
  return new Map([
    ['gitfleet_placement_clusters', clusters(plan)],
    [
      'gitfleet_placement_missing_clusters',
      [...shortagesOf(plan).values()].map((shortage) => ({
        labels: { placement: titleOf(shortage) },
        value: shortage.wanted - shortage.found,
      })),
    ],
    ['gitfleet_placement_failed_objects', objects.failed],
    ['gitfleet_placement_drifted_objects', objects.drifted],
    [
      'gitfleet_staged_run_state',
      plan.runs.map((run) => ({
        labels: { run: titleOf(run), reason: progressOf(run.status.conditions)?.reason ?? 'NotStarted' },
        value: 1,
      })),
    ],
  ]);
});

/** In the order of a rollout. A placement always has the first, so that it shows also without clusters. */
const states = ['available', 'waiting', 'progressing', 'failed', 'removing'] as const;

const clusters = ({ placements }: Plan): Sample[] =>
  placements.flatMap((placement) =>
    [...count(placement.bindings.map(stateOf), ['available'])].map(([state, value]) => ({
      labels: { placement: titleOf(placement), state },
      value,
    })),
  );

function stateOf(binding: PlannedBinding): (typeof states)[number] {
  const { move, conditions } = binding;
  if (!isRequired(binding)) return 'removing';
  if (move === 'wait') return 'waiting';
  const applied = findCondition(conditions, 'Applied');
  if (conditionIs(conditions, 'Overridden', 'False') || (applied?.status === 'False' && !isInProgress(applied)))
    return 'failed';
  return move === 'keep' && isFulfilled(conditions) ? 'available' : 'progressing';
}

/** Objects that could not be applied, and objects that differ and are not repaired; only of placements that have some. */
function wrongObjects(plan: Plan): { readonly failed: readonly Sample[]; readonly drifted: readonly Sample[] } {
  const failed: Sample[] = [];
  const drifted: Sample[] = [];
  for (const { value } of recordedObjects('statuses', plan).values()) {
    const labels = { placement: titleOf(value.metadata) };
    const perCluster = value.status?.placementStatuses ?? [];
    const sum = (of: (status: (typeof perCluster)[number]) => number): number =>
      perCluster.reduce((total, status) => total + of(status), 0);
    const failures = sum(({ failedPlacements = [] }) => failedPlacements.length);
    if (failures > 0) failed.push({ labels, value: failures });
    const differences = sum(
      ({ driftedPlacements = [] }) =>
        driftedPlacements.filter(({ observedDrifts = [] }) => observedDrifts.some((drift) => !isRepaired(drift)))
          .length,
    );
    if (differences > 0) drifted.push({ labels, value: differences });
  }
  return { failed, drifted };
}
