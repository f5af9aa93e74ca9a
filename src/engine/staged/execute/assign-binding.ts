import type { ApplyStrategy } from '../../../api/placement.ts';
import type { Binding } from '../../../api/placement-state.ts';
import type { ClusterUpdatingStatus } from '../../../api/staged.ts';
import { canonicalJson } from '../../kernel/canonical-json.ts';
import { conditionIs, withTransitionTime } from '../../kernel/condition.ts';
import { listsDiffer } from '../../overrides/starts-rollout.ts';
import { wasBound } from '../../placement/bindings.ts';
import type { BindingStep, PlacementWork } from '../../placement-work.ts';
import type { RunStep } from '../step.ts';
import type { StageContext } from './cluster-step.ts';

/** What a run gives to a binding. */
export interface DesiredBinding {
  readonly index: number;
  readonly applyStrategy: ApplyStrategy | undefined;
  readonly cluster: ClusterUpdatingStatus;
}

/** What the run froze for a cluster at its initialization. */
export const desiredBy = ({ status }: RunStep, cluster: ClusterUpdatingStatus): DesiredBinding => ({
  index: Number(status.resourceSnapshotIndexUsed),
  applyStrategy: status.appliedStrategy,
  cluster,
});

/** Whether snapshot, override lists and apply strategy are the run's (KubeFleet execution.go, isBindingSyncedWithClusterStatus). */
export function isInSync(binding: Binding, desired: DesiredBinding, { placement }: PlacementWork): boolean {
  const present = binding.applyStrategy ?? placement.spec.strategy.applyStrategy;
  return (
    binding.resourceSnapshotIndex === desired.index &&
    !listsDiffer(binding, desired.cluster) &&
    canonicalJson(present) === canonicalJson(desired.applyStrategy ?? present)
  );
}

/** Whether a rollout, or another run, has marked the binding as waiting. */
export const rolloutWithheld = (binding: Binding): boolean =>
  conditionIs(binding.conditions, 'RolloutStarted', 'False');

/**
 * Gives the binding on a cluster what the run rolls out: state Bound, snapshot, override lists, apply strategy and
 * RolloutStarted=True. Conditions of the old version are dropped unless nothing differs. Bindings being removed from the
 * cluster are replaced. An Unscheduled binding is updated too, since the membership of a run is frozen, but stays
 * Unscheduled: a run does not undo the scheduler's decision.
 */
export function assignBinding(
  bindings: readonly BindingStep[],
  desired: DesiredBinding,
  { before: { work }, context }: StageContext,
): readonly BindingStep[] {
  const { now } = context.input;
  const assigned = ({ binding, move }: BindingStep): BindingStep => {
    const isKept = isInSync(binding, desired, work) && wasBound(binding);
    if (isKept && conditionIs(binding.conditions, 'RolloutStarted', 'True')) return { binding, move };
    const started = withTransitionTime(
      isKept ? binding.conditions : undefined,
      {
        type: 'RolloutStarted',
        status: 'True',
        reason: 'RolloutStarted',
        message: `update run ${context.run.metadata.name} rolls out resource snapshot ${desired.index}`,
      },
      now,
    );
    const {
      clusterResourceOverrideSnapshots: _c,
      resourceOverrideSnapshots: _r,
      failedPlacements,
      driftedPlacements,
      diffedPlacements,
      conditions,
      ...rest
    } = binding;
    const reported = isKept ? { failedPlacements, driftedPlacements, diffedPlacements } : {};
    const { clusterResourceOverrideSnapshots: cluster, resourceOverrideSnapshots: namespaced } = desired.cluster;
    return {
      binding: {
        ...rest,
        ...Object.fromEntries(Object.entries(reported).filter(([, list]) => list !== undefined)),
        state: binding.state === 'Unscheduled' ? 'Unscheduled' : 'Bound',
        resourceSnapshotIndex: desired.index,
        ...(cluster ? { clusterResourceOverrideSnapshots: cluster } : {}),
        ...(namespaced ? { resourceOverrideSnapshots: namespaced } : {}),
        ...(desired.applyStrategy ? { applyStrategy: desired.applyStrategy } : {}),
        conditions: isKept ? [started, ...(conditions ?? []).filter(({ type }) => type !== started.type)] : [started],
      },
      move: isKept ? move : wasBound(binding) ? 'update' : 'add',
    };
  };
  return bindings.filter(({ binding }) => !binding.deleting).map(assigned);
}
