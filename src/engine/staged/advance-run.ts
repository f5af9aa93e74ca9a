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
  /** The run that is under way on the same placement. */
  readonly blockedBy: StagedUpdateRun | undefined;
}

/** One run's turn in a plan: initialize, validate again, then what its state says. A run that is over waits for nothing. */
export function advanceRun(begun: RunStep, context: RunContext, turn: Turn): RunStep {
  if (isOver(begun.status)) return begun;
  const step = inItsState(begun, context, turn);
  return isOver(step.status) ? { ...step, holds: begun.holds, wakes: begun.wakes } : step;
}

function inItsState(begun: RunStep, context: RunContext, turn: Turn): RunStep {
  const known = isInitialized(begun.status);
  if (!known && turn.conflict) return begun;
  const ready = known ? skipLeftClusters(begun, context) : initialize(begun, context);
  if (!isInitialized(ready.status)) return ready;
  const step = withEarlyApprovals(ready, context, { isNew: !known });
  const abort = abortReason(step, context);
  if (abort !== undefined)
    return { ...step, status: withReason(step.status, 'UpdateRunFailed', abort, context.input.now) };
  if (turn.state === 'Initialize' || turn.conflict) return step;
  if (turn.state === 'Stop') return stop(step, context);
  if (turn.blockedBy !== undefined)
    return withHold(step, context, {
      reason: 'OtherRunActive',
      message: `run ${context.run.metadata.name} waits until run ${turn.blockedBy.metadata.name} of the same placement is over or stopped; if it cannot be, ${endInstruction({ ...context, run: turn.blockedBy })}`,
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
