import type { FleetConfig } from '../../api/gitfleet.ts';
import { placementKey } from '../../api/placement.ts';
import type { Problem } from '../../api/problem.ts';
import { parseInstant } from '../../engine/kernel/instant.ts';
import type { RequestedApproval } from '../../engine/plan-document.ts';
import { stageEffect } from '../../forecast/stage-effect.ts';
import { subjectOf } from '../../git/objects/commit.ts';
import { approvalFolder } from '../../repo/fleet/approval-places.ts';
import { removalsToApprove } from '../../repo/record/removals-to-approve.ts';
import { approvalMarkdown } from '../../report/approval/approval-markdown.ts';
import {
  type ApprovalPage,
  askedGate,
  commitsOf,
  gatePage,
  removalPage,
  stagePage,
} from '../../report/approval/approval-page.ts';
import type { InEffect } from '../../report/in-effect.ts';
import { stageBehind } from '../../report/waits/approval-starts.ts';
import type { Recorded } from '../pass/pass-state.ts';
import type { DesiredState } from '../ports.ts';
import type { WantedRequest } from './request-state.ts';

export interface RequestFacts {
  readonly recorded: Recorded;
  readonly present: Pick<InEffect, 'approvals' | 'removalHolds'> & { readonly config: FleetConfig | undefined };
  /** Tips of the branches that request approvals, by name. */
  readonly tips: ReadonlyMap<string, string>;
  /** Of these branches. */
  readonly problems: readonly Problem[];
  /** Longest text of the forge, characters. */
  readonly most: number;
}

/** The pull requests for the approvals of a plan, one for each branch that exists. */
export async function wantedRequests(facts: RequestFacts, desired: DesiredState): Promise<WantedRequest[]> {
  const { recorded, present, tips, problems, most } = facts;
  const pages = new Map<string, ApprovalPage>();
  for (const approval of present.approvals)
    if (tips.has(placementKey(approval.planned)))
      pages.set(placementKey(approval.planned), await pageOf(approval, facts, desired));
  for (const removal of removalsToApprove({ guard: recorded.result.plan.guard, holds: present.removalHolds }))
    pages.set(removal.name, removalPage(removal, { problems }));
  return [...pages].flatMap(([name, page]) => {
    const commit = tips.get(name);
    const known = recorded.before.pages.get(name);
    const assigned = known?.assigned ? known.url : undefined;
    return commit === undefined ? [] : [{ name, commit, assigned, ...approvalMarkdown(page, most) }];
  });
}

async function pageOf(
  approval: RequestedApproval,
  { recorded, present, problems }: RequestFacts,
  desired: DesiredState,
): Promise<ApprovalPage> {
  const { record, result, fleet, basis } = recorded;
  const gate = askedGate(approval, record);
  if (gate === undefined) {
    const run = record.upgrades.get(approval.subject.name);
    const nowMs = parseInstant(result.plan.now)!;
    return gatePage(approval, { run, fleet, observations: basis?.observations ?? new Map(), nowMs, problems });
  }
  const { from, to } = commitsOf(gate, record);
  const included = to === undefined ? [] : await desired.commitsBetween(from, to);
  // Approvals of other stages bring nothing to clusters.
  const commits = await desired.changingMoreThan(approvalFolder(present.config), included);
  return stagePage(gate, {
    name: placementKey(approval.planned),
    record,
    problems,
    observations: result.contents.world.input.observations ?? new Map(),
    commits: commits.map((commit) => ({ oid: commit.oid, subject: subjectOf(commit), author: commit.author.name })),
    changes: stageEffect(result.contents, gate.run, stageBehind(gate.run, gate.task)?.stage.clusters ?? []),
  });
}
