import type { Condition } from '../../api/meta.ts';
import type { StageStatus, TaskStatus, UpdateRunStatus } from '../../api/staged.ts';

/**
 * Sets the present generation on every condition, so that a change of state does not make progress look outdated (KubeFleet
 * updaterun/controller.go). Files in a repo rarely have a generation; then conditions have none either.
 */
export function withGeneration(status: UpdateRunStatus, generation: number | undefined): UpdateRunStatus {
  if (generation === undefined) return status;
  const { stagesStatus, deletionStageStatus, rollbackStatus } = status;
  const current = <T extends { readonly conditions?: Condition[] | undefined }>(subject: T): T =>
    subject.conditions === undefined
      ? subject
      : { ...subject, conditions: subject.conditions.map((it) => ({ ...it, observedGeneration: generation })) };
  const tasks = (list: TaskStatus[] | undefined) => list?.map((task) => current(task));
  const stage = (one: StageStatus): StageStatus => ({
    ...current(one),
    clusters: one.clusters.map((cluster) => current(cluster)),
    ...(one.beforeStageTaskStatus ? { beforeStageTaskStatus: tasks(one.beforeStageTaskStatus) } : {}),
    ...(one.afterStageTaskStatus ? { afterStageTaskStatus: tasks(one.afterStageTaskStatus) } : {}),
  });
  return {
    ...current(status),
    ...(stagesStatus ? { stagesStatus: stagesStatus.map(stage) } : {}),
    ...(deletionStageStatus ? { deletionStageStatus: stage(deletionStageStatus) } : {}),
    ...(rollbackStatus
      ? { rollbackStatus: { ...rollbackStatus, stagesStatus: rollbackStatus.stagesStatus.map(stage) } }
      : {}),
  };
}
