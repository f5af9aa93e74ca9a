import type { ClusterName, Timestamp } from '../api/meta.ts';
import type { ClusterUpdatingStatus, StageStatus, UpdateRunStatus } from '../api/staged.ts';
import { rejectionIn } from '../engine/gate/approver.ts';
import { findCondition } from '../engine/kernel/condition.ts';
import { type Refusal, refusalUntil } from './refusals.ts';
import type { ClusterSpan, RolloutStage, Wait } from './spans.ts';

export interface StageContext {
  readonly status: UpdateRunStatus;
  /** Nothing is removed from a cluster that left the fleet, or that was never given anything. */
  readonly isRemoved: (cluster: ClusterName) => boolean;
  /** By stage; those of the run as a whole under ''. */
  readonly freezes: ReadonlyMap<string, readonly Wait[]>;
  /** Whether the cluster has nothing of the placement when it starts. */
  readonly isInstall: (cluster: ClusterName, from: Timestamp) => boolean;
  /** When it was given: also before the run accepts it, as while it is stopped. */
  readonly approved: (approval: string) => Timestamp | undefined;
  readonly refusals: readonly Refusal[];
  readonly earlier: UpdateRunStatus | undefined;
  /** When its run failed or began to roll back, so that the stage does not go on. */
  readonly failedAt: Timestamp | undefined;
}

/** A stage of an update run as the last plan records it. */
export function stageOf(
  stage: StageStatus,
  { status, isRemoved, freezes, isInstall, approved, refusals, earlier, failedAt }: StageContext,
): RolloutStage {
  const { stageName, clusters, startTime, endTime } = stage;
  const failure = findCondition(stage.conditions, 'Succeeded');
  const cutAt = endTime ?? (failure?.status === 'False' ? failure.lastTransitionTime : failedAt);
  const waits = [
    ...(stage.beforeStageTaskStatus ?? []).flatMap((task) => approvalWait(task, approved) ?? []),
    ...(freezes.get(stageName) ?? []),
    ...(stage.afterStageTaskStatus ?? []).flatMap((task) =>
      task.type === 'Approval' ? (approvalWait(task, approved) ?? []) : (soakWait(stage, task, refusals) ?? []),
    ),
  ]
    .flatMap((wait) => cutWait(wait, cutAt) ?? [])
    .map((wait) => (rejectionIn(failure, wait.approval) === undefined ? wait : { ...wait, rejected: true as const }));
  const isRemoval = stageName === status.deletionStageStatus?.stageName;
  const known = new Set(
    (earlier?.stagesStatus ?? []).flatMap((other) =>
      other.clusters.filter(isDone).map(({ clusterName }) => clusterName),
    ),
  );
  const changing = clusters.filter(
    ({ clusterName }) => !known.has(clusterName) && !(isRemoval && !isRemoved(clusterName)),
  );
  const from = startTime ?? waits.map((wait) => wait.from).sort()[0];
  return {
    name: isRemoval ? 'removals' : stageName,
    ...(from !== undefined && { from }),
    ...(from !== undefined && cutAt !== undefined && { to: cutAt }),
    clusters: changing.flatMap((cluster) => spanOf(cluster, { isRemoval, isInstall }) ?? []),
    notStarted: changing.filter((cluster) => !isDone(cluster) && !hasStarted(cluster)).length,
    waits,
  };
}

/** Nothing is waited for after a stage has failed. */
function cutWait(wait: Wait, at: Timestamp | undefined): Wait | undefined {
  if (at === undefined || (wait.to !== undefined && wait.to <= at)) return wait;
  return wait.from < at ? { ...wait, to: at, unmet: true } : undefined;
}

/** Also one that failed. */
const isDone = ({ conditions }: ClusterUpdatingStatus): boolean =>
  findCondition(conditions, 'Succeeded') !== undefined || findCondition(conditions, 'Skipped')?.status === 'True';

const hasStarted = ({ conditions }: ClusterUpdatingStatus): boolean =>
  findCondition(conditions, 'Started') !== undefined;

function spanOf(
  { clusterName, conditions }: ClusterUpdatingStatus,
  { isRemoval, isInstall }: Pick<StageContext, 'isInstall'> & { readonly isRemoval: boolean },
): ClusterSpan | undefined {
  const from = findCondition(conditions, 'Started')?.lastTransitionTime;
  const succeeded = findCondition(conditions, 'Succeeded');
  const to = (succeeded ?? findCondition(conditions, 'Skipped'))?.lastTransitionTime;
  if (from === undefined) return undefined;
  const action = isRemoval ? 'remove' : isInstall(clusterName, from) ? 'add' : 'update';
  return {
    clusterName,
    action,
    from,
    ...(to !== undefined && { to }),
    ...(succeeded?.status === 'False' && { failed: true }),
  };
}

type Task = NonNullable<StageStatus['afterStageTaskStatus']>[number];

function approvalWait({ conditions, approvalRequestName }: Task, approved: StageContext['approved']): Wait | undefined {
  const from = findCondition(conditions, 'ApprovalRequestCreated')?.lastTransitionTime;
  const answer = findCondition(conditions, 'ApprovalRequestApproved');
  const recorded = answer?.status === 'True' ? answer.lastTransitionTime : undefined;
  if (from === undefined) return undefined;
  const given = [recorded, approved(approvalRequestName ?? '')].filter((at) => at !== undefined).sort()[0];
  // A plan that the guard refuses may have an answer before the request is recorded.
  const to = given !== undefined && given < from ? from : given;
  return {
    kind: 'approval',
    from,
    ...(to !== undefined && { to }),
    ...(approvalRequestName !== undefined && { approval: approvalRequestName }),
  };
}

function soakWait(stage: StageStatus, { conditions }: Task, refusals: readonly Refusal[]): Wait | undefined {
  if (stage.clusters.length === 0 || !stage.clusters.every(isDone)) return undefined;
  const ends = stage.clusters.map(
    (cluster) =>
      (findCondition(cluster.conditions, 'Skipped') ?? findCondition(cluster.conditions, 'Succeeded'))
        ?.lastTransitionTime ?? '',
  );
  const from = ends.reduce((last, at) => (at > last ? at : last));
  const recorded = findCondition(conditions, 'WaitTimeElapsed')?.lastTransitionTime;
  // A refused plan is not recorded: its end is seen with the next one that is not refused.
  const refusal = recorded === undefined ? undefined : refusalUntil(refusals, recorded);
  const to = refusal && refusal.from > from ? refusal.from : recorded;
  return { kind: 'soak', from, ...(to !== undefined && { to }) };
}
