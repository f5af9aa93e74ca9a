import type { RecordedApproval } from '../engine/input.ts';
import { assertNever } from '../engine/kernel/assert.ts';
import type { RequestedApproval } from '../engine/plan-document.ts';
import { recordedStageApproval } from '../engine/staged/approval/stage-approval.ts';
import { recordedGate } from '../engine/upgrade/planned-gates.ts';

/** A recorded approval as the plan that recorded it requested it. */
export function recordedApproval(recorded: RecordedApproval): RequestedApproval {
  switch (recorded.kind) {
    case 'ClusterApprovalRequest':
    case 'ApprovalRequest':
      return recordedStageApproval(recorded);
    case 'Gate':
      return recordedGate(recorded);
    default:
      return assertNever(recorded);
  }
}
