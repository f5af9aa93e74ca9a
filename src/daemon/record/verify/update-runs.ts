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

/** What a verified run may have rolled out. */
export interface ProvenRun {
  readonly placement: PlacementKey;
  readonly index: number;
  /** Clusters whose gates have all passed. */
  readonly clusters: ReadonlySet<string>;
}

/** `fault`: why the record of the run is not trusted. */
export type RunVerdict = { readonly proven: ProvenRun | undefined } | { readonly fault: string };

/**
 * A recorded run is trusted when its file, its strategy and the labels of its clusters were on the followed branch at the commit of
 * its initialization, when each passed gate has an approval there of exactly what the run does, and when nothing has started behind
 * another gate. Soak times and finished clusters are not verified, since no gate depends on them.
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
      fault: `it has started beyond the gate ${closed.gate.timing} stage ${closed.gate.stageName}, which is not approved`,
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
    return 'the followed branch did not have the run when it was initialized';
  const strategy = from.strategies.find((candidate) => isStrategyOf(candidate, run));
  const frozen = strategy && frozenStrategy(strategy);
  const recorded = status.stagedUpdateStrategySnapshot;
  if (frozen === undefined || recorded === undefined || canonicalJson(frozen) !== canonicalJson(recorded))
    return 'its strategy is not that of the followed branch when it was initialized';
  const stages = status.stagesStatus ?? [];
  const members = new Map(from.members.map((member) => [member.metadata.name as string, member]));
  const isAsArranged =
    stages.length === frozen.stages.length &&
    frozen.stages.every(
      (config, at) => isStage(config, stages[at]!) && stages[at]!.clusters.every(isIn(config, members)),
    );
  if (!isAsArranged) return 'its stages are not those of its strategy and of the clusters of the followed branch';
  const emptied = frozen.stages.find(
    (config, at) => stages[at]!.clusters.length === 0 && mayHaveClusters(config, run, from),
  );
  return emptied && `its stage ${emptied.name} lists no clusters, which may have skipped its gates`;
}

/**
 * The gates of a stage without clusters are skipped. So a stage with gates must not be empty if the placement may have picked a
 * cluster for it. Properties of clusters are unknown here and are ignored.
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

/** The first gate that has not passed, or has passed without an approval; undefined if all have passed. */
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
    const fault = `its gate ${gate.timing} stage ${gate.stageName} counts as passed, but the history of the followed branch has no approval for it`;
    if (fleet === undefined || !hasApproval(of, gate, fleet)) return { gate, fault };
  }
  return undefined;
}

/** A stage without clusters has no gates, and one whose clusters all left has no gate before it. */
const isSkipped = ({ clusters }: StageStatus, { timing }: StageGate): boolean =>
  clusters.length === 0 || (timing === 'before' && !clusters.some(hasStarted) && clusters.every(hasFinished));

/** Whether a fleet has an approval of what the run does according to this record. */
function hasApproval({ run, status, contents }: RecordedRun, gate: StageGate, fleet: Fleet): boolean {
  const input = { approvals: fleet.approvals, handWritten: acceptsHandWritten(fleet) };
  const digest = () => digestOfRun({ run, status, placement: placementOfRun(run), contents }, gate, sha256);
  return answerTo(gate, { run, input }, { early: status.earlyApprovals, digest }).kind === 'approved';
}

/** Whether anything has started behind a gate, or the stage that waits for it is done. */
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
