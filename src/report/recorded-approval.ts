import type { FleetRecord } from '../engine/input.ts';
import type { RequestedApproval } from '../engine/plan-document.ts';
import { recordedStageApproval } from '../engine/staged/approval/stage-approval.ts';

type Recorded = FleetRecord['approvals'] extends ReadonlyMap<string, infer Approval> ? Approval : never;

/** A recorded approval as the plan that recorded it requested it. A further kind of them does not compile without its own way. */
export const recordedApproval = (recorded: Recorded): RequestedApproval => recordedStageApproval(recorded);
