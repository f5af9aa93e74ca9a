import { acceptsHandWritten } from '../../../engine/gate/answer.ts';
import { withdrawnGate } from '../../../engine/gate/withdrawal.ts';
import type { Fleet } from '../../../engine/input.ts';
import { answerTo, isApprovalAbsenceCertain } from '../../../engine/staged/approval/answer.ts';
import { digestOfRun } from '../../../engine/staged/approval/review-digest.ts';
import { gatesOf, isApproved, taskOf } from '../../../engine/staged/approval/stage-gates.ts';
import { allStages, hasStarted } from '../../../engine/staged/step.ts';
import { placementOfRun } from '../../../engine/update-run.ts';
import { sha256 } from '../../../repo/sha256.ts';
import type { RecordedRun } from './run-gates.ts';

/** A run behind a gate whose approval is no longer on the followed branch. */
export interface Withdrawn {
  /** Stages that it reached without the gate. */
  readonly openStages: number;
  /** Something counts as started behind the gate: then the approval stands. Otherwise the plan closes the gate. */
  readonly isBeyond: boolean;
  /** Clusters that count as started behind the gate. */
  readonly started: readonly string[];
}

/** The withdrawal of the approval of the last passed gate. A missing file withdraws nothing while some file cannot be read. */
export function withdrawnApproval({ run, status, contents }: RecordedRun, tip: Fleet): Withdrawn | undefined {
  const input = { approvals: tip.approvals, handWritten: acceptsHandWritten(tip) };
  const gate = withdrawnGate({
    gates: gatesOf(status.stagesStatus ?? []),
    isApproved: (it) => isApproved(taskOf(status, it)),
    hasStartedAfter: () => false,
    answerTo: (it) =>
      answerTo(
        it,
        { run, input },
        {
          early: status.earlyApprovals,
          digest: () => digestOfRun({ run, status, placement: placementOfRun(run), contents }, it, sha256),
        },
      ),
    absenceIsCertain: isApprovalAbsenceCertain(tip),
  });
  if (gate === undefined) return undefined;
  const openStages = gate.stageIndex + (gate.timing === 'after' ? 1 : 0);
  const behind = allStages(status)
    .slice(openStages)
    .flatMap(({ clusters }) => clusters.filter(hasStarted));
  const updating = new Set((status.stagesStatus ?? []).flatMap(({ clusters }) => clusters));
  return {
    openStages,
    isBeyond: behind.length > 0,
    started: behind.flatMap((it) => (updating.has(it) ? it.clusterName : [])),
  };
}
