import type { Timestamp } from '../../api/meta.ts';
import { placementKey } from '../../api/placement.ts';
import type { Problem } from '../../api/problem.ts';
import type { StagedUpdateRun } from '../../api/staged.ts';
import { by } from '../kernel/ordering.ts';
import type { PlacementWork } from '../placement-work.ts';
import type { Hold, PlannedRun } from '../plan-document.ts';
import { heldSinceLoss, isHeldSinceLoss, isMereHold } from '../recovery/held-since-loss.ts';
import { type SameCluster, sameCluster } from '../rollout/same-cluster.ts';
import { isInitialized, isOver } from '../update-run.ts';
import { advanceRun, plannedRun } from './advance-run.ts';
import { flawedApprovals } from './approval/check-gate.ts';
import { plannedApprovals } from './approval/planned-approvals.ts';
import type { StageApproval } from './approval/stage-approval.ts';
import { markPending } from './execute/pending-bindings.ts';
import { inExecutionOrder, isActive } from './execution-order.ts';
import { withGeneration } from './generation.ts';
import { sortingWarnings } from './initialize/sorting-warnings.ts';
import { membershipHolds } from './left-clusters.ts';
import { withReturn } from './return.ts';
import { withCommits } from './run-commits.ts';
import { admitState, type RunState, stateOf } from './run-state.ts';
import { type RunContext, type RunStep, type RunsInput, withHold, withProblem } from './step.ts';

export interface RunsOutcome {
  readonly work: PlacementWork;
  /** By `[ns.]name`. */
  readonly runs: readonly PlannedRun[];
  readonly approvals: readonly StageApproval[];
  readonly holds: readonly Hold[];
  readonly wakes: readonly Timestamp[];
  readonly problems: readonly Problem[];
  /** The content of `runs/<[ns.]name>.yaml`: the run with the state that it is really in, and its status. */
  readonly recorded: readonly StagedUpdateRun[];
}

/**
 * Advances all update runs of one placement as far as they can go now (KubeFleet pkg/controllers/updaterun; differences in
 * docs/compatibility.md). A second call with the outcome changes nothing. A run whose file is removed is not listed: its
 * bindings stay as they are, and its approval branches are withdrawn.
 */
export function advanceRuns(scheduled: PlacementWork, input: RunsInput): RunsOutcome {
  const external = scheduled.placement.spec.strategy.type === 'External';
  const conflict = external ? sameCluster(scheduled, () => false).conflict : undefined;
  let work = conflict ? withConflict(scheduled, conflict) : scheduled;
  let active: { readonly run: StagedUpdateRun; readonly step: RunStep; readonly state: RunState } | undefined;
  const done: { readonly context: RunContext; readonly step: RunStep; readonly recorded: StagedUpdateRun }[] = [];
  const recordOf = (run: StagedUpdateRun): StagedUpdateRun | undefined => {
    const recorded = input.recordedRuns.get(placementKey(run.metadata));
    return isMereHold(recorded) ? undefined : recorded;
  };

  for (const run of inExecutionOrder(input.runs, (candidate) => recordOf(candidate)?.status)) {
    const context: RunContext = { run, input };
    const fresh: RunStep = { work, status: recordOf(run)?.status ?? {}, holds: [], wakes: [], problems: [] };
    const lost = {
      file: run,
      recorded: input.recordedRuns.get(placementKey(run.metadata)),
      lost: input.recordLost || input.unread?.has(placementKey(run.metadata)) === true,
    };
    if (isHeldSinceLoss({ ...lost, digest: input.digest })) {
      const step = withHold(fresh, context, { reason: 'RecordLost', message: sinceLossMessage(run) });
      done.push({ context, step, recorded: heldSinceLoss(run, input.digest) });
      continue;
    }
    const admitted = admitState(run, recordOf(run));
    const turn = { state: admitted.state, conflict: conflict !== undefined, blockedBy: active?.run };
    const advanced = advanceRun(admitted.denied ? denied(fresh, context, admitted.denied) : fresh, context, turn);
    const isRunning = isInitialized(advanced.status) && !isOver(advanced.status);
    const held = isRunning ? membershipHolds(advanced, context) : advanced;
    const reported = flawedApprovals(sortingWarnings(held, context), context);
    const status = withReturn(reported.status, () => input.repoDigest(reported.work));
    const step = { ...reported, status: withGeneration(status, run.metadata.generation) };
    work = step.work;
    if (active === undefined && isActive(step.status)) active = { run, step, state: admitted.state };
    const recordedRun = withState(run, admitted.state, admitted.denied !== undefined);
    const recorded = { ...recordedRun, status: step.status };
    const commits = { before: recordOf(run), commit: input.commit };
    done.push({ context, step, recorded: withCommits(recorded, commits) });
  }

  // A run that is stopping moves no more bindings.
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

/** Its index may name another snapshot in the rebuilt record, which it must not bring unseen. */
function sinceLossMessage({ metadata: { name }, spec: { resourceSnapshotIndex: index } }: StagedUpdateRun): string {
  const since = `the record was lost, so ${name} may have run before`;
  return index
    ? `${since}, and snapshot ${index} may be gone or another one now: to run it, write an index that gitfleet get snapshots shows with a commit into its file, or leave the index out, which rolls out what the repo holds`
    : `${since}: change its file, or give it a new name, to run it`;
}

type Conflict = NonNullable<SameCluster['conflict']>;

function denied(step: RunStep, context: RunContext, message: string): RunStep {
  const held = withHold(step, context, { reason: 'StateTransitionDenied', message });
  const fix = 'write the recorded state of the run, or commit a new run';
  return withProblem(held, context, {
    severity: 'error',
    code: 'state-transition',
    message,
    path: 'spec.state',
    value: stateOf(context.run),
    fix,
  });
}

/** The record keeps the state that the run is in, so that a denied transition stays denied. */
const withState = (run: StagedUpdateRun, state: RunState, changed: boolean): StagedUpdateRun =>
  changed ? { ...run, spec: { ...run.spec, state } } : run;

function withConflict(work: PlacementWork, conflict: Conflict): PlacementWork {
  if (work.holds.some(({ reason }) => reason === conflict.hold.reason)) return work;
  return { ...work, holds: [...work.holds, conflict.hold], problems: [...work.problems, conflict.problem] };
}
