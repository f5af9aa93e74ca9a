import type { Condition } from '../../../api/meta.ts';
import type { ApprovalRequest } from '../../../api/staged.ts';
import { conditionIs, findCondition, settle } from '../../kernel/condition.ts';
import type { PlannedApproval } from '../../plan-document.ts';
import { isOver, type RunContext, type RunStep } from '../step.ts';
import { answerTo, approvalKind, reviewAnnotation } from './answer.ts';
import { isApproved, taskOf } from './gate.ts';
import { type Gate, gatesOf } from './name.ts';
import { reviewDigest } from './review-digest.ts';

/**
 * The approval requests of a run that have been made, answered or not. Those that a run which is over still waited for are
 * withdrawn: what is not listed here has no branch.
 */
export const plannedApprovals = (step: RunStep, context: RunContext): readonly PlannedApproval[] =>
  gatesOf(step.status.stagesStatus ?? []).flatMap((gate) => {
    const task = taskOf(step, gate);
    if (!conditionIs(task.conditions, 'ApprovalRequestCreated', 'True')) return [];
    const planned = plannedApproval(step, context, gate);
    return isOver(step.status) && planned.status.conditions.length === 0 ? [] : [planned];
  });

function plannedApproval(step: RunStep, context: RunContext, gate: Gate): PlannedApproval {
  const { run, input } = context;
  const { namespace } = run.metadata;
  const task = taskOf(step, gate);
  const name = task.approvalRequestName ?? '';
  const recorded = input.recordedApprovals.get(namespace === undefined ? name : `${namespace}.${name}`);
  const accepted = isApproved(task);
  const knownDigest = accepted ? recorded?.metadata.annotations?.[reviewAnnotation] : undefined;
  const digest = knownDigest ?? reviewDigest(step, context, gate);
  return {
    kind: approvalKind(run),
    name,
    ...(namespace === undefined ? {} : { namespace }),
    spec: { parentStageRollout: run.metadata.name, targetStage: gate.stageName },
    status: { conditions: conditionsOf(context, gate, recorded, accepted, digest) },
    reviewDigest: digest,
  };
}

function conditionsOf(
  context: RunContext,
  gate: Gate,
  recorded: ApprovalRequest | undefined,
  accepted: boolean,
  digest: string,
): Condition[] {
  const { now } = context.input;
  const before = recorded?.status?.conditions;
  const answer = answerTo(gate, context, () => digest);
  const said =
    answer.kind === 'approved' || answer.kind === 'rejected'
      ? findCondition(answer.file.status?.conditions, 'Approved')
      : accepted
        ? (findCondition(before, 'Approved') ?? { type: 'Approved', status: 'True' as const, reason: 'Approved' })
        : undefined;
  if (said === undefined) return [];
  // An approval given while the run is stopped is read when it runs again.
  const approved: Condition = {
    ...settle(before, { ...said, reason: said.reason === '' ? 'Approved' : said.reason }, now),
    ...(said.lastTransitionTime === undefined ? {} : { lastTransitionTime: said.lastTransitionTime }),
  };
  if (!accepted) return [approved];
  const type = 'ApprovalAccepted';
  const message = `the approval of stage ${gate.stageName} has been accepted`;
  return [approved, settle(before, { type, status: 'True', reason: 'ApprovalRequestApprovalAccepted', message }, now)];
}
