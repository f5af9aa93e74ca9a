import type { ClusterName, Timestamp } from '../../api/meta.ts';
import type { Binding } from '../../api/placement-state.ts';
import { settle } from '../kernel/condition.ts';
import type { OverrideLists } from '../overrides/snapshot-id.ts';
import { type BindingStep, onItsWayOut } from '../placement-work.ts';
import type { Classified } from './classify.ts';

/** The binding as a rollout moves it: marked for removal, or given the snapshot `index` with nothing known of it yet. */
export function moved(
  { step: { binding }, candidate }: Classified,
  index: number,
  { now, overridesFor }: { readonly now: Timestamp; readonly overridesFor: (cluster: ClusterName) => OverrideLists },
): BindingStep {
  if (candidate === 'remove') return onItsWayOut(binding);
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
    binding: {
      ...rest,
      state: 'Bound',
      resourceSnapshotIndex: index,
      ...(cluster.length > 0 ? { clusterResourceOverrideSnapshots: [...cluster] } : {}),
      ...(namespaced.length > 0 ? { resourceOverrideSnapshots: [...namespaced] } : {}),
      conditions: [started(binding, now, 'Detected the new changes on the resources and started the rollout process')],
    },
    move: candidate === 'bind' ? 'add' : 'update',
  };
}

/** Wants to move and may not yet. An Unscheduled binding has no RolloutStarted of its own to take back. */
export function kept({ step: { binding } }: Classified, now: Timestamp): BindingStep {
  if (binding.state === 'Unscheduled') return { binding, move: 'wait' };
  const withheld = settle(
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

/** Nothing to do: the rollout of a Bound binding has started. */
export function steady({ step }: Classified, now: Timestamp): BindingStep {
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
  settle(
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
