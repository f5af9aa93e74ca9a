import type { Condition } from '../../../api/meta.ts';
import type { ClusterUpdatingStatus, StageStatus, UpdateRunStatus } from '../../../api/staged.ts';
import type { PlannedRun } from '../../plan-document.ts';

/** A run that is not over, as planned and as recorded before. */
export interface RunChange {
  readonly run: PlannedRun;
  readonly before: UpdateRunStatus | undefined;
}

/** Whether a stage ends with this plan. */
export const newlyDone = (stage: StageStatus, before: StageStatus | undefined): boolean =>
  is(stage.conditions, 'Succeeded') === 'True' &&
  stage.clusters.length > 0 &&
  is(before?.conditions, 'Succeeded') !== 'True';

/** Updated, failed within the limit of the run, or skipped. */
export const isDone = (cluster: ClusterUpdatingStatus): boolean =>
  is(cluster.conditions, 'Succeeded') === 'True' || is(cluster.conditions, 'Skipped') === 'True' || isFailed(cluster);

export const isFailed = ({ conditions }: ClusterUpdatingStatus): boolean => is(conditions, 'Succeeded') === 'False';

/** Status of a condition; undefined if it is absent. */
export const is = (conditions: readonly Condition[] | undefined, type: string): Condition['status'] | undefined =>
  conditions?.find((condition) => condition.type === type)?.status;
