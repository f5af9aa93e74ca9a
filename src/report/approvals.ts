import { placementKey } from '../api/placement.ts';
import type { EventSource } from './event-source.ts';
import { recordedApproval } from './recorded-approval.ts';

/** A stage of a run that waits for an approver, or has its approval. */
interface ApprovalEvent {
  readonly kind: 'approval-requested' | 'approved';
  readonly name: string;
}

/** Timelines show the wait, with what it is for, as a hold. */
export const approvals: EventSource<ApprovalEvent> = {
  events: ({ before, plan }) =>
    plan.approvals.flatMap(({ planned, answer }): ApprovalEvent[] => {
      const { name } = planned;
      const recorded = before.approvals.get(placementKey(planned));
      if (answer !== 'approved') return recorded ? [] : [{ kind: 'approval-requested', name }];
      return recorded && recordedApproval(recorded).answer !== 'approved' ? [{ kind: 'approved', name }] : [];
    }),
  sentences: (events) =>
    events.map(({ kind, name }) => `${name}: ${kind === 'approved' ? 'approved' : 'waiting for approval'}`),
};
