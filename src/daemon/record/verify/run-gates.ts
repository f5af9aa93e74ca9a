import type { StagedUpdateRun, StageStatus, UpdateRunStatus } from '../../../api/staged.ts';
import type { EarlyApproval } from '../../../engine/gate/early-approvals.ts';
import type { Fleet } from '../../../engine/input.ts';
import { conditionIs } from '../../../engine/kernel/condition.ts';
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
    if (isSkipped(of.status.stagesStatus![gate.stageIndex]!, gate)) continue;
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

/** A stage without clusters has no gates, and one whose clusters all left has no gate before it. */
const isSkipped = ({ clusters }: StageStatus, { timing }: StageGate): boolean =>
  clusters.length === 0 || (timing === 'before' && !clusters.some(hasStarted) && clusters.every(hasFinished));

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
