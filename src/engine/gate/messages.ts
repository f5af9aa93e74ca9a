import type { Problem } from '../../api/problem.ts';
import type { Hold } from '../plan-document.ts';
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

/** An approval written by hand names no review: it is accepted, and named so that it is seen. */
export const withoutReview = (name: string): Problem => ({
  severity: 'warning',
  code: 'approval-without-review',
  path: 'metadata.annotations',
  message: `approval ${name} does not say what was reviewed and is accepted as it is`,
  fix: 'merge the approval branch instead, or copy its annotation gitfleet.dev/review',
});
