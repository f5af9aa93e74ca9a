import type { Timestamp } from '../../api/meta.ts';
import { placementKey, refOf } from '../../api/placement.ts';
import type { Problem } from '../../api/problem.ts';
import type { StagedUpdateRun } from '../../api/staged.ts';
import { by } from '../kernel/ordering.ts';
import type { Hold, PlannedApproval, PlannedRun } from '../plan-document.ts';
import type { PlacementWork } from '../working.ts';
import { inTurn, isActive } from './active-order.ts';
import { advanceRun, plannedRun } from './advance-run.ts';
import { unreviewedApprovals } from './gate.ts';
import { asOfGeneration } from './generation.ts';
import { membershipHolds } from './left-clusters.ts';
import { heldSinceLoss, isHeldSinceLoss, isMereHold } from './lost-record.ts';
import { markPending } from './pending-bindings.ts';
import { plannedApprovals } from './planned-approvals.ts';
import { admitState, type RunState, stateOf } from './run-state.ts';
import { isInitialized, isOver, type RunContext, type RunStep, type RunsInput, withHold, withProblem } from './step.ts';

export interface RunsOutcome {
  readonly work: PlacementWork;
  /** By `[ns.]name`. */
  readonly runs: readonly PlannedRun[];
  readonly approvals: readonly PlannedApproval[];
  readonly holds: readonly Hold[];
  readonly wakes: readonly Timestamp[];
  readonly problems: readonly Problem[];
  /** What `runs/<[ns.]name>.yaml` must hold: the file with the state the run is really in, and its status. */
  readonly recorded: readonly StagedUpdateRun[];
}

/**
 * Advances all update runs of one placement as far as they can go now (KubeFleet pkg/controllers/updaterun; differences in
 * docs/compatibility.md). A second call with the outcome changes nothing. A run whose file is gone is simply not listed:
 * its bindings stay as they are, its approval branches are withdrawn.
 */
export function advanceRuns(begun: PlacementWork, input: RunsInput): RunsOutcome {
  const external = begun.placement.spec.strategy.type === 'External';
  const conflict = external ? sameClusterConflict(begun) : undefined;
  let work =
    conflict && !begun.holds.some(({ reason }) => reason === 'SameClusterConflict')
      ? withConflict(begun, conflict)
      : begun;
  let active: { readonly run: StagedUpdateRun; readonly step: RunStep; readonly state: RunState } | undefined;
  const done: { readonly context: RunContext; readonly step: RunStep; readonly recorded: StagedUpdateRun }[] = [];
  const recordOf = (run: StagedUpdateRun): StagedUpdateRun | undefined => {
    const recorded = input.recordedRuns.get(placementKey(run.metadata));
    return isMereHold(recorded) ? undefined : recorded;
  };

  for (const run of inTurn(input.runs, (candidate) => recordOf(candidate)?.status)) {
    const context: RunContext = { run, input };
    const fresh: RunStep = { work, status: recordOf(run)?.status ?? {}, holds: [], wakes: [], problems: [] };
    const lost = {
      file: run,
      recorded: input.recordedRuns.get(placementKey(run.metadata)),
      lost: input.recordLost === true,
    };
    if (isHeldSinceLoss({ ...lost, digest: input.digest })) {
      const message = `the record was lost, so ${run.metadata.name} may have run before: change its file, or give it a new name, to run it`;
      const step = withHold(fresh, context, { reason: 'RecordLost', message });
      done.push({ context, step, recorded: heldSinceLoss(run, input.digest) });
      continue;
    }
    const admitted = admitState(run, recordOf(run));
    const turn = { state: admitted.state, conflict: conflict !== undefined, blockedBy: active?.run.metadata.name };
    const advanced = advanceRun(admitted.denied ? denied(fresh, context, admitted.denied) : fresh, context, turn);
    const underWay = isInitialized(advanced.status) && !isOver(advanced.status);
    const told = unreviewedApprovals(underWay ? membershipHolds(advanced, context) : advanced, context);
    const step = { ...told, status: asOfGeneration(told.status, run.metadata.generation) };
    work = step.work;
    if (active === undefined && isActive(step.status)) active = { run, step, state: admitted.state };
    const recordedRun = withState(run, admitted.state, admitted.denied !== undefined);
    done.push({ context, step, recorded: { ...recordedRun, status: step.status } });
  }

  // A run that is stopping wants nothing to move any more.
  const moving = active?.state === 'Run' ? { run: active.run, step: { ...active.step, work } } : undefined;
  const sorted = [...done].sort(by(({ context }) => placementKey(context.run.metadata)));
  return {
    work: external ? markPending(work, moving, input.now) : work,
    runs: sorted.map(({ context, step }) => plannedRun(context.run, step.status)),
    approvals: sorted.flatMap(({ context, step }) => plannedApprovals({ ...step, work }, context)),
    holds: sorted.flatMap(({ step }) => step.holds),
    wakes: sorted.flatMap(({ step }) => step.wakes),
    problems: sorted.flatMap(({ step }) => step.problems),
    recorded: sorted.map(({ recorded }) => recorded),
  };
}

function denied(step: RunStep, context: RunContext, message: string): RunStep {
  const told = withHold(step, context, { reason: 'StateTransitionDenied', message });
  const fix = 'write the state the run was in, or commit a new run';
  return withProblem(told, context, {
    severity: 'error',
    code: 'state-transition',
    message,
    path: 'spec.state',
    value: stateOf(context.run),
    fix,
  });
}

/** The record keeps the state the run is in, so that a denied transition stays denied. */
const withState = (run: StagedUpdateRun, state: RunState, changed: boolean): StagedUpdateRun =>
  changed ? { ...run, spec: { ...run.spec, state } } : run;

/** Two live bindings on one cluster, or one with resources beside one on its way out: nothing in the placement moves. */
function sameClusterConflict({ bindings }: PlacementWork): string | undefined {
  const clusters = new Set(bindings.map(({ binding }) => binding.targetCluster));
  for (const cluster of clusters) {
    const here = bindings.filter(({ binding }) => binding.targetCluster === cluster).map(({ binding }) => binding);
    const live = here.filter(({ deleting }) => !deleting);
    if (live.length > 1) return `${cluster} has ${live.length} live bindings`;
    const holding = live.some(
      (it) => it.state === 'Bound' || (it.state === 'Unscheduled' && it.previousState === 'Bound'),
    );
    if (here.length > live.length && holding) return `${cluster} has a live binding beside one that is being removed`;
  }
  return undefined;
}

function withConflict(work: PlacementWork, conflict: string): PlacementWork {
  const subject = refOf(work.placement);
  const message = `${conflict}: nothing of ${subject.name} moves until one is left`;
  return {
    ...work,
    holds: [...work.holds, { subject, reason: 'SameClusterConflict', message }],
    problems: [...work.problems, { severity: 'warning', code: 'same-cluster-conflict', message }],
  };
}
