import type { StageStatus, TaskStatus } from '../../../api/staged.ts';
import { closedHolds, requestMade, withdrawnOnMain } from '../../gate/messages.ts';
import { outcomeOf } from '../../gate/outcome.ts';
import { acceptedFlaws, withdrawnGate } from '../../gate/run-gates.ts';
import { conditionIs, findCondition } from '../../kernel/condition.ts';
import { isOver } from '../../update-run.ts';
import { withReason } from '../run-conditions.ts';
import { allStages, hasStarted, type RunContext, type RunStep, withHolds, withProblem, withStage } from '../step.ts';
import { answerTo, gatesIn, requestOf } from './answer.ts';
import type { ReviewedRun } from './review-digest.ts';
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
  const { now, approvers } = context.input;
  const noted = taskOf(before.status, gate);
  if (isApproved(noted)) return { kind: 'open', step: before };
  const { approvedBy: _, ...task } = noted;
  const request = requestOf(gate, { run: context.run, status: before.status });
  const requested = withReason(task, 'StageTaskApprovalRequestCreated', requestMade(request.name), now);
  const step = withTask(before, gate, requested);
  const answer = answerTo(gate, reviewedIn(step, context), context.input);
  if (answer.kind === 'foreign') return { kind: 'mismatch', step: before, message: answer.message };
  const waiting = (why?: string) => closedHolds({ ...waitingFor(gate, requested, context), request, why });
  const outcome = outcomeOf(answer, { request, waiting, approvers });
  switch (outcome.kind) {
    case 'rejected':
      return { kind: 'rejected', step, message: outcome.message };
    case 'approved': {
      const { message, approvedBy } = outcome;
      const approved = withReason(requested, 'StageTaskApprovalRequestApproved', message, now);
      return { kind: 'open', step: withTask(step, gate, { ...approved, ...(approvedBy && { approvedBy }) }) };
    }
    case 'closed': {
      const { holds, refused } = outcome;
      const reported = refused ? withProblem(step, context, refused.problem, refused.file) : step;
      const ofStage = holds.map((hold) => ({ ...hold, stage: gate.stageName }));
      return { kind: 'closed', step: withHolds(reported, context, ofStage) };
    }
  }
}

/**
 * A run that is stopped or blocked passes no gate. That main approves a requested one is known all the same: it counts once the run
 * continues. Removing the file, or another review, ends that.
 */
export const noteAnswers = (before: RunStep, context: RunContext): RunStep =>
  gatesOf(before.status.stagesStatus ?? []).reduce((step, gate) => {
    const { approvers } = context.input;
    const request = requestOf(gate, { run: context.run, status: step.status });
    const task = taskOf(step.status, gate);
    if (isApproved(task) || !conditionIs(task.conditions, 'ApprovalRequestCreated', 'True')) return step;
    const answer = answerTo(gate, reviewedIn(step, context), context.input);
    const { approvedBy: known, ...noted } = task;
    const outcome =
      answer.kind === 'foreign' ? undefined : outcomeOf(answer, { request, waiting: () => [], approvers });
    const approvedBy = outcome?.kind === 'approved' ? (outcome.approvedBy ?? known) : undefined;
    return withTask(step, gate, { ...noted, ...(approvedBy && { approvedBy }) });
  }, before);

/** What an approver of the run in its present state reviews. */
export const reviewedIn = ({ work, status }: RunStep, { run }: RunContext): ReviewedRun => ({
  run,
  status,
  contents: work.contents,
});

/** Before the first cluster of the run starts, an approval that is withdrawn is requested again. */
export function withdraw(step: RunStep, context: RunContext): RunStep {
  const { stagesStatus: stages = [] } = step.status;
  const gate = withdrawnGate(gatesIn(reviewedIn(step, context), context.input), {
    hasStartedAfter: ({ stageIndex, timing }) =>
      allStages(step.status)
        .slice(timing === 'before' ? stageIndex : stageIndex + 1)
        .some(anyStarted),
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
export const flawedApprovals = (step: RunStep, context: RunContext): RunStep =>
  isOver(step.status)
    ? step
    : acceptedFlaws(gatesIn(reviewedIn(step, context), context.input)).reduce(
        (before, { file, problem }) => withProblem(before, context, problem, file),
        step,
      );

function waitingFor({ stageName, timing }: StageGate, { conditions }: TaskStatus, { run }: RunContext) {
  const refusal = findCondition(conditions, 'ApprovalRequestApproved');
  return {
    waiting: `run ${run.metadata.name}`,
    subject: `stage ${stageName} ${timing === 'before' ? 'before it starts' : 'after it finished'}`,
    since: (refusal ?? findCondition(conditions, 'ApprovalRequestCreated'))?.lastTransitionTime,
    withdrawn: refusal?.reason === 'ApprovalWithdrawn' ? (refusal.message ?? '') : undefined,
  };
}

const withTask = (step: RunStep, gate: StageGate, task: TaskStatus): RunStep =>
  withStage(step, gate.stageIndex, stageWithTask(step.status.stagesStatus![gate.stageIndex]!, gate, task));
