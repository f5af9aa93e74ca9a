import type { ClusterName } from '../../../api/meta.ts';
import type { StagedUpdateRun } from '../../../api/staged.ts';
import { findCondition, withTransitionTime } from '../../kernel/condition.ts';
import type { BindingStep, PlacementWork } from '../../placement-work.ts';
import { isPending, type RunStep, rollbackStages } from '../step.ts';
import { desiredBy, isInSync, previousOf } from './desired-binding.ts';

/**
 * Marks the bindings that the active run still has to move as waiting, with RolloutStarted=False unless they are being
 * removed. Clears that mark on the others. Under External a binding outside a run keeps what it has.
 */
export function markPending(
  work: PlacementWork,
  active: { readonly run: StagedUpdateRun; readonly step: RunStep } | undefined,
  now: string,
): PlacementWork {
  const awaited = active ? awaitedStages(active.step) : new Map<ClusterName, string>();
  const marked = (entry: BindingStep): BindingStep => {
    const { binding, move } = entry;
    if (binding.deleting) return entry;
    const turn = awaited.get(binding.targetCluster);
    if (active === undefined || turn === undefined) return released(entry, now);
    if (binding.state === 'Unscheduled') return { binding, move: 'wait' };
    const withheld = withTransitionTime(
      binding.conditions,
      {
        type: 'RolloutStarted',
        status: 'False',
        reason: notStartedYet,
        message: `waiting for its turn in ${turn} of update run ${active.run.metadata.name}`,
      },
      now,
    );
    const marked = move === 'keep' || move === 'wait' ? 'wait' : move;
    // The same value where it was marked before: later parts of a plan find out faster that nothing changed.
    if (withheld === binding.conditions?.[0]) return { binding, move: marked };
    const others = (binding.conditions ?? []).filter(({ type }) => type !== withheld.type);
    return { binding: { ...binding, conditions: [withheld, ...others] }, move: marked };
  };
  return { ...work, bindings: work.bindings.map(marked) };
}

const notStartedYet = 'RolloutNotStartedYet';

/** Clusters that the run has not reached yet and whose binding it will change, with what they wait for. */
function awaitedStages(step: RunStep): ReadonlyMap<ClusterName, string> {
  if (step.status.rollbackStatus) return awaitedReturns(step);
  const { stagesStatus = [], deletionStageStatus } = step.status;
  const live = new Map(
    step.work.bindings
      .filter(({ binding }) => !binding.deleting)
      .map(({ binding }) => [binding.targetCluster, binding]),
  );
  const awaited = new Map<ClusterName, string>();
  for (const { stageName, clusters } of stagesStatus) {
    for (const cluster of clusters) {
      const binding = live.get(cluster.clusterName);
      if (!isPending(cluster) || binding === undefined) continue;
      if (binding.state === 'Bound' && isInSync(binding, desiredBy(step, cluster), step.work)) continue;
      awaited.set(cluster.clusterName, `stage ${stageName}`);
    }
  }
  for (const cluster of deletionStageStatus?.clusters ?? []) {
    if (!isPending(cluster)) continue;
    if (live.get(cluster.clusterName)?.state === 'Unscheduled')
      awaited.set(cluster.clusterName, `stage ${deletionStageStatus!.stageName}`);
  }
  return awaited;
}

/** Clusters that a rollback has not reached yet and that still have what the run gave them. */
function awaitedReturns({ work, status }: RunStep): ReadonlyMap<ClusterName, string> {
  const reached = new Map(
    (status.stagesStatus ?? []).flatMap(({ clusters }) => clusters.map((it) => [it.clusterName, it])),
  );
  const live = new Map(work.bindings.map(({ binding }) => [binding.targetCluster, binding]));
  return new Map(
    rollbackStages(status).flatMap(({ stageName, clusters }) =>
      clusters.filter(isPending).flatMap(({ clusterName }): [ClusterName, string][] => {
        const cluster = reached.get(clusterName);
        const previous = cluster && previousOf(cluster);
        const binding = live.get(clusterName);
        if (previous === undefined || binding?.state !== 'Bound' || isInSync(binding, previous, work)) return [];
        return [[clusterName, `the rollback of stage ${stageName}`]];
      }),
    ),
  );
}

/** A binding that no run blocks any more: rolled out where it is Bound, otherwise without RolloutStarted. */
function released(entry: BindingStep, now: string): BindingStep {
  const { binding, move } = entry;
  const withheld = findCondition(binding.conditions, 'RolloutStarted');
  const kept = move === 'wait' ? 'keep' : move;
  if (withheld?.reason !== notStartedYet) return { ...entry, move: kept };
  const others = (binding.conditions ?? []).filter(({ type }) => type !== withheld.type);
  if (binding.state !== 'Bound') return { binding: { ...binding, conditions: others }, move: kept };
  const started = withTransitionTime(
    binding.conditions,
    { type: 'RolloutStarted', status: 'True', reason: 'RolloutStarted', message: 'no update run blocks it' },
    now,
  );
  return { binding: { ...binding, conditions: [started, ...others] }, move: kept };
}
