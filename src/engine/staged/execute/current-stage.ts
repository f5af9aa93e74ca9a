import type { StageStatus, UpdateRunStatus } from '../../../api/staged.ts';
import { conditionIs } from '../../kernel/condition.ts';
import { scale } from '../../kernel/int-or-percent.ts';
import { hasFinished, hasStarted, isInFlight } from '../step.ts';

export type CurrentStage =
  | { readonly kind: 'stage'; readonly index: number }
  | { readonly kind: 'delete' }
  /** The recorded progress contradicts itself; the run fails. */
  | { readonly kind: 'inconsistent'; readonly message: string };

/**
 * The first stage that has not succeeded, after checking that progress is consistent: no gaps, only finished clusters in a
 * succeeded stage, no more clusters in flight than allowed, no deletion before the last stage (KubeFleet
 * updaterun/validation.go).
 */
export function currentStage(status: UpdateRunStatus): CurrentStage {
  const stages = status.stagesStatus ?? [];
  const index = stages.findIndex((stage) => !hasSucceeded(stage));
  for (const [at, stage] of stages.entries()) {
    if (hasSucceeded(stage)) {
      const unfinished = stage.clusters.find((cluster) => !hasFinished(cluster));
      if (unfinished)
        return inconsistent(`stage ${stage.stageName} has succeeded but its cluster ${unfinished.clusterName} has not`);
      if (index >= 0 && at > index && stage.clusters.length > 0)
        return inconsistent(`stage ${stage.stageName} has succeeded before stage ${stages[index]!.stageName}`);
    } else if (at > index && stage.clusters.some(hasStarted))
      return inconsistent(
        `stage ${stage.stageName} is updating before stage ${stages[index]!.stageName} has succeeded`,
      );
    const inFlight = stage.clusters.filter(isInFlight).length;
    const most = concurrencyOf(status, at);
    if (inFlight > most)
      return inconsistent(`stage ${stage.stageName} has ${inFlight} clusters in flight, maxConcurrency allows ${most}`);
  }
  if (index < 0) return { kind: 'delete' };
  if (status.deletionStageStatus?.clusters.some(hasStarted))
    return inconsistent(`the delete stage has started before stage ${stages[index]!.stageName} has succeeded`);
  return { kind: 'stage', index };
}

/** maxConcurrency of the run's strategy: percentages of the stage's clusters, rounded down, 1 at least. */
export function concurrencyOf({ stagedUpdateStrategySnapshot, stagesStatus }: UpdateRunStatus, at: number): number {
  const value = stagedUpdateStrategySnapshot?.stages[at]?.maxConcurrency ?? 1;
  return Math.max(1, scale(value, stagesStatus?.[at]?.clusters.length ?? 0, 'down'));
}

/** All clusters of the stage and all its tasks are done. */
export const hasSucceeded = ({ conditions }: StageStatus): boolean => conditionIs(conditions, 'Succeeded', 'True');

const inconsistent = (message: string): CurrentStage => ({ kind: 'inconsistent', message });
