import type { Condition } from '../api/meta.ts';
import { placementKey } from '../api/placement.ts';
import { conditionIs } from '../engine/kernel/condition.ts';
import type { EventSource } from './event-source.ts';

/** A stage of a run that waits for an approver, or has its approval. */
interface ApprovalEvent {
  readonly kind: 'approval-requested' | 'approved';
  readonly name: string;
}

/** Timelines show the wait, with what it is for, as a hold. */
export const approvals: EventSource<ApprovalEvent> = {
  events: ({ before, plan }) =>
    plan.approvals.flatMap((approval): ApprovalEvent[] => {
      const { name, status } = approval;
      const was = before.approvals.get(placementKey(approval))?.status?.conditions;
      if (!isApproved(status.conditions)) return was ? [] : [{ kind: 'approval-requested', name }];
      return was && !isApproved(was) ? [{ kind: 'approved', name }] : [];
    }),
  sentences: (events) =>
    events.map(({ kind, name }) => `${name}: ${kind === 'approved' ? 'approved' : 'waiting for approval'}`),
};

const isApproved = (conditions: readonly Condition[]): boolean => conditionIs(conditions, 'Approved', 'True');
