import type { DisruptionBudget } from '../../api/disruption-budget.ts';
import type { ClusterName, Condition, ObjectRef, Timestamp } from '../../api/meta.ts';
import type { Binding } from '../../api/placement-state.ts';
import type { Problem } from '../../api/problem.ts';
import type {
  ApprovalRequest,
  ClusterUpdatingStatus,
  StagedUpdateRun,
  StagedUpdateStrategy,
  StageStatus,
  UpdateRunStatus,
} from '../../api/staged.ts';
import type { Successor } from '../bindings/successor.ts';
import type { GateInput } from '../gate/answer.ts';
import type { Fleet } from '../input.ts';
import { conditionIs } from '../kernel/condition.ts';
import type { Instant } from '../kernel/instant.ts';
import type { Labels } from '../kernel/selector.ts';
import type { RecordedLists } from '../overrides/snapshot-id.ts';
import type { Pause } from '../pause/pause.ts';
import type { BindingStep, PlacementWork } from '../placement-work.ts';
import type { Hold, HoldReason } from '../plan-document.ts';
import { problemOf, sourceOf } from '../problem-of.ts';
import { isMereHold } from '../recovery/held-since-loss.ts';
import { isInitialized, isOver } from '../update-run.ts';
import type { TakenByRun } from './last-good-versions.ts';

export interface RunsInput extends GateInput {
  /** Runs of this placement, admitted. */
  readonly runs: readonly StagedUpdateRun[];
  /** By `[ns.]name`, with `.status` as last published. */
  readonly recordedRuns: ReadonlyMap<string, StagedUpdateRun>;
  readonly strategies: readonly StagedUpdateStrategy[];
  /** Approval files on main. */
  readonly approvals: readonly ApprovalRequest[];
  readonly recordedApprovals: ReadonlyMap<string, ApprovalRequest>;
  /** Members with their labels as placements see them; `left`: the file is removed or has a deletionTimestamp. */
  readonly clusters: readonly { readonly name: ClusterName; readonly labels: Labels; readonly left: boolean }[];
  /** Clusters with an upgrade in flight, and the run that started it. */
  readonly upgrading: ReadonlyMap<ClusterName, string>;
  /** Whether a cluster counts as unavailable whatever runs there. */
  readonly isUnavailable: (cluster: ClusterName) => boolean;
  readonly now: Timestamp;
  /** Of the fleet repo. */
  readonly commit: string;
  /** While the placement is paused no cluster is started. */
  readonly pause: Pause;
  readonly digest: (text: string) => string;
  /** Makes the present selection the latest snapshot; the latest stays when its contents are equal. */
  readonly takeSnapshot: (work: PlacementWork) => PlacementWork;
  /** What of it is at its last good version, or lacks, since its file is not valid. */
  readonly lastGoodIn: (taken: TakenByRun) => NonNullable<UpdateRunStatus['lastGoodVersions']>;
  /** {@link repoDigest} of the placement. */
  readonly repoDigest: (work: PlacementWork) => string | undefined;
  /** A moved binding as its cluster was observed. */
  readonly observed: (work: PlacementWork) => (step: BindingStep) => BindingStep;
  /** Until when a binding is waited to be seen, milliseconds; undefined = it has been seen. */
  readonly unseenUntil: (work: PlacementWork, binding: Binding) => Instant | undefined;
  /** Override snapshots that apply to a cluster with that snapshot index; `error` ends the initialization. */
  readonly overridesFor: (
    work: PlacementWork,
    cluster: ClusterName,
    index: number,
  ) => RecordedLists | { readonly error: string };
  /** Whether the objects that remain of a removed binding are what its cluster gets with that snapshot. */
  readonly replacesRemaining: (work: PlacementWork, leaving: Binding, successor: Successor) => boolean;
  /** Budgets of the fleet; only those with `gitfleet.dev/budget-scope: all` apply to runs (docs/compatibility.md). */
  readonly budgets: readonly DisruptionBudget[];
  /** Objects whose file is invalid; a budget among them blocks. */
  readonly refused: readonly ObjectRef[];
  /** True in the plan that found the record lost: runs without a record are held until their file changes. */
  readonly recordLost: boolean;
  /** Runs whose record cannot be read, by `[ns.]name`: it counts as lost. */
  readonly unread: ReadonlySet<string> | undefined;
  readonly sources: Fleet['sources'];
}

interface NamedObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined };
}

/** What a run is waiting for. */
export interface Waiting {
  readonly holds: readonly Hold[];
  /** Instants at which time alone changes something. */
  readonly wakes: readonly Timestamp[];
}

/** One run on its way through a plan. */
export interface RunStep extends Waiting {
  readonly work: PlacementWork;
  readonly status: UpdateRunStatus;
  readonly problems: readonly Problem[];
}

export interface RunContext {
  readonly run: StagedUpdateRun;
  readonly input: RunsInput;
}

/** A run names a strategy of its own scope. */
export const strategyKind = ({ kind }: StagedUpdateRun): StagedUpdateStrategy['kind'] =>
  kind === 'ClusterStagedUpdateRun' ? 'ClusterStagedUpdateStrategy' : 'StagedUpdateStrategy';

/** KubeFleet's name of the stage that removes bindings which are no longer selected. */
export const deleteStageName = 'kubernetes-fleet.io/deleteStage';

/** The stages of a run in their order, the delete stage last. */
export const allStages = ({ stagesStatus = [], deletionStageStatus }: UpdateRunStatus): readonly StageStatus[] =>
  deletionStageStatus ? [...stagesStatus, deletionStageStatus] : stagesStatus;

/** The stages of a rollback in their order. */
export const rollbackStages = ({ rollbackStatus }: UpdateRunStatus): readonly StageStatus[] =>
  rollbackStatus?.stagesStatus ?? [];

/** A hold of a run, of a stage of it or of a cluster of a stage. */
interface RunHold {
  readonly reason: HoldReason;
  readonly message: string;
  readonly stage?: string | undefined;
  readonly clusterName?: ClusterName | undefined;
  readonly until?: Timestamp | undefined;
}

/** The step with one more hold. */
export const withHold = <T extends Waiting>(step: T, context: RunContext, hold: RunHold): T =>
  withHolds(step, context, [hold]);

/** The step with more holds, of which a stage may have thousands. */
export function withHolds<T extends Waiting>(step: T, { run }: RunContext, holds: readonly RunHold[]): T {
  const { name, namespace } = run.metadata;
  const added = holds.map(
    ({ reason, message, stage, clusterName, until }): Hold => ({
      subject: {
        kind: run.kind,
        name,
        ...(namespace === undefined ? {} : { namespace }),
        ...(clusterName === undefined ? {} : { clusterName }),
        ...(stage === undefined ? {} : { stage }),
      },
      reason,
      message,
      ...(until === undefined ? {} : { until }),
    }),
  );
  const wakes = added.flatMap(({ until }) => until ?? []);
  return { ...step, holds: [...step.holds, ...added], wakes: [...step.wakes, ...wakes] };
}

/** The step with one more instant at which time alone changes something. */
export const withWake = <T extends Waiting>(step: T, wake: Timestamp): T => ({
  ...step,
  wakes: [...step.wakes, wake],
});

/** `about`: the object whose file is at fault, where that is not the run. */
export function withProblem(
  step: RunStep,
  { run, input }: RunContext,
  problem: Problem,
  about: NamedObject = run,
): RunStep {
  const reported = problemOf(input, { kind: run.kind, ...run.metadata }, problem);
  const place = sourceOf(input, { kind: about.kind, ...about.metadata });
  return { ...step, problems: [...step.problems, { ...reported, ...place }] };
}

/** The step with another status of the stage at `index`. */
export const withStage = (step: RunStep, index: number, stage: StageStatus): RunStep => ({
  ...step,
  status: {
    ...step.status,
    stagesStatus: (step.status.stagesStatus ?? []).map((existing, at) => (at === index ? stage : existing)),
  },
});

const isTrue = (subject: { readonly conditions?: Condition[] | undefined } | undefined, type: string): boolean =>
  conditionIs(subject?.conditions, type, 'True');

/** The run has given the cluster its snapshot, or started its removal. */
export const hasStarted = (cluster: ClusterUpdatingStatus): boolean => isTrue(cluster, 'Started');

/** Not available by the deadline, or changed by something else. */
export const hasFailed = (cluster: ClusterUpdatingStatus): boolean =>
  conditionIs(cluster.conditions, 'Succeeded', 'False');

/** It left the fleet, say: the run does nothing there. */
export const isSkipped = (cluster: ClusterUpdatingStatus): boolean => isTrue(cluster, 'Skipped');

/** Updated, skipped or failed: nothing more happens to it in this run. */
export const hasFinished = (cluster: ClusterUpdatingStatus): boolean =>
  isTrue(cluster, 'Succeeded') || isSkipped(cluster) || hasFailed(cluster);

/** The run has not reached the cluster yet. */
export const isPending = (cluster: ClusterUpdatingStatus): boolean => !hasStarted(cluster) && !hasFinished(cluster);

/** Counts against maxConcurrency. */
export const isInFlight = (cluster: ClusterUpdatingStatus): boolean => hasStarted(cluster) && !hasFinished(cluster);

/** Whether a strategy is the one that a run names, of its scope. */
export const isStrategyOf = (
  { kind, metadata }: { readonly kind: string; readonly metadata: StagedUpdateRun['metadata'] },
  run: StagedUpdateRun,
): boolean =>
  kind === strategyKind(run) &&
  metadata.name === run.spec.stagedRolloutStrategyName &&
  (kind === 'ClusterStagedUpdateStrategy' || metadata.namespace === run.metadata.namespace);

/** Whether a run, not over, still has clusters to update, or does not know them yet. */
export const isBringing = (run: StagedUpdateRun): boolean => {
  const { status = {} } = run;
  if (isOver(status) || isMereHold(run)) return false;
  return !isInitialized(status) || (status.stagesStatus ?? []).some(({ clusters }) => !clusters.every(hasFinished));
};
