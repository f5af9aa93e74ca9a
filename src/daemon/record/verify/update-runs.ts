import type { MemberCluster } from '../../../api/member-cluster.ts';
import type { Manifest, PlacementKey } from '../../../api/meta.ts';
import { type PlacementPolicy, placementKey, refOf } from '../../../api/placement.ts';
import type { StagedUpdateRun, StageStatus, UpdateRunStatus } from '../../../api/staged.ts';
import type { Fleet, FleetRecord } from '../../../engine/input.ts';
import { canonicalJson } from '../../../engine/kernel/canonical-json.ts';
import { conditionIs } from '../../../engine/kernel/condition.ts';
import { matchesSelector } from '../../../engine/kernel/selector.ts';
import { labelsOf } from '../../../engine/placement/members.ts';
import { acceptsHandWritten, answerTo } from '../../../engine/staged/approval/answer.ts';
import { digestOfRun } from '../../../engine/staged/approval/review-digest.ts';
import { gatesOf, isApproved, type StageGate, taskOf } from '../../../engine/staged/approval/stage-gates.ts';
import { frozenStrategy } from '../../../engine/staged/initialize/stage-tasks.ts';
import { commitsOf } from '../../../engine/staged/run-commits.ts';
import { hasFinished, hasStarted, isStrategyOf } from '../../../engine/staged/step.ts';
import { isInitialized, isRunOf, placementOfRun } from '../../../engine/update-run.ts';
import { sha256 } from '../../../repo/sha256.ts';
import type { FollowedHistory } from './followed-history.ts';

/** What a run that the followed branch bears out may have brought. */
export interface ProvenRun {
  readonly placement: PlacementKey;
  readonly index: number;
  /** Clusters behind no gate but those that were passed. */
  readonly clusters: ReadonlySet<string>;
}

/** `fault`: why the record of the run is not believed. */
export type RunVerdict = { readonly proven: ProvenRun | undefined } | { readonly fault: string };

/**
 * A recorded run is believed when its file, its strategy and the labels of its clusters stood on the followed branch at the commit
 * that it was initialized from, when every gate that counts as passed has an approval there of exactly what the run does, and when
 * nothing has begun behind another gate. How long it soaked and which clusters are done is not proven by this: no gate depends on it.
 */
export async function verifyRun(
  run: StagedUpdateRun,
  { placements }: Pick<FleetRecord, 'placements'>,
  history: FollowedHistory,
): Promise<RunVerdict> {
  const { status } = run;
  if (status === undefined || !isInitialized(status)) return { proven: undefined };
  const from = await history.fleetAt(commitsOf(run).initializedFrom ?? history.tip);
  if (from === undefined)
    return { fault: 'the commit that it was initialized from is not in the history of the followed branch' };
  const fault = shapeFault({ run, status }, from);
  if (fault !== undefined) return { fault };
  const placement = placementKey(placementOfRun(run)) as PlacementKey;
  const index = Number(status.resourceSnapshotIndexUsed);
  const contents = placements.get(placement)?.snapshots ?? new Map<number, readonly Manifest[]>();
  const closed = await firstClosedGate({ run, status, contents }, history);
  if (closed?.fault !== undefined) return { fault: closed.fault };
  const stages = status.stagesStatus ?? [];
  const open =
    closed === undefined ? stages : stages.slice(0, closed.gate.stageIndex + (closed.gate.timing === 'after' ? 1 : 0));
  if (closed !== undefined && hasPassed(status, closed.gate))
    return {
      fault: `it has gone on behind the gate ${closed.gate.timing} stage ${closed.gate.stageName}, which nobody has approved`,
    };
  const clusters = new Set(open.flatMap((stage) => stage.clusters.map(({ clusterName }) => clusterName)));
  return { proven: { placement, index, clusters } };
}

/** Whether run, strategy and stages are those of the fleet that it was initialized from. */
function shapeFault(
  { run, status }: { readonly run: StagedUpdateRun; readonly status: UpdateRunStatus },
  from: Fleet,
): string | undefined {
  const written = from.runs.find(
    ({ kind, metadata }) => kind === run.kind && placementKey(metadata) === placementKey(run.metadata),
  );
  if (written === undefined || !sameRun(written, run))
    return 'the followed branch held no such run when it was initialized';
  const strategy = from.strategies.find((candidate) => isStrategyOf(candidate, run));
  const frozen = strategy && frozenStrategy(strategy);
  const recorded = status.stagedUpdateStrategySnapshot;
  if (frozen === undefined || recorded === undefined || canonicalJson(frozen) !== canonicalJson(recorded))
    return 'its strategy is not the one that the followed branch held when it was initialized';
  const stages = status.stagesStatus ?? [];
  const members = new Map(from.members.map((member) => [member.metadata.name as string, member]));
  const isAsArranged =
    stages.length === frozen.stages.length &&
    frozen.stages.every(
      (config, at) => isStage(config, stages[at]!) && stages[at]!.clusters.every(isIn(config, members)),
    );
  if (!isAsArranged)
    return 'its stages are not those of its strategy and of the clusters that the followed branch held';
  const emptied = frozen.stages.find(
    (config, at) => stages[at]!.clusters.length === 0 && mayHaveClusters(config, run, from),
  );
  return emptied && `its stage ${emptied.name} lists no clusters, and its gates may have been skipped by that`;
}

/**
 * The gates of a stage without clusters are skipped. So a stage that has gates is not believed to be empty while the placement may
 * have picked a cluster that belongs to it; properties are not known here, and do not count.
 */
function mayHaveClusters(config: Strategy['stages'][number], run: StagedUpdateRun, from: Fleet): boolean {
  const hasGates = [...(config.beforeStageTasks ?? []), ...(config.afterStageTasks ?? [])].some(
    ({ type }) => type === 'Approval',
  );
  const { labelSelector } = config;
  const placement = from.placements.find((candidate) => isRunOf(run, refOf(candidate)));
  if (!hasGates || labelSelector === undefined || placement === undefined) return hasGates && placement === undefined;
  return from.members.some(
    (member) => matchesSelector(labelSelector, labelsOf(member)) && mayBePicked(member, placement.spec.policy),
  );
}

function mayBePicked(member: MemberCluster, { placementType, clusterNames = [], affinity }: PlacementPolicy): boolean {
  if (placementType === 'PickFixed') return clusterNames.includes(member.metadata.name);
  const terms = affinity?.clusterAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.clusterSelectorTerms;
  if (terms === undefined || terms.length === 0) return true;
  return terms.some(
    ({ labelSelector }) => labelSelector === undefined || matchesSelector(labelSelector, labelsOf(member)),
  );
}

const sameRun = (a: StagedUpdateRun, b: StagedUpdateRun): boolean =>
  a.spec.placementName === b.spec.placementName &&
  a.spec.stagedRolloutStrategyName === b.spec.stagedRolloutStrategyName &&
  a.spec.resourceSnapshotIndex === b.spec.resourceSnapshotIndex;

type Strategy = NonNullable<UpdateRunStatus['stagedUpdateStrategySnapshot']>;

/** The tasks of a stage are those of its strategy, each in its place. */
function isStage(config: Strategy['stages'][number], stage: StageStatus): boolean {
  const types = (tasks: readonly { readonly type: string }[] | undefined): string =>
    (tasks ?? []).map(({ type }) => type).join();
  return (
    config.name === stage.stageName &&
    types(config.beforeStageTasks) === types(stage.beforeStageTaskStatus) &&
    types(config.afterStageTasks) === types(stage.afterStageTaskStatus)
  );
}

const isIn =
  ({ labelSelector }: Strategy['stages'][number], members: ReadonlyMap<string, MemberCluster>) =>
  ({ clusterName }: { readonly clusterName: string }): boolean => {
    const member = members.get(clusterName);
    return member !== undefined && labelSelector !== undefined && matchesSelector(labelSelector, labelsOf(member));
  };

interface RecordedRun {
  readonly run: StagedUpdateRun;
  readonly status: UpdateRunStatus;
  readonly contents: ReadonlyMap<number, readonly Manifest[]>;
}

/** The first gate that is not passed, or is so without an approval; undefined where all are passed. */
async function firstClosedGate(
  of: RecordedRun,
  history: FollowedHistory,
): Promise<{ readonly gate: StageGate; readonly fault?: string } | undefined> {
  for (const gate of gatesOf(of.status.stagesStatus ?? [])) {
    if (isSkipped(of.status.stagesStatus![gate.stageIndex]!, gate)) continue;
    const task = taskOf(of.status, gate);
    if (!isApproved(task)) return { gate };
    const { approvedIn } = commitsOf(of.run);
    const fleet = await history.fleetAt(approvedIn.get(task.approvalRequestName ?? '') ?? history.tip);
    const fault = `its gate ${gate.timing} stage ${gate.stageName} counts as passed, and the history of the followed branch holds no approval of it`;
    if (fleet === undefined || !hasApproval(of, gate, fleet)) return { gate, fault };
  }
  return undefined;
}

/** Nothing is asked for a stage without clusters, nor before one whose clusters all left. */
const isSkipped = ({ clusters }: StageStatus, { timing }: StageGate): boolean =>
  clusters.length === 0 || (timing === 'before' && !clusters.some(hasStarted) && clusters.every(hasFinished));

/** Whether a fleet holds the approval of what the run does by this record. */
function hasApproval({ run, status, contents }: RecordedRun, gate: StageGate, fleet: Fleet): boolean {
  const input = { approvals: fleet.approvals, handWritten: acceptsHandWritten(fleet) };
  const digest = () => digestOfRun({ run, status, placement: placementOfRun(run), contents }, gate, sha256);
  return answerTo(gate, { run, input }, { early: status.earlyApprovals, digest }).kind === 'approved';
}

/** Whether anything has begun behind a gate, or the stage that waits for it is done. */
function hasPassed(
  { stagesStatus = [], deletionStageStatus }: UpdateRunStatus,
  { stageIndex, timing }: StageGate,
): boolean {
  const behind = stagesStatus.slice(timing === 'before' ? stageIndex : stageIndex + 1);
  const all = [...behind, ...(deletionStageStatus ? [deletionStageStatus] : [])];
  const waiting = stagesStatus[stageIndex]!;
  return all.some(({ clusters }) => clusters.some(hasStarted)) || [waiting, ...all].some(isDone);
}

const isDone = ({ clusters, conditions }: StageStatus): boolean =>
  clusters.length > 0 && conditionIs(conditions, 'Succeeded', 'True');
