import type { ClusterUpdatingStatus, StageStatus } from '../../../api/staged.ts';
import type { GuardFinding } from '../../plan-document.ts';
import { isStarted } from '../evidence/started-clusters.ts';
import { isDone, type RunChange } from './run-status.ts';

/** A stage updates no more clusters at once than its maxConcurrency allows; percentages round down, at least 1. */
export function crowdedStages({ run: { name, status }, before }: RunChange): GuardFinding[] {
  const stages = status.stagesStatus ?? [];
  return [
    ...stages.flatMap((stage, at) => tooMany(stage, before?.stagesStatus?.[at], { at, verb: 'update' })),
    ...(status.rollbackStatus?.stagesStatus ?? []).flatMap((stage, place) => {
      const at = stages.findIndex(({ stageName }) => stageName === stage.stageName);
      return tooMany(stage, before?.rollbackStatus?.stagesStatus[place], { at, verb: 'roll back' });
    }),
  ];

  /** `at`: place of the stage in the run. A rollback has the limit of the stage, however many clusters it returns. */
  function tooMany(
    stage: StageStatus,
    earlier: StageStatus | undefined,
    { at, verb }: { readonly at: number; readonly verb: string },
  ): GuardFinding[] {
    const value = String(status.stagedUpdateStrategySnapshot?.stages[at]?.maxConcurrency ?? 1);
    const total = stages[at]?.clusters.length ?? 0;
    const scaled = value.endsWith('%') ? Math.floor((Number(value.slice(0, -1)) * total) / 100) : Number(value);
    const most = Math.max(1, scaled, inFlight(earlier?.clusters ?? []));
    if (inFlight(stage.clusters) <= most) return [];
    const message = `run ${name} would ${verb} more than ${most} clusters of stage ${stage.stageName} at once`;
    return [{ rule: 'stage-concurrency', message }];
  }
}

const inFlight = (clusters: readonly ClusterUpdatingStatus[]): number =>
  clusters.filter((cluster) => isStarted(cluster) && !isDone(cluster)).length;
