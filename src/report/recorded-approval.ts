import type { RecordedApproval } from '../engine/input.ts';
import type { RequestedApproval } from '../engine/plan-document.ts';
import { recordedStageApproval } from '../engine/staged/approval/stage-approval.ts';
import { recordedGate } from '../engine/upgrade/planned-gates.ts';

/** A recorded approval as the plan that recorded it requested it. A further kind of them does not compile without its own way. */
export const recordedApproval = (recorded: RecordedApproval): RequestedApproval =>
  recorded.kind === 'Gate' ? recordedGate(recorded) : recordedStageApproval(recorded);
