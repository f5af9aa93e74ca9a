import type { Problem } from '../../api/problem.ts';
import type { Answer } from './answer.ts';
import type { ApprovalFile } from './early-approvals.ts';
import { flawedApproval } from './messages.ts';
import type { ApprovalRequestName } from './request.ts';

/** The gates of a run, as its domain describes them. */
export interface RunGates<Gate, File> {
  /** In the order in which they are reached. */
  readonly all: readonly Gate[];
  readonly isApproved: (gate: Gate) => boolean;
  readonly requestOf: (gate: Gate) => ApprovalRequestName;
  /** How its file on main answers it. `foreign`: the file has its name, but is for another gate. */
  readonly answerTo: (gate: Gate) => Answer<File> | { readonly kind: 'foreign' };
}

/**
 * The gate whose approval is withdrawn. Removing the file withdraws the last approval, as long as nothing after its gate has
 * started (docs/compatibility.md; in KubeFleet an accepted approval is final).
 */
export function withdrawnGate<Gate>(
  { all, isApproved, answerTo }: Omit<RunGates<Gate, unknown>, 'requestOf'>,
  {
    hasStartedAfter,
    absenceIsCertain,
  }: {
    readonly hasStartedAfter: (gate: Gate) => boolean;
    /** False while some file cannot be read: then a missing file withdraws nothing. */
    readonly absenceIsCertain: boolean;
  },
): Gate | undefined {
  const last = all.findLast(isApproved);
  if (last === undefined || !absenceIsCertain || hasStartedAfter(last)) return undefined;
  const { kind } = answerTo(last);
  return kind === 'none' || kind === 'rejected' ? last : undefined;
}

/** The first gate that is not passed and is rejected. */
export const rejectedGate = <Gate>({
  all,
  isApproved,
  answerTo,
}: Omit<RunGates<Gate, unknown>, 'requestOf'>): Gate | undefined =>
  all.find((gate) => !isApproved(gate) && answerTo(gate).kind === 'rejected');

/** Approvals that count although they do not answer the review. */
export const acceptedFlaws = <Gate, File extends ApprovalFile>({
  all,
  isApproved,
  requestOf,
  answerTo,
}: RunGates<Gate, File>): readonly { readonly file: File; readonly problem: Problem }[] =>
  all.filter(isApproved).flatMap((gate) => {
    const answer = answerTo(gate);
    if (answer.kind !== 'approved' || answer.flaw === undefined) return [];
    const { file, flaw } = answer;
    return [{ file, problem: flawedApproval(file.metadata.name, flaw, { request: requestOf(gate), accepted: true }) }];
  });
