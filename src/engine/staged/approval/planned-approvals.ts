import type { Condition } from '../../../api/meta.ts';
import type { ApprovalRequest } from '../../../api/staged.ts';
import { answerMessage } from '../../gate/approval-text.ts';
import { approvedForLater, approvedText } from '../../gate/approver.ts';
import { reviewAnnotation } from '../../gate/review.ts';
import { conditionIs, findCondition, withTransitionTime } from '../../kernel/condition.ts';
import { isEnding, isOver } from '../../update-run.ts';
import type { RunContext, RunStep } from '../step.ts';
import { answerTo, approvalKind } from './answer.ts';
import { reviewedIn } from './check-gate.ts';
import { type ReviewedRun, reviewDigest } from './review-digest.ts';
import { type StageApproval, stageApproval, subjectOf } from './stage-approval.ts';
import { gatesOf, isApproved, type StageGate, taskOf } from './stage-gates.ts';

/**
 * The approval requests of a run, answered or not. A request that is not listed here has no branch: requests that are open
 * when the run ends or rolls back are withdrawn.
 */
export const plannedApprovals = (step: RunStep, context: RunContext): readonly StageApproval[] =>
  gatesOf(step.status.stagesStatus ?? []).flatMap((gate) => {
    const task = taskOf(step.status, gate);
    if (!conditionIs(task.conditions, 'ApprovalRequestCreated', 'True')) return [];
    const approval = plannedApproval(step, context, gate);
    return isEnding(step.status) && approval.answer === undefined ? [] : [approval];
  });

function plannedApproval(step: RunStep, context: RunContext, gate: StageGate): StageApproval {
  const { run, input } = context;
  const { namespace } = run.metadata;
  const task = taskOf(step.status, gate);
  const name = task.approvalRequestName ?? '';
  const recorded = input.recordedApprovals.get(namespace === undefined ? name : `${namespace}.${name}`);
  const accepted = isApproved(task);
  const knownDigest = accepted ? recorded?.metadata.annotations?.[reviewAnnotation] : undefined;
  const reviewed = reviewedIn(step, context);
  const digest = knownDigest ?? reviewDigest(reviewed, gate, input.digest);
  const spec = { parentStageRollout: run.metadata.name, targetStage: gate.stageName };
  const approvedBy =
    accepted || isOver(step.status) ? approvedText(task.approvedBy) : approvedForLater(task.approvedBy);
  const conditions = conditionsOf({ context, reviewed, gate, recorded, accepted, approvedBy, digest, spec });
  const planned = {
    kind: approvalKind(run),
    name,
    ...(namespace === undefined ? {} : { namespace }),
    spec,
    status: { conditions },
    reviewDigest: digest,
  };
  const { reason, message } = findCondition(step.status.stagesStatus?.[gate.stageIndex]?.conditions, 'Succeeded') ?? {};
  return {
    ...stageApproval(planned, gate.timing, approvedBy),
    ...(reason === 'ApprovalRejected' && { rejection: message }),
  };
}

function conditionsOf(of: {
  readonly context: RunContext;
  readonly reviewed: ReviewedRun;
  readonly gate: StageGate;
  readonly recorded: ApprovalRequest | undefined;
  readonly accepted: boolean;
  readonly approvedBy: string | undefined;
  readonly digest: string;
  readonly spec: ApprovalRequest['spec'];
}): Condition[] {
  const { context, reviewed, gate, recorded, accepted, approvedBy, digest, spec } = of;
  const { now } = context.input;
  const before = recorded?.status?.conditions;
  const answer = answerTo(gate, reviewed, context.input, () => digest);
  const answered =
    answer.kind === 'approved' || answer.kind === 'rejected'
      ? findCondition(answer.file.status?.conditions, 'Approved')
      : accepted
        ? (findCondition(before, 'Approved') ?? { type: 'Approved', status: 'True' as const, reason: 'Approved' })
        : isOver(reviewed.status)
          ? findCondition(before, 'Approved')
          : undefined;
  if (answered === undefined) return [];
  // The approver's message stays as written, and none is added where there was none.
  const message = answered.message ? { message: answerMessage(answered, subjectOf(spec)) } : {};
  // An approval merged while the run is stopped is accepted once it runs again.
  const approved: Condition = {
    ...withTransitionTime(
      before,
      { ...answered, reason: answered.reason === '' ? 'Approved' : answered.reason, ...message },
      now,
    ),
    ...(answered.lastTransitionTime === undefined ? {} : { lastTransitionTime: answered.lastTransitionTime }),
  };
  if (!accepted) return [approved];
  const type = 'ApprovalAccepted';
  const accepting = {
    type,
    status: 'True' as const,
    reason: 'ApprovalRequestApprovalAccepted',
    message: `the approval of stage ${gate.stageName} has been accepted${approvedBy === undefined ? '' : `: ${approvedBy}`}`,
  };
  return [approved, withTransitionTime(before, accepting, now)];
}
