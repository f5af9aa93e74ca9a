import { withdrawnGate } from '../../../engine/gate/run-gates.ts';
import type { Fleet } from '../../../engine/input.ts';
import { gatesIn, stageGateInput } from '../../../engine/staged/approval/answer.ts';
import type { ReviewedRun } from '../../../engine/staged/approval/review-digest.ts';
import { allStages, hasStarted } from '../../../engine/staged/step.ts';
import { sha256 } from '../../../repo/sha256.ts';

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
export function withdrawnApproval(reviewed: ReviewedRun, tip: Fleet): Withdrawn | undefined {
  const { status } = reviewed;
  const input = { approvals: tip.approvals, ...stageGateInput(tip), digest: sha256 };
  const gate = withdrawnGate(gatesIn(reviewed, input), { ...input, hasStartedAfter: () => false });
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
