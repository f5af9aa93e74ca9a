import type { Approver } from '../../api/approver.ts';
import type { Condition } from '../../api/meta.ts';
import { shortList } from '../kernel/short-list.ts';

/** `by Ann in commit 41ab9c0 (committed by GitHub)`. The author of a squash merge may be who opened the pull request. */
export function approverText({ commit, author, committer, mergedBy, signature, reviewers = [] }: Approver): string {
  const name = mergedBy ?? author ?? committer;
  const further = [
    ...(author === undefined || author === name ? [] : [`author ${author}`]),
    ...(committer === undefined || committer === name || committer === author ? [] : [`committed by ${committer}`]),
    ...(reviewers.length === 0 ? [] : [`pull request approved by ${shortList(reviewers)}`]),
    ...(signature === undefined ? [] : [signature]),
  ];
  return `${name === undefined ? '' : `by ${name} `}in commit ${commit.slice(0, 7)}${further.length === 0 ? '' : ` (${further.join('; ')})`}`;
}

export const approvedOnMain = (name: string, approver: Approver | undefined): string =>
  `approval ${name} is on main${approver === undefined ? '' : `, ${approvedText(approver)}`}`;

/** `approved by Ann in commit 41ab9c0`; undefined where it is not known. */
export const approvedText = (approver: Approver | undefined): string | undefined =>
  approver && `approved ${approverText(approver)}`;

/** Of an approval on main whose run is stopped, blocked or failed. */
export const approvedForLater = (approver: Approver | undefined): string | undefined =>
  approver && `${approvedText(approver)}, which counts once the run continues`;

/** As it is recorded, without the fields that are not known. */
export const recordedApprover = ({
  commit,
  author,
  committer,
  mergedBy,
  signature,
  reviewers,
}: Approver): Approver => ({
  commit,
  ...(author === undefined ? {} : { author }),
  ...(committer === undefined ? {} : { committer }),
  ...(mergedBy === undefined ? {} : { mergedBy }),
  ...(signature === undefined ? {} : { signature }),
  ...(reviewers === undefined ? {} : { reviewers }),
});

export const rejectedOnMain = (name: string, why: string, approver: Approver | undefined): string =>
  `approval ${name} was rejected on main${approver === undefined ? '' : ` ${approverText(approver)}`}${why === '' ? '' : `: ${why}`}`;

/** What followed `approval NAME was ` in the message of a stage that ended with its rejection; undefined: it did not end so. */
export function rejectionIn(stage: Condition | undefined, name: string | undefined): string | undefined {
  const start = `approval ${name} was `;
  return stage?.reason === 'ApprovalRejected' && stage.message?.startsWith(start)
    ? stage.message.slice(start.length)
    : undefined;
}
