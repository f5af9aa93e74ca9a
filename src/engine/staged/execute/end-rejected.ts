import { rejectedGate } from '../../gate/run-gates.ts';
import { gatesIn } from '../approval/answer.ts';
import { checkGate, reviewedIn } from '../approval/check-gate.ts';
import { withReason } from '../run-conditions.ts';
import { type RunContext, type RunStep, withStage } from '../step.ts';
import { currentStage, hasSucceeded } from './current-stage.ts';
import { failRun } from './roll-back.ts';
import { updateClusters } from './update-clusters.ts';

/** The end of a run of which a gate is rejected on main that it has not passed, whether it has reached it or not. */
export function endRejected(step: RunStep, context: RunContext): RunStep | undefined {
  const gates = gatesIn(reviewedIn(step, context), context.input);
  const stages = step.status.stagesStatus ?? [];
  const gate = rejectedGate({ ...gates, all: gates.all.filter((it) => !hasSucceeded(stages[it.stageIndex]!)) });
  if (gate === undefined) return undefined;
  const check = checkGate(followed(step, context), context, gate);
  if (check.kind !== 'rejected') return undefined;
  const { message } = check;
  const at = gate.stageIndex;
  const stage = withReason(check.step.status.stagesStatus![at]!, 'ApprovalRejected', message, context.input.now);
  return failRun(withStage(check.step, at, stage), context, { reason: 'ApprovalRejected', message });
}

/** Clusters in flight that have become available are recorded as updated; none is started. */
function followed(step: RunStep, context: RunContext): RunStep {
  const current = currentStage(step.status);
  return current.kind === 'stage' ? updateClusters(step, context, current.index, 0).step : step;
}
