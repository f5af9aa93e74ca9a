import type { ApprovedRemoval } from '../../../api/gitfleet.ts';
import { removalDigestOf } from '../../kernel/removal-digest.ts';
import type { AllowedRemoval } from '../../plan-document.ts';
import type { Evidence } from '../evidence/evidence.ts';
import type { Removals } from './removed-objects.ts';

/**
 * The approval that removals require. One that was used counts no more, unless its removal is not done yet; one that was on main before
 * it was requested answers nothing. Instead of it the next digest is required, which covers how many there were.
 */
export function requiredApproval(
  { approvable, dropping }: Pick<Removals, 'approvable' | 'dropping'>,
  { fleet, record, digest }: Pick<Evidence, 'fleet' | 'record' | 'digest'>,
): Omit<AllowedRemoval, 'dropping' | 'reviewed'> {
  const onMain = new Set(fleet.removalApprovals.map(({ spec }) => spec.removalDigest));
  const isAnyAccepted = fleet.config?.spec.approvals?.handWritten === true;
  const early: string[] = [];
  for (let used = 0; ; used++) {
    const required = removalDigestOf(approvable, digest, { used });
    const status = record.removals.get(required.slice('sha256:'.length))?.status;
    if (status !== undefined && !isUnderWay(status.underWay, dropping)) continue;
    if (!onMain.has(required)) return { digest: required, isGiven: false, early };
    const isEarly = status === undefined && record.askedRemovals !== undefined && !record.askedRemovals.has(required);
    if (isEarly) early.push(required);
    if (!isEarly || isAnyAccepted) return { digest: required, isGiven: true, early };
  }
}

/** Whether it is the rollout, or the update run, for which the approval was used. */
const isUnderWay = (underWay: ApprovedRemoval['status']['underWay'], dropping: Removals['dropping']): boolean =>
  underWay !== undefined &&
  [...dropping].every(([key, run]) => underWay.some((it) => it.placement === key && it.run === run));
