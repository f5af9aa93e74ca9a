import type { Approver } from '../input.ts';

/** `by Ann in commit 41ab9c0 (committed by GitHub)`. */
export function approverText({ commit, author, committer, signature }: Approver): string {
  const name = author ?? committer;
  const further = [
    ...(committer === undefined || committer === name ? [] : [`committed by ${committer}`]),
    ...(signature === undefined ? [] : [signature]),
  ];
  return `${name === undefined ? '' : `by ${name} `}in commit ${commit.slice(0, 7)}${further.length === 0 ? '' : ` (${further.join('; ')})`}`;
}

export const approvedOnMain = (name: string, approver: Approver | undefined): string =>
  `approval ${name} is on main${approver === undefined ? '' : `, approved ${approverText(approver)}`}`;

/** `approved by Ann in commit 41ab9c0`, from a message that {@link approvedOnMain} made; undefined if it does not name the commit. */
export const approvedByIn = (message: string | undefined): string | undefined =>
  /^approval \S+ is on main, (approved .*)$/s.exec(message ?? '')?.[1];

export const rejectedOnMain = (name: string, why: string, approver: Approver | undefined): string =>
  `approval ${name} was rejected on main${approver === undefined ? '' : ` ${approverText(approver)}`}${why === '' ? '' : `: ${why}`}`;
