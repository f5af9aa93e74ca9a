import type { Approver } from '../../api/approver.ts';
import type { Problem } from '../../api/problem.ts';
import { sourceKey } from '../input.ts';
import type { Answer, GateInput } from './answer.ts';
import { approvedOnMain, recordedApprover, rejectedOnMain } from './approver.ts';
import type { ApprovalFile } from './early-approvals.ts';
import { flawedApproval, type GateHold, staleHold, whyRefused } from './messages.ts';
import type { ApprovalRequestName } from './request.ts';

/** What an answer makes of a gate. */
export type GateOutcome<File> =
  | { readonly kind: 'approved'; readonly message: string; readonly approvedBy: Approver | undefined }
  | { readonly kind: 'rejected'; readonly message: string }
  | {
      readonly kind: 'closed';
      readonly holds: readonly GateHold[];
      /** The approval that is refused, and its problem. */
      readonly refused?: { readonly file: File; readonly problem: Problem };
    };

/** `waiting`: what the gate waits for, and why its file does not count. */
export function outcomeOf<File extends ApprovalFile>(
  answer: Answer<File>,
  {
    request,
    waiting,
    approvers,
  }: Pick<GateInput, 'approvers'> & {
    readonly request: ApprovalRequestName;
    readonly waiting: (why?: string) => readonly GateHold[];
  },
): GateOutcome<File> {
  const approverOf = ({ kind, metadata }: File) => approvers?.get(sourceKey(kind, metadata));
  switch (answer.kind) {
    case 'approved': {
      const approver = approverOf(answer.file);
      const message = approvedOnMain(request.name, approver);
      return { kind: 'approved', message, approvedBy: approver && recordedApprover(approver) };
    }
    case 'rejected':
      return {
        kind: 'rejected',
        message: rejectedOnMain(request.name, answer.message, approverOf(answer.file)),
      };
    case 'stale':
      return { kind: 'closed', holds: [staleHold(request, answer.file.metadata.name), ...waiting()] };
    case 'refused': {
      const { file, flaw } = answer;
      const { name } = file.metadata;
      const problem = flawedApproval(name, flaw, { request, accepted: false });
      return { kind: 'closed', holds: waiting(whyRefused(name, flaw)), refused: { file, problem } };
    }
    case 'none':
      return { kind: 'closed', holds: waiting(answer.why) };
  }
}
