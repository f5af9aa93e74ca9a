import type { ClusterName, Timestamp } from '../../api/meta.ts';
import type { Binding } from '../../api/placement-state.ts';
import { withAppliedSnapshot } from '../bindings/applied-snapshot.ts';
import { withTransitionTime } from '../kernel/condition.ts';
import type { OverrideLists } from '../overrides/snapshot-id.ts';
import { type BindingStep, markedForRemoval } from '../placement-work.ts';
import type { Classified } from './classify.ts';

/** The binding after its move: marked for removal, or with the snapshot `index` and no conditions of it yet. */
export function movedBinding(
  { step: { binding }, candidate }: Classified,
  index: number,
  { now, overridesFor }: { readonly now: Timestamp; readonly overridesFor: (cluster: ClusterName) => OverrideLists },
): BindingStep {
  if (candidate === 'remove') return markedForRemoval(binding);
  const {
    conditions: _c,
    failedPlacements: _f,
    driftedPlacements: _d,
    diffedPlacements: _p,
    clusterResourceOverrideSnapshots: _cr,
    resourceOverrideSnapshots: _r,
    previousState: _s,
    clusterLabels: _l,
    ...rest
  } = binding;
  const { clusterResourceOverrideSnapshots: cluster, resourceOverrideSnapshots: namespaced } = overridesFor(
    binding.targetCluster,
  );
  return {
    binding: withAppliedSnapshot(binding, {
      ...rest,
      state: 'Bound',
      resourceSnapshotIndex: index,
      ...(cluster.length > 0 ? { clusterResourceOverrideSnapshots: [...cluster] } : {}),
      ...(namespaced.length > 0 ? { resourceOverrideSnapshots: [...namespaced] } : {}),
      conditions: [started(binding, now, 'Detected the new changes on the resources and started the rollout process')],
    }),
    move: candidate === 'bind' ? 'add' : 'update',
  };
}

/** A binding that is to move but may not yet. An Unscheduled binding has no RolloutStarted of its own to reset. */
export function waitingBinding({ step: { binding } }: Classified, now: Timestamp): BindingStep {
  if (binding.state === 'Unscheduled') return { binding, move: 'wait' };
  const withheld = withTransitionTime(
    binding.conditions,
    {
      type: 'RolloutStarted',
      status: 'False',
      reason: 'RolloutNotStartedYet',
      message: 'The rollout is being blocked by the rollout strategy',
      ...(binding.observedGeneration === undefined ? {} : { observedGeneration: binding.observedGeneration }),
    },
    now,
  );
  return { binding: { ...binding, conditions: [withheld, ...others(binding)] }, move: 'wait' };
}

/** A binding that does not move: a Bound one has RolloutStarted=True. */
export function settledBinding({ step }: Classified, now: Timestamp): BindingStep {
  const { binding } = step;
  if (binding.deleting) return { binding, move: 'remove' };
  if (binding.state !== 'Bound') return step;
  const first = started(binding, now, 'The rollout of the latest resources has started');
  const present = binding.conditions?.find(({ type }) => type === 'RolloutStarted');
  return present?.status === 'True'
    ? step
    : { ...step, binding: { ...binding, conditions: [first, ...others(binding)] } };
}

const others = ({ conditions }: Binding) => (conditions ?? []).filter(({ type }) => type !== 'RolloutStarted');

const started = (binding: Binding, now: Timestamp, message: string) =>
  withTransitionTime(
    binding.conditions,
    {
      type: 'RolloutStarted',
      status: 'True',
      reason: 'RolloutStarted',
      message,
      ...(binding.observedGeneration === undefined ? {} : { observedGeneration: binding.observedGeneration }),
    },
    now,
  );
