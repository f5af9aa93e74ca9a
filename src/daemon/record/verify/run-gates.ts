import type { Manifest } from '../../../api/meta.ts';
import type { StagedUpdateRun, StageStatus, UpdateRunStatus } from '../../../api/staged.ts';
import { acceptsHandWritten } from '../../../engine/gate/answer.ts';
import type { Fleet } from '../../../engine/input.ts';
import { conditionIs } from '../../../engine/kernel/condition.ts';
import { answerTo, isApprovalAbsenceCertain } from '../../../engine/staged/approval/answer.ts';
import { type Early, earlyAmong, stillEarly } from '../../../engine/staged/approval/early-approvals.ts';
import { digestOfRun } from '../../../engine/staged/approval/review-digest.ts';
import { gatesOf, isApproved, type StageGate, taskOf } from '../../../engine/staged/approval/stage-gates.ts';
import { commitsOf } from '../../../engine/staged/run-commits.ts';
import { hasFinished, hasStarted } from '../../../engine/staged/step.ts';
import { placementOfRun } from '../../../engine/update-run.ts';
import { sha256 } from '../../../repo/sha256.ts';
import type { FollowedFleet, FollowedHistory } from './followed-history.ts';

export interface RecordedRun {
  readonly run: StagedUpdateRun;
  readonly status: UpdateRunStatus;
  readonly contents: ReadonlyMap<number, readonly Manifest[]>;
}

export interface Since {
  readonly from: Fleet;
  readonly initializedFrom: string;
  readonly history: FollowedHistory;
}

/** The first gate that has not passed, or has passed without an approval; undefined if all have passed. */
export async function firstClosedGate(
  of: RecordedRun,
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
export async function earlyAt(
  run: StagedUpdateRun,
  { commit, fleet }: FollowedFleet,
  { from, initializedFrom, history }: Since,
): Promise<Early> {
  const still = (early: Early, { approvals, ...files }: Fleet): Early =>
    stillEarly(early, run, { approvals, absenceIsCertain: isApprovalAbsenceCertain(files) });
  let early = still(earlyAmong(from.approvals, run), fleet);
  if (early.length === 0 || commit === initializedFrom) return early;
  for await (const before of history.before(commit)) {
    if (before.commit === initializedFrom) break;
    early = still(early, before.fleet);
    if (early.length === 0) break;
  }
  return early;
}

/** A stage without clusters has no gates, and one whose clusters all left has no gate before it. */
const isSkipped = ({ clusters }: StageStatus, { timing }: StageGate): boolean =>
  clusters.length === 0 || (timing === 'before' && !clusters.some(hasStarted) && clusters.every(hasFinished));

/** Whether a fleet has an approval of what the run does according to this record. */
function hasApproval(
  { run, status, contents }: RecordedRun,
  { gate, fleet, early }: { readonly gate: StageGate; readonly fleet: Fleet; readonly early: Early },
): boolean {
  const input = { approvals: fleet.approvals, handWritten: acceptsHandWritten(fleet) };
  const digest = () => digestOfRun({ run, status, placement: placementOfRun(run), contents }, gate, sha256);
  const known = [...(status.earlyApprovals ?? []), ...early];
  return answerTo(gate, { run, input }, { early: known, digest }).kind === 'approved';
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
