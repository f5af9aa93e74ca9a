import type { Problem, ProblemCode } from '../../api/problem.ts';
import type { Hold } from '../plan-document.ts';
import type { ApprovalFlaw } from './answer.ts';
import { type ApprovalRequestName, howToMerge } from './request.ts';

export type GateHold = Pick<Hold, 'reason' | 'message' | 'until'>;

export const requestMade = (name: string): string => `approval request ${name} is on its branch`;
export const withdrawnOnMain = (name: string): string =>
  `approval ${name} was withdrawn before the next cluster started`;

/** The approval file `file` on main answers another review. */
export const staleHold = (request: ApprovalRequestName, file: string): GateHold => ({
  reason: 'ApprovalStale',
  message: `approval ${file} on main has another review digest than the current request: ${howToMerge(request)}`,
});

/** What a closed gate is waiting for. */
export function closedHolds(gate: {
  readonly request: ApprovalRequestName;
  /** What waits: `run web-1`. */
  readonly waiting: string;
  /** What is to be approved: `stage canary before it starts`. */
  readonly subject: string;
  /** When the approval was requested; undefined = unknown. */
  readonly since: string | undefined;
  /** Why the file on main does not count. */
  readonly why: string | undefined;
  /** The message of a withdrawn approval. */
  readonly withdrawn: string | undefined;
}): GateHold[] {
  const { request, waiting, subject, since, why, withdrawn } = gate;
  const merging = howToMerge(request);
  const because = why === undefined ? '' : ` (${why})`;
  return [
    {
      reason: 'WaitingForApproval',
      message: `${waiting} ${since === undefined ? 'is waiting' : `has been waiting since ${since}`} for approval of ${subject}${because}: ${merging}`,
    },
    ...(withdrawn === undefined ? [] : [{ reason: 'ApprovalWithdrawn' as const, message: `${withdrawn}: ${merging}` }]),
  ];
}

const flaws: Readonly<Record<ApprovalFlaw, { readonly code: ProblemCode; readonly is: string }>> = {
  'without-review': { code: 'approval-without-review', is: 'has no review digest' },
  early: { code: 'early-approval', is: 'was on main before its run requested it' },
};

/** Why an approval does not count, as a clause. */
export const whyRefused = (name: string, flaw: ApprovalFlaw): string => `approval ${name} ${flaws[flaw].is}`;

/** An approval that does not answer the review is refused, unless the fleet accepts approvals written by hand. */
export const flawedApproval = (
  name: string,
  flaw: ApprovalFlaw,
  { request, accepted }: { readonly request: ApprovalRequestName; readonly accepted: boolean },
): Problem => ({
  severity: accepted ? 'warning' : 'error',
  code: flaws[flaw].code,
  path: flaw === 'early' ? 'metadata.name' : 'metadata.annotations',
  message: `${whyRefused(name, flaw)}: ${accepted ? 'it is accepted, since spec.approvals.handWritten is true' : 'it is refused'}`,
  fix: flaw === 'early' ? `remove the file, then ${howToMerge(request)}` : `${howToMerge(request)} instead`,
});
