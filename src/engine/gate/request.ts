import { placementKey } from '../../api/placement.ts';

/** A request for approval: one file, on a branch of its own. */
export interface ApprovalRequestName {
  readonly name: string;
  readonly namespace?: string | undefined;
}

/** The branch of an approval request; merging it approves. */
export const approvalBranch = (request: ApprovalRequestName): string => `gitfleet/approve/${placementKey(request)}`;

/** That branch, as the place of a problem. */
export const placeOfBranch = (request: ApprovalRequestName): string => `(branch) ${approvalBranch(request)}`;

/** How to approve, as a clause of a message. */
export const howToMerge = (request: ApprovalRequestName): string =>
  `merge branch ${approvalBranch(request)}, or its pull request`;

/** The command that merges it, in the repo itself or in a clone. A merge commit names who approved, and can be signed. */
export const mergeCommand = (branch: string, inPlace: boolean): string => {
  const merge = 'git merge --no-ff --no-edit';
  return inPlace ? `${merge} ${branch}` : `git pull && ${merge} origin/${branch} && git push`;
};
