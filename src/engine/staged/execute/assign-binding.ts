import type { ApplyStrategy } from '../../../api/placement.ts';
import type { Binding } from '../../../api/placement-state.ts';
import type { ClusterUpdatingStatus } from '../../../api/staged.ts';
import { canonicalJson } from '../../kernel/canonical-json.ts';
import { conditionIs, settle } from '../../kernel/condition.ts';
import { listsDiffer } from '../../overrides/trigger.ts';
import { wasBound } from '../../placement/bindings.ts';
import type { BindingStep, PlacementWork } from '../../placement-work.ts';
import type { RunStep } from '../step.ts';
import type { StageContext } from './visit.ts';

/** What a run wants a binding to be. */
export interface Wanted {
  readonly index: number;
  readonly applyStrategy: ApplyStrategy | undefined;
  readonly cluster: ClusterUpdatingStatus;
}

/** What the run froze for a cluster when it was initialized. */
export const wantedBy = ({ status }: RunStep, cluster: ClusterUpdatingStatus): Wanted => ({
  index: Number(status.resourceSnapshotIndexUsed),
  applyStrategy: status.appliedStrategy,
  cluster,
});

/** Snapshot, override lists and apply strategy are the run's (KubeFleet execution.go, isBindingSyncedWithClusterStatus). */
export function isInSync(binding: Binding, wanted: Wanted, { placement }: PlacementWork): boolean {
  const present = binding.applyStrategy ?? placement.spec.strategy.applyStrategy;
  return (
    binding.resourceSnapshotIndex === wanted.index &&
    !listsDiffer(binding, wanted.cluster) &&
    canonicalJson(present) === canonicalJson(wanted.applyStrategy ?? present)
  );
}

/** Marked as waiting since: by a rollout, or by another run that wants to move it. */
export const rolloutWithheld = (binding: Binding): boolean =>
  conditionIs(binding.conditions, 'RolloutStarted', 'False');

/**
 * Gives the binding on a cluster to the run: state Bound, snapshot, override lists, apply strategy, RolloutStarted=True. What was known
 * of the old version is forgotten unless nothing differs. What was on its way out of the cluster gives way. An Unscheduled
 * binding is updated too, since a run's membership is frozen, but stays Unscheduled: the scheduler's verdict is not the run's
 * to undo.
 */
export function assignBinding(
  bindings: readonly BindingStep[],
  wanted: Wanted,
  { begun: { work }, context }: StageContext,
): readonly BindingStep[] {
  const { now } = context.input;
  const assigned = ({ binding, move }: BindingStep): BindingStep => {
    const known = isInSync(binding, wanted, work) && wasBound(binding);
    if (known && conditionIs(binding.conditions, 'RolloutStarted', 'True')) return { binding, move };
    const started = settle(
      known ? binding.conditions : undefined,
      {
        type: 'RolloutStarted',
        status: 'True',
        reason: 'RolloutStarted',
        message: `update run ${context.run.metadata.name} rolls out resource snapshot ${wanted.index}`,
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
    const toldOf = known ? { failedPlacements, driftedPlacements, diffedPlacements } : {};
    const { clusterResourceOverrideSnapshots: cluster, resourceOverrideSnapshots: namespaced } = wanted.cluster;
    return {
      binding: {
        ...rest,
        ...Object.fromEntries(Object.entries(toldOf).filter(([, list]) => list !== undefined)),
        state: binding.state === 'Unscheduled' ? 'Unscheduled' : 'Bound',
        resourceSnapshotIndex: wanted.index,
        ...(cluster ? { clusterResourceOverrideSnapshots: cluster } : {}),
        ...(namespaced ? { resourceOverrideSnapshots: namespaced } : {}),
        ...(wanted.applyStrategy ? { applyStrategy: wanted.applyStrategy } : {}),
        conditions: known ? [started, ...(conditions ?? []).filter(({ type }) => type !== started.type)] : [started],
      },
      move: known ? move : wasBound(binding) ? 'update' : 'add',
    };
  };
  return bindings.filter(({ binding }) => !binding.deleting).map(assigned);
}
