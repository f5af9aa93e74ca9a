import { placementKey } from '../api/placement.ts';
import type { EventSource } from './event-source.ts';
import { proposedRuns } from './proposed-runs.ts';
import { recordedApproval } from './recorded-approval.ts';

/** A stage of a run that waits for an approver, or has its approval. */
interface ApprovalEvent {
  readonly kind: 'approval-requested' | 'approved';
  readonly name: string;
  /** `approved by Ann in commit 41ab9c0`. */
  readonly by?: string;
}

/** Timelines show the wait, with what it is for, as a hold, and the answer. */
export const approvals: EventSource<ApprovalEvent> = {
  events: ({ before, plan }) =>
    plan.approvals.flatMap(({ planned, answer, file, approvedBy: by }): ApprovalEvent[] => {
      const { name } = planned;
      const recorded = before.approvals.get(placementKey(planned));
      const isKnown = recorded !== undefined || (planned.kind === 'UpdateRun' && proposedRuns(before).has(name));
      // Without a file nobody is asked: a scheduled start opens by itself. A gate may be rejected before it is asked.
      if (answer !== 'approved')
        return isKnown || file === undefined || answer === 'rejected' ? [] : [{ kind: 'approval-requested', name }];
      const isNew = recorded && recordedApproval(recorded).answer !== 'approved';
      return isNew ? [{ kind: 'approved', name, ...(by !== undefined && { by }) }] : [];
    }),
  sentences: (events) =>
    events.map(({ kind, name, by = 'approved' }) => `${name}: ${kind === 'approved' ? by : 'waiting for approval'}`),
  leads: true,
  entries: ({ kind, name, by = 'approved' }) =>
    kind === 'approved' ? [{ tone: 'good', subject: 'approval', text: `${name}: ${by}` }] : [],
};
