import { isLeaving } from '../../../api/member-cluster.ts';
import type { ClusterUpdatingStatus, StagedUpdateRun, StageStatus, UpdateRunStatus } from '../../../api/staged.ts';
import type { EarlyApproval } from '../../../engine/gate/early-approvals.ts';
import type { Fleet } from '../../../engine/input.ts';
import { conditionIs } from '../../../engine/kernel/condition.ts';
import { absenceMeansNothing } from '../../../engine/recovery/last-good.ts';
import { answerTo, approvalsOf, stageGateInput } from '../../../engine/staged/approval/answer.ts';
import type { ReviewedRun } from '../../../engine/staged/approval/review-digest.ts';
import { gatesOf, isApproved, type StageGate, taskOf } from '../../../engine/staged/approval/stage-gates.ts';
import { commitsOf } from '../../../engine/staged/run-commits.ts';
import { hasFinished, hasStarted } from '../../../engine/staged/step.ts';
import { sha256 } from '../../../repo/sha256.ts';
import { earlySince, type Since } from './early-since.ts';
import type { FollowedFleet } from './followed-history.ts';

/** The first gate that has not passed, or has passed without an approval; undefined if all have passed. */
export async function firstClosedGate(
  of: ReviewedRun,
  since: Since,
): Promise<{ readonly gate: StageGate; readonly fault?: string } | undefined> {
  const { history, initializedFrom } = since;
  for (const gate of gatesOf(of.status.stagesStatus ?? [])) {
    const { clusters } = of.status.stagesStatus![gate.stageIndex]!;
    // A stage without clusters has no gates.
    if (clusters.length === 0) continue;
    if (gate.timing === 'before' && clusters.every(isSkipped)) {
      const kept = await stillIn(clusters, since);
      if (kept === undefined) continue;
      const fault = `stage ${gate.stageName} counts as skipped before its gate, but ${kept} did not leave the followed branch`;
      return { gate, fault };
    }
    const task = taskOf(of.status, gate);
    if (!isApproved(task)) return { gate };
    const approvedIn = commitsOf(of.run).approvedIn.get(task.approvalRequestName ?? '') ?? history.tip;
    const fleet = await history.fleetAt(approvedIn);
    const fault = `its gate ${gate.timing} stage ${gate.stageName} counts as passed, but the history of the followed branch has no approval for it`;
    if (fleet === undefined || !(await history.holds(initializedFrom, approvedIn))) return { gate, fault };
    const early = await earlyAt(of.run, { commit: approvedIn, fleet }, since);
    if (!hasApproval(of, { gate, fleet, early })) return { gate, fault };
  }
  return undefined;
}

/** Approvals at a commit that have been on the branch since before the run was initialized: they were given without a review. */
export const earlyAt = (run: StagedUpdateRun, at: FollowedFleet, since: Since): Promise<readonly EarlyApproval[]> =>
  earlySince(at, since, (fleet) => ({
    files: approvalsOf(run, fleet.approvals),
    absenceIsCertain: stageGateInput(fleet).absenceIsCertain,
  }));

/** If all clusters of a stage are, the run passes the gate before it without an approval. */
const isSkipped = (cluster: ClusterUpdatingStatus): boolean => hasFinished(cluster) && !hasStarted(cluster);

/** The first cluster that the followed branch has had ever since a run was initialized; undefined if each has left it at some time. */
async function stillIn(
  clusters: readonly ClusterUpdatingStatus[],
  { history, initializedFrom }: Since,
): Promise<string | undefined> {
  const hasLeft = ({ clusterName }: ClusterUpdatingStatus, fleet: Fleet): boolean => {
    const member = fleet.members.find(({ metadata }) => metadata.name === clusterName);
    if (member !== undefined) return isLeaving(member);
    return !absenceMeansNothing(fleet, { kind: 'MemberCluster', name: clusterName });
  };
  let kept = clusters;
  const tip = await history.fleetAt(history.tip);
  if (tip !== undefined) kept = kept.filter((cluster) => !hasLeft(cluster, tip));
  if (kept.length === 0) return undefined;
  for await (const { commit, fleet } of history.before(history.tip)) {
    kept = kept.filter((cluster) => !hasLeft(cluster, fleet));
    if (kept.length === 0) return undefined;
    if (commit === initializedFrom) break;
  }
  return kept[0]!.clusterName;
}

/** Whether a fleet has an approval of what the run does according to this record. */
function hasApproval(
  { run, status, contents }: ReviewedRun,
  { gate, fleet, early }: { readonly gate: StageGate; readonly fleet: Fleet; readonly early: readonly EarlyApproval[] },
): boolean {
  const known = { ...status, earlyApprovals: [...(status.earlyApprovals ?? []), ...early] };
  const input = { approvals: fleet.approvals, ...stageGateInput(fleet), digest: sha256 };
  return answerTo(gate, { run, status: known, contents }, input).kind === 'approved';
}

/** Whether anything has started behind a gate, or the stage that waits for it is done. */
export function hasPassed(
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
