import type { StagedUpdateRun, UpdateRunStatus } from '../../api/staged.ts';
import type { PlannedRun } from '../plan-document.ts';
import { isInitialized, isOver } from '../update-run.ts';
import { withEarlyApprovals } from './approval/early-approvals.ts';
import { endInstruction } from './end-instruction.ts';
import { execute } from './execute/execute.ts';
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
  const wasInitialized = isInitialized(before.status);
  if (!wasInitialized && turn.conflict) return before;
  const ready = wasInitialized ? skipLeftClusters(before, context) : initialize(before, context);
  if (!isInitialized(ready.status)) return ready;
  const step = withEarlyApprovals(ready, context, { isNew: !wasInitialized });
  const abort = abortReason(step, context);
  if (abort !== undefined)
    return { ...step, status: withReason(step.status, 'UpdateRunFailed', abort, context.input.now) };
  if (turn.state === 'Initialize' || turn.conflict) return step;
  if (turn.state === 'Stop') return stop(step, context);
  if (turn.blockedBy !== undefined)
    return withHold(step, context, {
      reason: 'OtherRunActive',
      message: `run ${context.run.metadata.name} is waiting for run ${turn.blockedBy.metadata.name} of the same placement to finish or stop; if it cannot, ${endInstruction({ ...context, run: turn.blockedBy })}`,
    });
  return execute(step, context);
}

/** The run as the plan shows it. */
export const plannedRun = (run: StagedUpdateRun, status: UpdateRunStatus): PlannedRun => ({
  kind: run.kind,
  name: run.metadata.name,
  ...(run.metadata.namespace === undefined ? {} : { namespace: run.metadata.namespace }),
  status,
});
