import { placementKey } from '../api/placement.ts';
import type { ApprovalRequest } from '../api/staged.ts';
import type { UpgradeGate } from '../api/upgrade-gate.ts';
import type { Fleet } from '../engine/input.ts';
import { canonicalJson } from '../engine/kernel/canonical-json.ts';
import type { Plan, RequestedApproval } from '../engine/plan-document.ts';

/** An approval that does not count, and why. */
export interface Uncounted {
  readonly approval: string;
  readonly why: string;
}

/** Names of approvals that are new, or whose file differs. */
export function answersIn(next: Fleet, before: Fleet): string[] {
  const all = ({ approvals, gates, removalApprovals }: Fleet) => [...approvals, ...gates, ...removalApprovals];
  const known = new Set(all(before).map(canonicalJson));
  return all(next).flatMap((file) => (known.has(canonicalJson(file)) ? [] : [placementKey(file.metadata)]));
}

/** Those of runs: no request is open that they answer, or its review is another one. */
export function uncountedIn(
  { approvals, holds }: Plan,
  { answers, fleet }: { readonly answers: readonly string[]; readonly fleet: Fleet },
): Uncounted[] {
  const files = new Map<string, ApprovalRequest | UpgradeGate>(
    [...fleet.approvals, ...fleet.gates].map((file) => [placementKey(file.metadata), file]),
  );
  const requests = new Map<string, RequestedApproval>(
    approvals.map((request) => [placementKey(request.planned), request]),
  );
  return answers.flatMap((approval) => {
    const file = files.get(approval);
    // An older name of a request names its run and stage too.
    const isFor = ({ planned }: RequestedApproval) => canonicalJson(planned.spec) === canonicalJson(file?.spec);
    const request = requests.get(approval) ?? approvals.find(isFor);
    if (file === undefined || request?.answer !== undefined) return [];
    if (!request) return [{ approval, why: 'no update run requests it now' }];
    const subject = canonicalJson(request.subject);
    const hold = holds.find((of) => canonicalJson(of.subject) === subject);
    return [{ approval, why: hold?.message ?? 'it does not answer the review' }];
  });
}
