import type { TaskStatus } from '../../../api/staged.ts';
import { findCondition } from '../../kernel/condition.ts';
import { isOver } from '../../update-run.ts';
import { mark } from '../marks.ts';
import { hasStarted, type RunContext, type RunStep, withHold, withProblem, withStage } from '../step.ts';
import { answerTo, approvalFileFor } from './answer.ts';
import { type Gate, gatesOf, howToMerge, tasksOf } from './name.ts';
import { reviewDigest } from './review-digest.ts';

export type Passage =
  | { readonly kind: 'open'; readonly step: RunStep }
  | { readonly kind: 'closed'; readonly step: RunStep }
  /** Approved: "False" on main. */
  | { readonly kind: 'rejected'; readonly step: RunStep; readonly message: string }
  | { readonly kind: 'broken'; readonly step: RunStep; readonly message: string };

/**
 * Asks for an approval, or reads the answer. A gate once passed stays open (KubeFleet execution.go); the file that opened
 * it may go, except for what {@link withdraw} says.
 */
export function passGate(begun: RunStep, context: RunContext, gate: Gate): Passage {
  const { now } = context.input;
  const task = taskOf(begun, gate);
  if (isApproved(task)) return { kind: 'open', step: begun };
  const name = task.approvalRequestName ?? '';
  const asked = mark(task, 'StageTaskApprovalRequestCreated', `approval request ${name} is on its branch`, now);
  const step = withTask(begun, gate, asked);
  const answer = answerTo(gate, context, () => reviewDigest(step, context, gate));
  switch (answer.kind) {
    case 'foreign':
      return { kind: 'broken', step: begun, message: answer.message };
    case 'rejected': {
      const why = answer.message === '' ? '' : `: ${answer.message}`;
      return { kind: 'rejected', step, message: `approval ${name} was refused on main${why}` };
    }
    case 'approved': {
      const approved = mark(asked, 'StageTaskApprovalRequestApproved', `approval ${name} is on main`, now);
      return { kind: 'open', step: withTask(step, gate, approved) };
    }
    case 'stale': {
      const message = `approval ${answer.file.metadata.name} on main is for another review than the present one: ${howToMerge({ name: name, namespace: context.run.metadata.namespace })}`;
      const told = withHold(step, context, { reason: 'ApprovalStale', message, stage: gate.stageName });
      return { kind: 'closed', step: waiting(told, context, gate, asked) };
    }
    case 'none':
      return { kind: 'closed', step: waiting(step, context, gate, asked, answer.why) };
  }
}

/**
 * Removing the file takes back the gate passed last, as long as nothing was started since (docs/compatibility.md; in
 * KubeFleet an accepted approval stands). Before the first cluster of the run this is simply asked again.
 */
export function withdraw(step: RunStep, context: RunContext): RunStep {
  const { input } = context;
  const stages = step.status.stagesStatus ?? [];
  const last = gatesOf(stages).findLast((gate) => isApproved(taskOf(step, gate)));
  if (last === undefined || !input.absenceIsCertain) return step;
  const after = last.timing === 'before' ? stages.slice(last.stageIndex) : stages.slice(last.stageIndex + 1);
  const later = [...after, ...(step.status.deletionStageStatus ? [step.status.deletionStageStatus] : [])];
  if (later.some(({ clusters }) => clusters.some(hasStarted))) return step;
  const answer = approvalFileFor(last, context) && answerTo(last, context, () => reviewDigest(step, context, last));
  if (answer !== undefined && answer.kind !== 'none' && answer.kind !== 'rejected') return step;
  const nothingStarted = !stages.some(({ clusters }) => clusters.some(hasStarted));
  const task = taskOf(step, last);
  const conditions = (task.conditions ?? []).filter(({ type }) => type !== 'ApprovalRequestApproved');
  const message = `approval ${task.approvalRequestName ?? ''} was taken back before the next cluster started`;
  const taken = nothingStarted ? { ...task, conditions } : mark(task, 'ApprovalWithdrawn', message, input.now);
  return reopened(withTask(step, last, taken), last.stageIndex);
}

/** The stage of a gate taken back is the current one again, and so are empty stages skipped since. */
function reopened(step: RunStep, from: number): RunStep {
  const stages = (step.status.stagesStatus ?? []).map((stage, at) => {
    if (at < from) return stage;
    const { endTime: _, conditions, ...rest } = stage;
    return { ...rest, conditions: (conditions ?? []).filter(({ type }) => type !== 'Succeeded') };
  });
  return { ...step, status: { ...step.status, stagesStatus: stages } };
}

/** Approvals written by hand name no review: accepted, and told as long as the run goes on so that it is seen. */
export function unreviewedApprovals(step: RunStep, context: RunContext): RunStep {
  if (isOver(step.status)) return step;
  return gatesOf(step.status.stagesStatus ?? [])
    .filter((gate) => isApproved(taskOf(step, gate)))
    .reduce((so, gate) => {
      const file = approvalFileFor(gate, context);
      const answer = file && answerTo(gate, context, () => '');
      if (answer?.kind !== 'approved' || answer.reviewed) return so;
      const warning = {
        severity: 'warning',
        code: 'approval-without-review',
        path: 'metadata.annotations',
        message: `approval ${answer.file.metadata.name} does not say what was reviewed and is accepted as it is`,
        fix: 'merge the approval branch instead, or copy its annotation gitfleet.dev/review',
      } as const;
      return withProblem(so, context, warning, answer.file);
    }, step);
}

function waiting(step: RunStep, context: RunContext, gate: Gate, task: TaskStatus, why?: string): RunStep {
  const { name } = context.run.metadata;
  const refusal = findCondition(task.conditions, 'ApprovalRequestApproved');
  const since = (refusal ?? findCondition(task.conditions, 'ApprovalRequestCreated'))?.lastTransitionTime;
  const request = task.approvalRequestName ?? '';
  const what = gate.timing === 'before' ? 'before it starts' : 'after it finished';
  const told = withHold(step, context, {
    reason: 'WaitingForApproval',
    message: `run ${name} waits since ${since} for a person to approve stage ${gate.stageName} ${what}${why ? ` (${why})` : ''}: ${howToMerge({ name: request, namespace: context.run.metadata.namespace })}`,
    stage: gate.stageName,
  });
  if (refusal?.reason !== 'ApprovalWithdrawn') return told;
  return withHold(told, context, {
    reason: 'ApprovalWithdrawn',
    message: `${refusal.message ?? ''}: ${howToMerge({ name: request, namespace: context.run.metadata.namespace })}`,
    stage: gate.stageName,
  });
}

/** A person said yes, and the run has taken note of it. */
export const isApproved = (task: TaskStatus): boolean =>
  findCondition(task.conditions, 'ApprovalRequestApproved')?.status === 'True';

/** The task of the stage that stands for a gate. */
export const taskOf = (step: RunStep, gate: Gate): TaskStatus =>
  tasksOf(step.status.stagesStatus![gate.stageIndex]!, gate.timing)![gate.taskIndex]!;

function withTask(step: RunStep, gate: Gate, task: TaskStatus): RunStep {
  const stage = step.status.stagesStatus![gate.stageIndex]!;
  const tasks = (tasksOf(stage, gate.timing) ?? []).map((existing, at) => (at === gate.taskIndex ? task : existing));
  const field = gate.timing === 'before' ? { beforeStageTaskStatus: tasks } : { afterStageTaskStatus: tasks };
  return withStage(step, gate.stageIndex, { ...stage, ...field });
}
