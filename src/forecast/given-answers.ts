import type { RemovalApproval } from '../api/gitfleet.ts';
import { placementKey } from '../api/placement.ts';
import type { ApprovalRequest } from '../api/staged.ts';
import type { UpgradeGate } from '../api/upgrade-gate.ts';
import { decisionIn } from '../engine/gate/decision.ts';
import { hexOf } from '../engine/gate/removal-approval.ts';
import type { Fleet, FleetRecord, PlanInput } from '../engine/input.ts';
import { canonicalJson } from '../engine/kernel/canonical-json.ts';
import { findCondition } from '../engine/kernel/condition.ts';
import { listUpTo } from '../engine/kernel/short-list.ts';
import type { Plan, RequestedApproval } from '../engine/plan-document.ts';
import { isRefused } from '../engine/recovery/last-good.ts';
import { isOver } from '../engine/update-run.ts';

const unasked = 'nothing asks for this removal now, and an approval counts only after that';
const otherRemoval = 'the merge removes something else than what it approves, or nothing';

const heldBy = (pauses: readonly string[]): string =>
  `nothing is removed before the end of ${listUpTo(pauses, mostNamed)}, which the merge brings; then it lets the same removal happen, and no other approval is requested`;

/** Pauses named in one line. */
const mostNamed = 10;

/** An approval that does not count, and why. */
export interface Uncounted {
  readonly approval: string;
  readonly why: string;
  /** It counts once that ends. */
  readonly later?: true;
}

/** Names of approvals that are new, or whose file differs. */
export function answersIn(next: Fleet, before: Fleet): string[] {
  const all = ({ approvals, gates, removalApprovals }: Fleet) => [...approvals, ...gates, ...removalApprovals];
  const known = new Set(all(before).map(canonicalJson));
  return all(next).flatMap((file) => (known.has(canonicalJson(file)) ? [] : [placementKey(file.metadata)]));
}

/**
 * Names of approvals that a change gives or rejects. Those that were refused before, as all are while `fleet.yaml` is not in effect, are
 * not among them where nothing asks any more.
 */
export const newAnswersIn = (next: Fleet, { fleet: before, record }: Pick<PlanInput, 'fleet' | 'record'>): string[] => {
  const decided = new Set<string>(
    [...next.approvals, ...next.gates, ...next.removalApprovals].flatMap((file) =>
      isRefused(before, { kind: file.kind, ...file.metadata }) && isDecided(file, record)
        ? [placementKey(file.metadata)]
        : [],
    ),
  );
  return answersIn(next, before).filter((name) => !decided.has(name));
};

/** Whether nothing waits for it by the record: it has an answer, or its run is not there, or over. */
function isDecided(file: ApprovalRequest | UpgradeGate | RemovalApproval, record: FleetRecord): boolean {
  if (file.kind === 'RemovalApproval') return record.removals.has(hexOf(file.spec.removalDigest));
  const recorded = record.approvals.get(placementKey(file.metadata));
  if (file.kind === 'Gate') return recorded?.kind !== 'Gate' || recorded.status?.state !== 'Pending';
  const { namespace } = file.metadata;
  const run = record.runs.get(placementKey({ name: file.spec.parentStageRollout, namespace }))?.status;
  if (run === undefined || isOver(run)) return true;
  return recorded?.kind === file.kind && findCondition(recorded.status?.conditions, 'Approved') !== undefined;
}

/**
 * No request is open that they answer, or its review is another one. Of removals, `asked`: digests that were requested before the merge;
 * `required`: those that the merge requires. `later`: those that it requires once the pauses end that the merge brings.
 */
export function uncountedIn(
  { approvals, holds }: Plan,
  {
    answers,
    fleet,
    asked,
    required,
    later,
  }: {
    readonly answers: readonly string[];
    readonly fleet: Fleet;
    readonly asked: ReadonlySet<string>;
    readonly required: ReadonlySet<string>;
    readonly later: { readonly digests: ReadonlySet<string>; readonly pauses: readonly string[] };
  },
): Uncounted[] {
  const files = new Map<string, ApprovalRequest | UpgradeGate>(
    [...fleet.approvals, ...fleet.gates].map((file) => [placementKey(file.metadata), file]),
  );
  const requests = new Map<string, RequestedApproval>(
    approvals.map((request) => [placementKey(request.planned), request]),
  );
  const removals = new Map<string, RemovalApproval>(
    fleet.removalApprovals.map((file) => [placementKey(file.metadata), file]),
  );
  return answers.flatMap((approval) => {
    const removal = removals.get(approval);
    if (removal && !asked.has(removal.spec.removalDigest)) return [{ approval, why: unasked }];
    if (removal && !required.has(removal.spec.removalDigest))
      return later.digests.has(removal.spec.removalDigest)
        ? [{ approval, why: heldBy(later.pauses), later: true as const }]
        : [{ approval, why: otherRemoval }];
    const file = files.get(approval);
    // An older name of a request names its run and stage too.
    const isFor = ({ planned }: RequestedApproval) => canonicalJson(planned.spec) === canonicalJson(file?.spec);
    const request = requests.get(approval) ?? approvals.find(isFor);
    if (request?.answer === 'approved' && file && decisionIn(file) === 'rejected')
      return [{ approval, why: 'its gate is passed' }];
    if (file === undefined || request?.answer !== undefined) return [];
    if (!request) return [{ approval, why: 'no update run requests it now' }];
    const subject = canonicalJson(request.subject);
    const hold = holds.find((of) => canonicalJson(of.subject) === subject);
    return [{ approval, why: hold?.message ?? 'it does not answer the review' }];
  });
}
