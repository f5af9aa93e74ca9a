import type { FleetConfig } from '../../api/gitfleet.ts';
import type { Condition } from '../../api/meta.ts';
import { placementKey } from '../../api/placement.ts';
import type { Problem } from '../../api/problem.ts';
import { approvedText } from '../../engine/gate/approver.ts';
import { removalName } from '../../engine/gate/removal-approval.ts';
import { findCondition } from '../../engine/kernel/condition.ts';
import { parseInstant } from '../../engine/kernel/instant.ts';
import type { PlannedApproval, RequestedApproval } from '../../engine/plan-document.ts';
import { recordedObjects } from '../../repo/record/recorded-objects.ts';
import { removalsToApprove } from '../../repo/record/removals-to-approve.ts';
import { approvalMarkdown } from '../../report/approval/approval-markdown.ts';
import {
  type ApprovalPage,
  askedGate,
  gatePage,
  proposalPage,
  stagePage,
} from '../../report/approval/approval-page.ts';
import { removalPage } from '../../report/approval/removal-page.ts';
import type { InEffect } from '../../report/in-effect.ts';
import { proposedRuns } from '../../report/proposed-runs.ts';
import { noneCounts } from '../../report/sections/approvals.ts';
import { wholeSeconds } from '../../report/whole-seconds.ts';
import type { Recorded } from '../pass/pass-state.ts';
import type { DesiredState } from '../ports.ts';
import type { AnsweredRequest } from './answered-requests.ts';
import type { WantedRequest } from './request-state.ts';
import { stageFacts } from './stage-facts.ts';

export interface RequestFacts {
  readonly recorded: Recorded;
  readonly present: Pick<InEffect, 'approvals' | 'answered' | 'removalHolds'> & {
    readonly config: FleetConfig | undefined;
  };
  /** Tips of the branches that request approvals, by name; undefined where that is not known now. */
  readonly tips: ReadonlyMap<string, string | undefined>;
  /** Of these branches. */
  readonly problems: readonly Problem[];
  /** Longest text of the forge, characters. */
  readonly most: number;
}

/** The pull requests for the approvals of a plan, one for each branch, also where it could not be pushed now. */
export async function wantedRequests(facts: RequestFacts, desired: DesiredState): Promise<WantedRequest[]> {
  const { recorded, present, tips, problems, most } = facts;
  const pages = new Map<string, ApprovalPage>();
  for (const approval of present.approvals)
    if (tips.has(placementKey(approval.planned)))
      pages.set(placementKey(approval.planned), await pageOf(approval, facts, desired));
  for (const removal of removalsToApprove({ ...recorded.result.plan, holds: present.removalHolds }))
    pages.set(
      removal.name,
      removalPage(removal, { problems, answered: present.answered, runs: recorded.record.runs.values() }),
    );
  // It says first that merging starts nothing yet.
  const uncounted = recorded.fleet.noApprovalCounts ? [noneCounts] : [];
  return [...pages].map(([name, page]) => {
    const known = recorded.before.pages.get(name);
    const assigned = known?.assigned ? known.url : undefined;
    const text = approvalMarkdown({ ...page, lead: [...uncounted, ...page.lead] }, most);
    return { name, commit: tips.get(name), assigned, ...text };
  });
}

/**
 * Approvals that a plan no longer requests: given or rejected, of runs and of removals, and others that the status branch still lists, or
 * whose branch was withdrawn now: a daemon that opened a request may have ended before the status branch listed it.
 */
export function answeredRequests(
  { result: { plan }, before }: Recorded,
  wanted: readonly Pick<WantedRequest, 'name'>[],
  withdrawn: readonly string[],
): AnsweredRequest[] {
  const decided = plan.approvals.flatMap(({ planned, answer: outcome, approvedBy, rejection }) => {
    const by = outcome === 'approved' ? approvedBy : rejection;
    return outcome ? [{ name: placementKey(planned), outcome, by, at: answeredAt(planned) ?? plan.now }] : [];
  });
  const used = [...recordedObjects('removals', plan).values()].map(({ value: { spec, status } }) => ({
    name: removalName(spec.removalDigest),
    outcome: 'approved' as const,
    by: approvedText(status.approvedBy),
    at: status.at ?? plan.now,
  }));
  const answered = [...decided, ...used];
  const others = new Set([...answered, ...wanted].map(({ name }) => name));
  const opened = new Set([...before.pages.keys(), ...withdrawn]);
  const dropped = [...opened].flatMap((name) =>
    others.has(name) ? [] : [{ name, outcome: 'dropped' as const, by: 'no longer requested', at: plan.now }],
  );
  return [...answered, ...dropped].map(({ name, outcome, by = `${outcome} on the followed branch`, at }) => ({
    name,
    outcome,
    text: `${by.charAt(0).toUpperCase()}${by.slice(1)}, ${wholeSeconds(at)}`,
    isOpened: opened.has(name),
  }));
}

const answeredAt = ({ status }: PlannedApproval): string | undefined =>
  'conditions' in status
    ? findCondition(status.conditions as readonly Condition[], 'Approved')?.lastTransitionTime
    : undefined;

async function pageOf(
  approval: RequestedApproval,
  { recorded, present, problems }: RequestFacts,
  desired: DesiredState,
): Promise<ApprovalPage> {
  const { record, result, fleet, basis } = recorded;
  const gate = askedGate(approval, record);
  const proposed = proposedRuns(record).get(approval.planned.name);
  if (approval.planned.kind === 'UpdateRun' && proposed) return proposalPage(proposed, { problems });
  if (gate === undefined) {
    const run = record.upgrades.get(approval.subject.name);
    const nowMs = parseInstant(result.plan.now)!;
    return gatePage(approval, { run, fleet, observations: basis?.observations ?? new Map(), nowMs, problems });
  }
  const facts = await stageFacts(gate, { record, contents: result.contents, config: present.config, history: desired });
  return stagePage(gate, {
    name: placementKey(approval.planned),
    record,
    problems,
    observations: result.contents.world.input.observations ?? new Map(),
    ...facts,
  });
}
