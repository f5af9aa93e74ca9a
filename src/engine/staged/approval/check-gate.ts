import type { ApprovalRequest, StageStatus, TaskStatus } from '../../../api/staged.ts';
import type { ApprovalFlaw } from '../../gate/answer.ts';
import { approvedOnMain, recordedApprover, rejectedOnMain } from '../../gate/approver.ts';
import {
  closedHolds,
  flawedApproval,
  requestMade,
  staleHold,
  whyRefused,
  withdrawnOnMain,
} from '../../gate/messages.ts';
import { withdrawnGate } from '../../gate/withdrawal.ts';
import { sourceKey } from '../../input.ts';
import { findCondition } from '../../kernel/condition.ts';
import { isOver } from '../../update-run.ts';
import { withReason } from '../run-conditions.ts';
import {
  allStages,
  hasStarted,
  type RunContext,
  type RunStep,
  withHold,
  withHolds,
  withProblem,
  withStage,
} from '../step.ts';
import { answerTo, type StageAnswer } from './answer.ts';
import { reviewDigest } from './review-digest.ts';
import { gatesOf, isApproved, type StageGate, stageWithTask, taskOf } from './stage-gates.ts';

export type GateCheck =
  | { readonly kind: 'open'; readonly step: RunStep }
  | { readonly kind: 'closed'; readonly step: RunStep }
  /** Approved: "False" on main. */
  | { readonly kind: 'rejected'; readonly step: RunStep; readonly message: string }
  /** The approval file is for another run or stage. */
  | { readonly kind: 'mismatch'; readonly step: RunStep; readonly message: string };

/**
 * Requests an approval, or reads the answer. A gate once approved stays open (KubeFleet execution.go), also when its file is
 * removed, except by {@link withdraw}.
 */
export function checkGate(before: RunStep, context: RunContext, gate: StageGate): GateCheck {
  const { now } = context.input;
  const task = taskOf(before.status, gate);
  if (isApproved(task)) return { kind: 'open', step: before };
  const name = task.approvalRequestName ?? '';
  const requested = withReason(task, 'StageTaskApprovalRequestCreated', requestMade(name), now);
  const step = withTask(before, gate, requested);
  const answer = presentAnswer(step, context, gate);
  switch (answer.kind) {
    case 'foreign':
      return { kind: 'mismatch', step: before, message: answer.message };
    case 'rejected':
      return {
        kind: 'rejected',
        step,
        message: rejectedOnMain(name, answer.message, approverOf(answer.file, context)),
      };
    case 'approved': {
      const approver = approverOf(answer.file, context);
      const message = approvedOnMain(name, approver);
      const approved = withReason(requested, 'StageTaskApprovalRequestApproved', message, now);
      const approvedBy = approver && { approvedBy: recordedApprover(approver) };
      return { kind: 'open', step: withTask(step, gate, { ...approved, ...approvedBy }) };
    }
    case 'stale': {
      const { namespace } = context.run.metadata;
      const hold = staleHold({ name, namespace }, answer.file.metadata.name);
      const held = withHold(step, context, { ...hold, stage: gate.stageName });
      return { kind: 'closed', step: waiting(held, context, gate, requested) };
    }
    case 'refused': {
      const { file, flaw } = answer;
      const reported = withFlaw(step, context, { request: name, file, flaw, accepted: false });
      const why = whyRefused(file.metadata.name, flaw);
      return { kind: 'closed', step: waiting(reported, context, gate, requested, why) };
    }
    case 'none':
      return { kind: 'closed', step: waiting(step, context, gate, requested, answer.why) };
  }
}

const approverOf = ({ kind, metadata }: ApprovalRequest, { input }: RunContext) =>
  input.approvers?.get(sourceKey(kind, metadata));

/** Before the first cluster of the run starts, an approval that is withdrawn is requested again. */
export function withdraw(step: RunStep, context: RunContext): RunStep {
  const { stagesStatus: stages = [] } = step.status;
  const gate = withdrawnGate({
    gates: gatesOf(stages),
    isApproved: (it) => isApproved(taskOf(step.status, it)),
    hasStartedAfter({ stageIndex, timing }) {
      return allStages(step.status)
        .slice(timing === 'before' ? stageIndex : stageIndex + 1)
        .some(anyStarted);
    },
    answerTo: (it) => presentAnswer(step, context, it),
    absenceIsCertain: context.input.absenceIsCertain,
  });
  if (gate === undefined) return step;
  const { approvedBy: _, ...task } = taskOf(step.status, gate);
  const conditions = (task.conditions ?? []).filter(({ type }) => type !== 'ApprovalRequestApproved');
  const withdrawn = stages.some(anyStarted)
    ? withReason(task, 'ApprovalWithdrawn', withdrawnOnMain(task.approvalRequestName ?? ''), context.input.now)
    : { ...task, conditions };
  return reopened(withTask(step, gate, withdrawn), gate.stageIndex);
}

const anyStarted = ({ clusters }: StageStatus): boolean => clusters.some(hasStarted);

/** The stage of a withdrawn approval is the current one again, and empty stages skipped since are reset. */
function reopened(step: RunStep, from: number): RunStep {
  const stages = (step.status.stagesStatus ?? []).map((stage, at) => {
    if (at < from) return stage;
    const { endTime: _, conditions, ...rest } = stage;
    return { ...rest, conditions: (conditions ?? []).filter(({ type }) => type !== 'Succeeded') };
  });
  return { ...step, status: { ...step.status, stagesStatus: stages } };
}

/** Reports approvals that count although they do not answer the review, as long as the run continues. */
export function flawedApprovals(step: RunStep, context: RunContext): RunStep {
  if (isOver(step.status)) return step;
  return gatesOf(step.status.stagesStatus ?? [])
    .filter((gate) => isApproved(taskOf(step.status, gate)))
    .reduce((before, gate) => {
      const answer = presentAnswer(step, context, gate);
      if (answer.kind !== 'approved' || answer.flaw === undefined) return before;
      const request = taskOf(before.status, gate).approvalRequestName ?? '';
      return withFlaw(before, context, { request, file: answer.file, flaw: answer.flaw, accepted: true });
    }, step);
}

function withFlaw(
  step: RunStep,
  context: RunContext,
  of: {
    /** Name of the request that should have been merged. */
    readonly request: string;
    readonly file: ApprovalRequest;
    readonly flaw: ApprovalFlaw;
    readonly accepted: boolean;
  },
): RunStep {
  const { request: name, file, flaw, accepted } = of;
  const request = { name, namespace: context.run.metadata.namespace };
  return withProblem(step, context, flawedApproval(file.metadata.name, flaw, { request, accepted }), file);
}

function waiting(step: RunStep, context: RunContext, gate: StageGate, task: TaskStatus, why?: string): RunStep {
  const { name, namespace } = context.run.metadata;
  const refusal = findCondition(task.conditions, 'ApprovalRequestApproved');
  const holds = closedHolds({
    request: { name: task.approvalRequestName ?? '', namespace },
    waiting: `run ${name}`,
    subject: `stage ${gate.stageName} ${gate.timing === 'before' ? 'before it starts' : 'after it finished'}`,
    since: (refusal ?? findCondition(task.conditions, 'ApprovalRequestCreated'))?.lastTransitionTime,
    why,
    withdrawn: refusal?.reason === 'ApprovalWithdrawn' ? (refusal.message ?? '') : undefined,
  });
  return withHolds(
    step,
    context,
    holds.map((hold) => ({ ...hold, stage: gate.stageName })),
  );
}

/** The answer on main to a gate of the run in its present state. */
const presentAnswer = (step: RunStep, context: RunContext, gate: StageGate): StageAnswer =>
  answerTo(gate, context, {
    early: step.status.earlyApprovals,
    digest: () => reviewDigest(step, context, gate),
  });

const withTask = (step: RunStep, gate: StageGate, task: TaskStatus): RunStep =>
  withStage(step, gate.stageIndex, stageWithTask(step.status.stagesStatus![gate.stageIndex]!, gate, task));
