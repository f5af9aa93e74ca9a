import type { ClusterUpdatingStatus } from '../../../api/staged.ts';
import type { GuardFinding } from '../../plan-document.ts';
import { isDone, isStarted, type RunChange } from './run-status.ts';

/** A stage updates no more clusters at once than its maxConcurrency allows; percentages round down, at least 1. */
export function crowdedStages({ run: { name, status }, before }: RunChange): GuardFinding[] {
  return (status.stagesStatus ?? []).flatMap((stage, at) => {
    const value = String(status.stagedUpdateStrategySnapshot?.stages[at]?.maxConcurrency ?? 1);
    const scaled = value.endsWith('%')
      ? Math.floor((Number(value.slice(0, -1)) * stage.clusters.length) / 100)
      : Number(value);
    const flying = (clusters: readonly ClusterUpdatingStatus[]): number =>
      clusters.filter((cluster) => isStarted(cluster) && !isDone(cluster)).length;
    const most = Math.max(1, scaled, flying(before?.stagesStatus?.[at]?.clusters ?? []));
    return flying(stage.clusters) > most
      ? [
          {
            rule: 'stage-concurrency',
            message: `run ${name} would update more than ${most} clusters of stage ${stage.stageName} at once`,
          },
        ]
      : [];
  });
}
