import type { Problem, ProblemCode } from '../../api/problem.ts';
import type { Hold } from '../plan-document.ts';
import type { ApprovalFlaw } from './answer.ts';
import { type ApprovalRequestName, howToMerge } from './request.ts';

type GateHold = Pick<Hold, 'reason' | 'message'>;

export const requestMade = (name: string): string => `approval request ${name} is on its branch`;
export const approvedOnMain = (name: string): string => `approval ${name} is on main`;
export const rejectedOnMain = (name: string, why: string): string =>
  `approval ${name} was refused on main${why === '' ? '' : `: ${why}`}`;
export const takenBack = (name: string): string => `approval ${name} was taken back before the next cluster started`;

/** The answer on main, in a file of that name, is to another question. */
export const staleHold = (request: ApprovalRequestName, file: string): GateHold => ({
  reason: 'ApprovalStale',
  message: `approval ${file} on main is for another review than the present one: ${howToMerge(request)}`,
});

/** What a gate that is closed waits for. */
export function closedHolds(gate: {
  readonly request: ApprovalRequestName;
  /** `run web-1`. */
  readonly who: string;
  /** `stage canary before it starts`. */
  readonly what: string;
  /** When it was asked for; undefined = unknown. */
  readonly since: string | undefined;
  /** Why a file that is on main does not count. */
  readonly why: string | undefined;
  /** How an approval that was there was withdrawn. */
  readonly withdrawn: string | undefined;
}): GateHold[] {
  const { request, who, what, since, why, withdrawn } = gate;
  const merging = howToMerge(request);
  const because = why === undefined ? '' : ` (${why})`;
  return [
    {
      reason: 'WaitingForApproval',
      message: `${who} waits since ${since} for a person to approve ${what}${because}: ${merging}`,
    },
    ...(withdrawn === undefined ? [] : [{ reason: 'ApprovalWithdrawn' as const, message: `${withdrawn}: ${merging}` }]),
  ];
}

const flaws: Readonly<Record<ApprovalFlaw, { readonly code: ProblemCode; readonly is: string }>> = {
  'without-review': { code: 'approval-without-review', is: 'does not name what was reviewed' },
  early: { code: 'early-approval', is: 'was on main before its run asked for it' },
};

/** As a clause: why a file that approves does not count. */
export const whyRefused = (name: string, flaw: ApprovalFlaw): string => `approval ${name} ${flaws[flaw].is}`;

/** An approval that is no answer to a review is refused, unless the fleet allows approvals that are written by hand. */
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
