import { placementKey } from '../../../api/placement.ts';
import type { ApprovalRequest, StagedUpdateRun } from '../../../api/staged.ts';
import type { UpgradeGate } from '../../../api/upgrade-gate.ts';
import { approvedByIn } from '../../../engine/gate/approver.ts';
import {
  type ApprovalRequestName,
  approvalBranch,
  howToMerge,
  mergeCommand,
  placeOfBranch,
} from '../../../engine/gate/request.ts';
import { reviewAnnotation } from '../../../engine/gate/review.ts';
import { findCondition } from '../../../engine/kernel/condition.ts';
import { listUpTo } from '../../../engine/kernel/short-list.ts';
import { isOver } from '../../../engine/update-run.ts';
import type { RemovalToApprove } from '../../../repo/record/removals-to-approve.ts';
import { titleOf } from '../../../repo/title-of.ts';
import { progressText } from '../../../report/waits/progress-text.ts';
import { type StageTaskState, stageTasks } from '../../../report/waits/stage-tasks.ts';
import type { Status } from '../../status/open-status.ts';
import { mostNamed } from '../../terminal/names.ts';
import { conditionTable, fields, sentences, titled } from '../page-text.ts';

/** A request of a run: since when the run waits, what approval starts, and how to approve. */
export function approvalPage(
  request: ApprovalRequest,
  { record, inPlace, reported }: Pick<Status, 'record' | 'inPlace' | 'reported'>,
): string[] {
  const { metadata, spec, status } = request;
  const run = [...record.runs.values()].find(
    (candidate) =>
      candidate.metadata.name === spec.parentStageRollout && candidate.metadata.namespace === metadata.namespace,
  );
  const task = run && stageTasks(run).find(({ approval }) => approval === metadata.name);
  const decision = findCondition(status?.conditions, 'Approved');
  const closed = decision !== undefined || (run?.status !== undefined && isOver(run.status));
  return [
    head(request, { run, task }),
    ...(run && task ? [titled('Approval starts', sentences(opened(run, task)))] : []),
    ...(closed
      ? []
      : [
          ...ofBranch(request.metadata, reported),
          titled(
            'How to approve or reject',
            sentences([...approveLines(request.metadata, inPlace), rejectLine(request.metadata)]),
          ),
        ]),
    ...(status?.conditions?.length ? [titled('Conditions', conditionTable(status.conditions))] : []),
  ];
}

function head(
  { kind, metadata, spec, status }: ApprovalRequest,
  { run, task }: { readonly run: StagedUpdateRun | undefined; readonly task: StageTaskState | undefined },
): string {
  const decision = findCondition(status?.conditions, 'Approved');
  const approved = task?.progress.startsWith('approved') ? task.progress : 'approved';
  const waits = run?.status && isOver(run.status) ? 'the run is over' : progressText(run?.status);
  return fields([
    ['Name', metadata.name],
    metadata.namespace === undefined ? undefined : ['Namespace', metadata.namespace],
    ['Kind', kind],
    ['Run', spec.parentStageRollout],
    ['Placement', run && titleOf({ name: run.spec.placementName, namespace: run.metadata.namespace })],
    ['Snapshot', run?.status?.resourceSnapshotIndexUsed],
    ['Stage', `${task ? `${task.timing} ` : ''}${spec.targetStage}`],
    ['Decision', decision ? { True: approved, False: 'rejected', Unknown: 'unknown' }[decision.status] : 'none yet'],
    [decision ? 'Decided' : 'Requested', decision?.lastTransitionTime ?? task?.since],
    ['Waiting', decision ? 'none' : `run ${spec.parentStageRollout}: ${waits}`],
    ['Review', metadata.annotations?.[reviewAnnotation]],
  ]);
}

/** What approval starts, and what else must happen first. */
function opened(run: StagedUpdateRun, task: StageTaskState): string[] {
  const { stagesStatus = [], stagedUpdateStrategySnapshot, deletionStageStatus } = run.status ?? {};
  const at = stagesStatus.findIndex(({ stageName }) => stageName === task.stage);
  const next = task.timing === 'before' ? at : at + 1;
  const stage = stagesStatus[next];
  const others = stageTasks(run).filter(
    ({ stage: name, timing, type, isOpen }) =>
      name === task.stage && timing === task.timing && type === 'TimedWait' && isOpen,
  );
  const when = others.map(({ until }) => `not before the soak of stage ${task.stage} is over, at ${until}`);
  if (stage === undefined) {
    const leaving = (deletionStageStatus?.clusters ?? []).map(({ clusterName }) => clusterName);
    return [
      leaving.length === 0
        ? 'the end of the run: there is no stage after it'
        : `the removal from ${leaving.length} cluster(s): ${listUpTo(leaving, mostNamed)}`,
      ...when,
    ];
  }
  const { maxConcurrency = 1 } = stagedUpdateStrategySnapshot?.stages[next] ?? {};
  const names = stage.clusters.map(({ clusterName }) => clusterName);
  return [
    names.length === 0
      ? `stage ${stage.stageName}, which has no clusters`
      : `stage ${stage.stageName}, ${names.length} cluster(s), at most ${maxConcurrency} at once: ${listUpTo(names, mostNamed)}`,
    ...when,
  ];
}

/** A gate of a cluster update run: what it opens, and how to approve it. */
export function gatePage(
  { kind, metadata, spec, status }: UpgradeGate,
  { inPlace }: Pick<Status, 'inPlace'>,
): string[] {
  const { name, stage, group, timing } = spec.target.updateRunProperties;
  const state = status?.state ?? 'Pending';
  const by = approvedByIn(status?.message);
  const isAsked = state === 'Pending' && spec.gateType === 'Approval';
  return [
    fields([
      ['Name', metadata.name],
      ['Kind', kind],
      ['Run', name],
      ['Gate', `${timing.toLowerCase()} ${group === undefined ? `stage ${stage}` : `group ${group}`}`],
      ['Type', spec.gateType],
      spec.displayName === undefined ? undefined : ['Title', spec.displayName],
      ['State', by === undefined ? state : `${state}, ${by}`],
      ['Review', metadata.annotations?.[reviewAnnotation]],
    ]),
    ...(isAsked
      ? [titled('How to approve or reject', sentences([...approveLines(metadata, inPlace), rejectLine(metadata)]))]
      : []),
  ];
}

/** Removals that are refused or held: what would be removed, and how to approve it. */
export function removalPage(
  asked: RemovalToApprove,
  { inPlace, reported }: Pick<Status, 'inPlace' | 'reported'>,
): string[] {
  const { name, removalDigest, messages } = asked;
  return [
    fields([
      ['Name', name],
      ['Kind', 'RemovalApproval'],
      ['Decision', 'none yet'],
      ['Digest', removalDigest],
    ]),
    titled('Removals', sentences(messages)),
    ...ofBranch({ name }, reported),
    titled(
      'How to approve or reject',
      sentences([
        ...approveLines({ name }, inPlace),
        'reject:   revert the commit that removes it, or do nothing: these removals wait for approval',
      ]),
    ),
  ];
}

/** What is wrong with the branch of a request, so that nobody merges it unread. */
function ofBranch(request: ApprovalRequestName, reported: Status['reported']): string[] {
  const found = reported.filter(({ code, file }) => code === 'approval-branch' && file === placeOfBranch(request));
  return found.map(({ message, fix }) => titled('Branch', sentences([message, ...(fix ? [`Fix: ${fix}`] : [])])));
}

function approveLines(request: Parameters<typeof approvalBranch>[0], inPlace: boolean): string[] {
  return [
    `approve:  gitfleet approve ${placementKey(request)}`,
    `          or ${howToMerge(request)}; in ${inPlace ? 'the repo' : 'a clone'}:`,
    `          ${mergeCommand(approvalBranch(request), inPlace)}`,
  ];
}

const rejectLine = (request: ApprovalRequestName): string =>
  `reject:   gitfleet approve ${placementKey(request)} --reject --reason "…"; that ends the run`;
