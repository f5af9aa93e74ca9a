import type { ApprovalRequest } from '../../api/staged.ts';
import type { UpgradeGate } from '../../api/upgrade-gate.ts';
import { findCondition } from '../kernel/condition.ts';

/** What the approval file of a run decides, whether it counts or not; undefined: nothing. */
export function decisionIn(file: ApprovalRequest | UpgradeGate): 'approved' | 'rejected' | undefined {
  if (file.kind === 'Gate') {
    const { state, gateType } = file.spec;
    return state === 'Rejected'
      ? 'rejected'
      : gateType === 'Approval' && state === 'Completed'
        ? 'approved'
        : undefined;
  }
  const { status } = findCondition(file.status?.conditions, 'Approved') ?? {};
  return status === 'True' ? 'approved' : status === 'False' ? 'rejected' : undefined;
}
