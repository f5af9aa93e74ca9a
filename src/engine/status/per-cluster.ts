import type { Condition, Timestamp } from '../../api/meta.ts';
import type { PerClusterPlacementStatus } from '../../api/placement.ts';
import type { Binding, ClusterDecision } from '../../api/placement-state.ts';
import { currentCondition } from '../bindings/health.ts';
import { withTransitionTime } from '../kernel/condition.ts';
import { latestOf } from '../kernel/latest-of.ts';
import type { PlacementWork } from '../placement-work.ts';
import { type Phase, phasesOf } from './condition-types.ts';

/** The status of one selected cluster (KubeFleet placement_status.go, setResourcePlacementStatusPerCluster). */
export function selectedCluster(
  decision: ClusterDecision,
  work: PlacementWork,
  {
    now,
    binding,
    recorded,
  }: {
    readonly now: Timestamp;
    /** The live binding on the cluster. */
    readonly binding: Binding | undefined;
    readonly recorded: PerClusterPlacementStatus | undefined;
  },
): PerClusterPlacementStatus {
  const generation = work.placement.metadata.generation;
  const newCondition = (condition: Pick<Condition, 'type' | 'status' | 'reason' | 'message'>): Condition =>
    withTransitionTime(
      recorded?.conditions,
      { ...condition, ...(generation === undefined ? {} : { observedGeneration: generation }) },
      now,
    );
  const scheduled = newCondition({ type: 'Scheduled', status: 'True', reason: 'Scheduled', message: decision.reason });
  const { clusterName } = decision;
  const external = work.placement.spec.strategy.type === 'External';
  const latest = latestOf(work.resourceSnapshots)?.index;
  const index = external ? binding?.resourceSnapshotIndex : latest;
  const head = { clusterName, ...(index === undefined ? {} : { observedResourceIndex: String(index) }) };

  const notStarted = (rollout: Pick<Condition, 'status' | 'reason' | 'message'>): PerClusterPlacementStatus => ({
    ...head,
    conditions: [scheduled, newCondition({ type: 'RolloutStarted', ...rollout })],
  });
  const unknown = (message: string) => notStarted({ status: 'Unknown', reason: 'RolloutStartedUnknown', message });
  if (!binding) return unknown('the cluster has no binding of the present policy yet');
  const started = currentCondition(binding, 'RolloutStarted');
  if (!external && binding.resourceSnapshotIndex !== latest)
    return started?.status === 'False'
      ? notStarted({ status: 'False', reason: 'RolloutNotStartedYet', message: started.message ?? '' })
      : unknown('the rollout of the latest resources has not been decided for this cluster yet');
  const walked = walk(binding, phasesOf(work.placement), newCondition);
  return {
    ...head,
    ...(started?.status === 'True' ? overridesOf(binding) : {}),
    ...listsOf(binding, walked),
    conditions: [scheduled].concat(walked),
  };
}

/** A slot that no cluster fills: no name, and why the next best cluster was not picked. */
export function unfilledSlot(
  decision: ClusterDecision,
  now: Timestamp,
  generation: number | undefined,
  recorded: PerClusterPlacementStatus | undefined,
): PerClusterPlacementStatus {
  const next = {
    type: 'Scheduled',
    status: 'False',
    reason: 'ScheduleFailed',
    message: decision.reason,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  } as const;
  return { conditions: [withTransitionTime(recorded?.conditions, next, now)] };
}

/** Conditions in order, up to and including the first that is not True. */
function walk(
  binding: Binding,
  phases: readonly Phase[],
  newCondition: (condition: Pick<Condition, 'type' | 'status' | 'reason' | 'message'>) => Condition,
): Condition[] {
  const walked: Condition[] = [];
  for (const type of phases) {
    const { status, reason, message } = currentCondition(binding, type) ?? {
      ...pending[type],
      status: 'Unknown' as const,
    };
    walked.push(newCondition({ type, status, reason, message: message ?? '' }));
    if (status !== 'True') break;
  }
  return walked;
}

const pending: Readonly<Record<Phase, { readonly reason: string; readonly message: string }>> = {
  RolloutStarted: { reason: 'RolloutStartedUnknown', message: 'the rollout has not been decided for this cluster yet' },
  Overridden: { reason: 'OverriddenPending', message: 'the overrides have not been applied yet' },
  WorkSynchronized: {
    reason: 'WorkSynchronizedUnknown',
    message: 'the resources have not been handed to the cluster yet',
  },
  Applied: { reason: 'ApplyPending', message: 'applying the resources has not been reported yet' },
  Available: {
    reason: 'ResourceAvailableUnknown',
    message: 'the availability of the resources has not been reported yet',
  },
  DiffReported: { reason: 'DiffReportingPending', message: 'differences have not been reported yet' },
};

/** The lists of objects of a binding that are reported with those conditions. */
function listsOf(binding: Binding, conditions: readonly Condition[]): Partial<PerClusterPlacementStatus> {
  const { failedPlacements, driftedPlacements, diffedPlacements } = binding;
  const { Applied, Available, DiffReported } = Object.fromEntries(
    conditions.map((condition) => [condition.type, condition]),
  );
  const failed = Applied?.status === 'False' || Available?.status === 'False';
  const evaluated = [Applied, Available].some((condition) => condition && condition.status !== 'Unknown');
  return {
    ...(failed && failedPlacements ? { failedPlacements } : {}),
    ...(evaluated && driftedPlacements ? { driftedPlacements } : {}),
    ...((failed || DiffReported?.status === 'True') && diffedPlacements ? { diffedPlacements } : {}),
  };
}

const overridesOf = (binding: Binding): Partial<PerClusterPlacementStatus> => ({
  ...(binding.resourceOverrideSnapshots?.length
    ? { applicableResourceOverrides: binding.resourceOverrideSnapshots }
    : {}),
  ...(binding.clusterResourceOverrideSnapshots?.length
    ? { applicableClusterResourceOverrides: binding.clusterResourceOverrideSnapshots }
    : {}),
});
