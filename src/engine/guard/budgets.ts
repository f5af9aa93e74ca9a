import type { Placement } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import type { PlanInput } from '../input.ts';
import type { GuardFinding, Plan, PlannedBinding } from '../plan-document.ts';
import { type Compared, overridesOf, overridesReader, type Pair, snapshotReader } from './comparison.ts';
import { healthBefore } from './health.ts';
import { lostOverrides } from './lost-overrides.ts';
import { membersThatStay } from './staying-members.ts';

/**
 * A rolling update may not take more healthy clusters out of service than maxUnavailable leaves. Clusters that were not
 * healthy may always be moved; evictions and members that leave have rules of their own.
 */
export function budgetsKept(input: PlanInput, plan: Plan, compared: readonly Compared[]): GuardFinding[] {
  const contentsOf = snapshotReader(input, plan);
  const overridesAfter = overridesReader(plan);
  const stays = membersThatStay(input);
  const isLost = lostOverrides(input, plan);
  const evicted = new Set(
    plan.evictions
      .filter(({ status }) => status.conditions.some(({ type, status: is }) => type === 'Executed' && is === 'True'))
      .map(({ placementName, clusterName }) => `${placementName} ${clusterName}`),
  );
  return compared.flatMap(({ key, placement, inRepo, pairs }): GuardFinding[] => {
    const rolling =
      placement?.spec.strategy.type === 'RollingUpdate' ? placement.spec.strategy.rollingUpdate : undefined;
    if (!placement || !rolling || !inRepo) return [];
    const counted = pairs.filter(({ clusterName }) => stays.has(clusterName));
    const isEvicted = ({ clusterName }: Pair): boolean => evicted.has(`${key} ${clusterName}`);
    const moved = counted.filter((pair) => pair.before !== undefined && isMoved(pair) && !isEvicted(pair));
    if (moved.length === 0) return [];
    const health = moved.map(({ clusterName, before }) =>
      healthBefore({
        input,
        key,
        clusterName,
        binding: before!,
        contents: contentsOf(key, before!.resourceSnapshotIndex),
        isLost: isLost(before!),
      }),
    );
    const disturbed = health.filter((it) => it === 'healthy').length;
    const inPlace = new Set(counted).difference(new Set(moved));
    // An eviction comes after the rollout has spent its budget, so what it takes still counted then.
    const serving = [...inPlace].filter((pair) => isEvicted(pair) || (!pair.removedNow && serves(pair.after)));
    const ready = health.filter((it) => it !== 'unhealthy').length + serving.length;
    const wanted = clustersWanted(placement, pairs);
    const unavailable = scaled(rolling.maxUnavailable, wanted);
    const allowed = Math.max(0, ready - (wanted - unavailable));
    if (disturbed <= allowed) return [];
    const clusters = moved.filter((_, at) => health[at] === 'healthy').map(({ clusterName }) => clusterName);
    return [
      {
        rule: 'budget-broken',
        message: `placement ${key}: ${disturbed} healthy clusters would be moved at once, maxUnavailable ${rolling.maxUnavailable} of ${wanted} leaves room for ${allowed}: ${clusters.slice(0, 5).join(', ')}`,
      },
    ];

    function isMoved({ clusterName, before, after, removedNow }: Pair): boolean {
      if (before === undefined || !wasBound(before)) return false;
      if (removedNow) return true;
      if (after === undefined) return false;
      if (after.resourceSnapshotIndex !== before.resourceSnapshotIndex) return true;
      const lists = overridesAfter(key, clusterName);
      return lists !== undefined && lists !== overridesOf(before);
    }
  });
}

/** What was never Bound has nothing that could be taken out of service. */
const wasBound = ({ state, previousState }: Binding): boolean =>
  state === 'Bound' || (state === 'Unscheduled' && previousState === 'Bound');

const serves = (binding: PlannedBinding | undefined): boolean =>
  (binding?.conditions ?? []).some(
    ({ type, status }) => (type === 'Available' || type === 'DiffReported') && status === 'True',
  );

function clustersWanted(placement: Placement, pairs: readonly Pair[]): number {
  const { placementType, clusterNames, numberOfClusters } = placement.spec.policy;
  if (placementType === 'PickFixed') return clusterNames?.length ?? 0;
  if (placementType === 'PickN') return numberOfClusters ?? 0;
  return pairs.filter(({ after }) => after && after.state !== 'Unscheduled').length;
}

function scaled(value: number | string, total: number): number {
  const text = String(value);
  return text.endsWith('%') ? Math.ceil((Number(text.slice(0, -1)) * total) / 100) : Number(text);
}
