import { type ApprovalFile, type EarlyApproval, earlyAmong, stillEarly } from '../../../engine/gate/early-approvals.ts';
import type { Fleet } from '../../../engine/input.ts';
import type { FollowedFleet, FollowedHistory } from './followed-history.ts';

/** The commit that a run was initialized from. */
export interface Since {
  readonly from: Fleet;
  readonly initializedFrom: string;
  readonly history: FollowedHistory;
}

/** Approvals at a commit that have been on the branch since before their run was initialized: they were given without a review. */
export async function earlySince(
  { commit, fleet }: FollowedFleet,
  { from, initializedFrom, history }: Since,
  approvalsIn: (fleet: Fleet) => { readonly files: readonly ApprovalFile[]; readonly absenceIsCertain: boolean },
): Promise<readonly EarlyApproval[]> {
  const still = (known: readonly EarlyApproval[], at: Fleet): EarlyApproval[] => {
    const { files, absenceIsCertain } = approvalsIn(at);
    return stillEarly(known, files, absenceIsCertain);
  };
  let early = still(earlyAmong(approvalsIn(from).files), fleet);
  if (early.length === 0 || commit === initializedFrom) return early;
  for await (const before of history.before(commit)) {
    if (before.commit === initializedFrom) break;
    early = still(early, before.fleet);
    if (early.length === 0) break;
  }
  return early;
}
