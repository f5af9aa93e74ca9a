import { withAppliedSnapshot } from '../../bindings/applied-snapshot.ts';
import { conditionIs, withTransitionTime } from '../../kernel/condition.ts';
import { wasBound } from '../../placement/bindings.ts';
import type { BindingStep } from '../../placement-work.ts';
import type { StageContext } from './cluster-step.ts';
import { type DesiredBinding, isInSync } from './desired-binding.ts';

/**
 * Gives the binding on a cluster what the run rolls out: state Bound, snapshot, override lists, apply strategy and
 * RolloutStarted=True. Conditions of the old version are dropped unless nothing differs. Bindings being removed from the
 * cluster are replaced. An Unscheduled binding is updated too, since the membership of a run is fixed, but stays
 * Unscheduled: a run does not undo the scheduler's decision.
 */
export function assignBinding(
  bindings: readonly BindingStep[],
  desired: DesiredBinding,
  { before: { work }, context, direction }: StageContext,
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
        message: `update run ${context.run.metadata.name} rolls ${direction === 'back' ? 'back to' : 'out'} resource snapshot ${desired.index}`,
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
      binding: withAppliedSnapshot(binding, {
        ...rest,
        ...Object.fromEntries(Object.entries(reported).filter(([, list]) => list !== undefined)),
        state: binding.state === 'Unscheduled' ? 'Unscheduled' : 'Bound',
        resourceSnapshotIndex: desired.index,
        ...(cluster ? { clusterResourceOverrideSnapshots: cluster } : {}),
        ...(namespaced ? { resourceOverrideSnapshots: namespaced } : {}),
        ...(desired.applyStrategy ? { applyStrategy: desired.applyStrategy } : {}),
        conditions: isKept ? [started, ...(conditions ?? []).filter(({ type }) => type !== started.type)] : [started],
      }),
      move: isKept ? move : wasBound(binding) ? 'update' : 'add',
    };
  };
  return bindings.filter(({ binding }) => !binding.deleting).map(assigned);
}
