import type { ObjectRef } from '../api/meta.ts';
import { placementKey } from '../api/placement.ts';
import { recordedApprover } from '../engine/gate/approver.ts';
import { hexOf } from '../engine/gate/removal-approval.ts';
import { type Fleet, sourceKey } from '../engine/input.ts';
import type { Plan } from '../engine/plan-document.ts';
import { recordedObjects } from '../repo/record/recorded-objects.ts';
import { removalsToApprove, type UnusedApproval } from '../repo/record/removals-to-approve.ts';
import type { DashboardInput } from './dashboard-input.ts';
import { inEffect } from './in-effect.ts';
import { waitingApprovals } from './sections/halted.ts';
import { inEffectOnly } from './sections/not-rolled-out.ts';
import type { Shortage } from './shortage.ts';
import { boundClusters, isRequired, tallyOf } from './tally.ts';

const mostShortages = 100;
const mostReasons = 5;
const mostClusters = 10;

/** `summary.yaml`: one small file that shows programs whether anything needs action. */
export function summaryOf(
  plan: Plan,
  {
    branch,
    unreachable,
    notRolledOut,
    before,
    fleet,
    pages,
  }: Pick<DashboardInput, 'branch' | 'unreachable' | 'notRolledOut' | 'before' | 'fleet' | 'pages'>,
): object {
  const present = inEffect(plan, { before, fleet });
  const { placements, commit, holds, holdCount, approvals, answered, removalHolds, shortages, record } = present;
  const members = recordedObjects('clusters', present);
  const clusters = new Set<string>();
  const counted = { bindings: 0, available: 0, scheduled: 0, leaving: 0 };
  for (const placement of placements) {
    const { available, scheduled, leaving } = tallyOf(placement);
    counted.bindings += placement.bindings.length;
    counted.available += available;
    counted.scheduled += scheduled;
    counted.leaving += leaving;
    boundClusters(placement).forEach((name, at) => {
      const isThere = isRequired(placement.bindings[at]!) || members.has(name);
      if (isThere) clusters.add(name);
    });
  }
  const removals = removalsToApprove({ ...plan, holds: removalHolds });
  const unusedApprovals = unusedIn(fleet, record);
  const missing = inEffectOnly(notRolledOut, placements);
  const names = [...approvals.map(({ planned }) => placementKey(planned)), ...removals.map(({ name }) => name)];
  const pullRequests = names.flatMap((name) => {
    const page = pages?.get(name);
    return page ? [{ approval: name, ...page }] : [];
  });
  const contacts = [...unreachable].flatMap(([name, { lastContact }]) => (lastContact ? [[name, lastContact]] : []));
  return {
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'FleetSummary',
    branch,
    commit: plan.commit,
    ...(plan.guard.length > 0 && commit !== undefined && { commitInForce: commit }),
    planDigest: plan.digest,
    counts: {
      placements: placements.length,
      clusters: clusters.size,
      ...counted,
      holds: holdCount,
      approvalsWaiting: waitingApprovals(approvals, plan).length,
      ...(shortages.size > 0 && { notEnoughClusters: shortages.size }),
    },
    ...(unreachable.size > 0 && {
      unreachable: Object.fromEntries([...unreachable].map(([name, { cause }]) => [name, cause])),
    }),
    ...(contacts.length > 0 && { lastContact: Object.fromEntries(contacts) }),
    ...(removals.length > 0 && { removals }),
    ...(answered.length > 0 && { answered }),
    ...(unusedApprovals.length > 0 && { unusedApprovals }),
    ...(pullRequests.length > 0 && { pullRequests }),
    ...(holds.length > 0 && { holds }),
    ...(shortages.size > 0 && { notEnoughClusters: [...shortages.values()].slice(0, mostShortages).map(listed) }),
    ...(missing.length > 0 && { notRolledOut: missing.map(({ placement, ...of }) => ({ ...placement, ...of })) }),
    guard: plan.guard,
    ...(fleet.refused.length > 0 && {
      notValid: fleet.refused.map((ref) => notValid(ref, fleet)),
    }),
    ...(fleet.unreadable.length > 0 && { notRead: fleet.unreadable }),
    // Spans of time begin with the instant of the plan, so that every plan would be published.
    problems: plan.problems.map(({ spans: _, ...problem }) => problem),
  };
}

function unusedIn({ removalApprovals, approvers }: Fleet, record: Plan['record']): UnusedApproval[] {
  if (removalApprovals.length === 0) return [];
  const used = recordedObjects('removals', { record });
  return removalApprovals.flatMap(({ kind, metadata, spec: { removalDigest } }) => {
    const approvedBy = approvers?.get(sourceKey(kind, metadata));
    if (used.has(hexOf(removalDigest))) return [];
    return [{ name: metadata.name, removalDigest, ...(approvedBy && { approvedBy: recordedApprover(approvedBy) }) }];
  });
}

/** With the place of its first error, which is among the problems. */
function notValid(ref: ObjectRef, { whyRefused }: Pick<Fleet, 'whyRefused'>): object {
  const { kind, name, namespace } = ref;
  const { file, line, column } = whyRefused.get(sourceKey(kind, ref)) ?? {};
  return { kind, name, ...(namespace && { namespace }), ...(file !== undefined && { file, line, column }) };
}

const listed = ({ kind, name, namespace, found, wanted, since, why }: Shortage) => ({
  kind,
  name,
  ...(namespace !== undefined && { namespace }),
  found,
  wanted,
  ...(since !== undefined && { since }),
  ...(why.length > 0 && {
    why: why.slice(0, mostReasons).map(({ reason, clusters }) => ({
      reason,
      clusters: clusters.slice(0, mostClusters),
      count: clusters.length,
    })),
  }),
});
