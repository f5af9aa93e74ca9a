import type { StagedUpdateRun, UpdateRunStatus } from '../../api/staged.ts';
import { earlyAmong, stillEarly, withEarlyApprovals } from '../gate/early-approvals.ts';
import type { PlannedRun } from '../plan-document.ts';
import { isInitialized, isOver } from '../update-run.ts';
import { approvalsOf } from './approval/answer.ts';
import { noteAnswers } from './approval/check-gate.ts';
import { endInstruction } from './end-instruction.ts';
import { endRejected } from './execute/end-rejected.ts';
import { execute } from './execute/execute.ts';
import { failRun, rollBack } from './execute/roll-back.ts';
import { stop } from './execute/stop.ts';
import { initialize } from './initialize/initialize.ts';
import { abortReason } from './initialize/revalidate.ts';
import { skipLeftClusters } from './left-clusters.ts';
import { withReason } from './run-conditions.ts';
import type { RunState } from './run-state.ts';
import { type RunContext, type RunStep, withHold } from './step.ts';

interface Turn {
  readonly state: RunState;
  /** A conflict between bindings: nothing in the placement may move. */
  readonly conflict: boolean;
  /** The active run of the same placement. */
  readonly blockedBy: StagedUpdateRun | undefined;
}

/** One run's turn in a plan: initialize, validate again, then act on its state. A run that is over waits for nothing. */
export function advanceRun(before: RunStep, context: RunContext, turn: Turn): RunStep {
  if (isOver(before.status)) return before;
  const step = advanceByState(before, context, turn);
  return isOver(step.status) ? { ...step, holds: before.holds, wakes: before.wakes } : step;
}

function advanceByState(before: RunStep, context: RunContext, turn: Turn): RunStep {
  if (before.status.rollbackStatus) return continueRollback(before, context, turn);
  const wasInitialized = isInitialized(before.status);
  if (!wasInitialized && turn.conflict) return before;
  const ready = wasInitialized ? skipLeftClusters(before, context) : initialize(before, context);
  if (!isInitialized(ready.status)) return ready;
  const step = advanceStages(withEarly(ready, context, { isNew: !wasInitialized }), context, turn);
  if (step.status.rollbackStatus === undefined) return step;
  return continueRollback({ ...step, holds: before.holds, wakes: before.wakes }, context, turn);
}

function withEarly(step: RunStep, { run, input }: RunContext, { isNew }: { readonly isNew: boolean }): RunStep {
  const { earlyApprovals: known } = step.status;
  if (!isNew && known === undefined) return step;
  const files = approvalsOf(run, input.approvals);
  const early = isNew ? earlyAmong(files) : stillEarly(known!, files, input.absenceIsCertain);
  return { ...step, status: withEarlyApprovals(step.status, early) };
}

function advanceStages(step: RunStep, context: RunContext, turn: Turn): RunStep {
  const abort = abortReason(step, context);
  if (abort !== undefined) return failRun(step, context, { reason: 'UpdateRunFailed', message: abort });
  if (turn.conflict) return step;
  const rejected = endRejected(step, context);
  if (rejected !== undefined) return noteAnswers(rejected, context);
  if (turn.state === 'Initialize') return step;
  if (turn.state === 'Stop') return noteAnswers(stop(step, context), context);
  return turn.blockedBy === undefined
    ? execute(step, context)
    : noteAnswers(blocked(step, context, turn.blockedBy), context);
}

/** A rollback does not depend on what the placement wants by now, only on its clusters being left to runs. */
function continueRollback(step: RunStep, context: RunContext, turn: Turn): RunStep {
  const { strategy } = step.work.placement.spec;
  if (strategy.type !== 'External') {
    const { reason, message } = step.status.rollbackStatus!;
    const text = `${message}; not rolled back further: the placement is no longer External but ${strategy.type}`;
    return { ...step, status: withReason(step.status, reason, text, context.input.now) };
  }
  if (turn.conflict) return step;
  if (turn.state === 'Stop') return rollBack(step, context, { mayStart: false });
  return turn.blockedBy === undefined
    ? rollBack(step, context, { mayStart: true })
    : blocked(step, context, turn.blockedBy);
}

const blocked = (step: RunStep, context: RunContext, by: StagedUpdateRun): RunStep =>
  withHold(step, context, {
    reason: 'OtherRunActive',
    message: `run ${context.run.metadata.name} is waiting for run ${by.metadata.name} of the same placement to finish or stop; if it cannot, ${endInstruction({ ...context, run: by })}`,
  });

/** The run as the plan shows it. */
export const plannedRun = (run: StagedUpdateRun, status: UpdateRunStatus): PlannedRun => ({
  kind: run.kind,
  name: run.metadata.name,
  ...(run.metadata.namespace === undefined ? {} : { namespace: run.metadata.namespace }),
  status,
});
