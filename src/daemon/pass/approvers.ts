import type { Approver } from '../../api/approver.ts';
import type { RemovalApproval } from '../../api/gitfleet.ts';
import { placementKey } from '../../api/placement.ts';
import type { ApprovalRequest } from '../../api/staged.ts';
import type { UpgradeGate } from '../../api/upgrade-gate.ts';
import { recordedApprover } from '../../engine/gate/approver.ts';
import { hexOf } from '../../engine/gate/removal-approval.ts';
import { type Approvers, type Fleet, type FleetRecord, sourceKey } from '../../engine/input.ts';
import { assertNever } from '../../engine/kernel/assert.ts';
import { conditionIs } from '../../engine/kernel/condition.ts';
import { GitError } from '../../git/git-error.ts';
import type { Commit, Signature } from '../../git/objects/commit.ts';
import type { Person } from '../../git/person.ts';
import type { DesiredState } from '../ports.ts';
import type { ApprovalRequests, Deciders } from '../requests/approval-requests.ts';
import { readableName } from './readable-name.ts';

/** Finds who gave the approvals of a commit that no run has accepted yet: what is accepted is recorded. */
export type FindApprovers = (of: {
  readonly commit: string;
  readonly fleet: Fleet;
  readonly record: FleetRecord;
}) => Promise<Approvers>;

interface Decided {
  readonly approver: Approver | undefined;
  /** Undefined: the forge did not tell at the merge. */
  readonly reviewers: Deciders['reviewers'];
}

const nobody: Decided = { approver: undefined, reviewers: undefined };

/**
 * `author`: of gitfleet's own commits, which a fast-forward brings to the followed branch as they are. `reviewersOf`: who had approved the
 * pull request of an approval when the forge was asked last, for one that does not tell at its merge.
 */
export function approverFinder({
  desired,
  author,
  reviewersOf,
  decidedBy,
}: {
  readonly desired: Pick<DesiredState, 'broughtBy' | 'signatureOf'>;
  readonly author: Person;
  readonly reviewersOf: (approval: string) => readonly string[];
  /** Who merged and who approved it; asked once for each commit that brings a requested one. */
  readonly decidedBy: ApprovalRequests['decidedBy'];
}): FindApprovers {
  /** By path: what was found, as of which tip. */
  const known = new Map<string, Decided & { readonly tip: string }>();

  async function decided(path: string, tip: string, deciders: () => Promise<Deciders | undefined>): Promise<Decided> {
    const before = known.get(path);
    if (before?.tip === tip) return before;
    // A name is no condition: where history cannot be read, the approval counts without it.
    const found = await desired.broughtBy({ tip, path, since: before?.tip }).catch((error: unknown) => {
      if (error instanceof GitError) return undefined;
      throw error;
    });
    const now =
      found === 'before' ? before : typeof found === 'object' ? await mergedAs(found, await deciders()) : undefined;
    const next = { ...(now ?? nobody), tip };
    known.set(path, next);
    return next;
  }

  async function mergedAs(found: Commit, of: Deciders | undefined): Promise<Decided> {
    const signature = await desired.signatureOf?.(found.oid);
    const mergedBy = of?.merger === undefined ? {} : { mergedBy: readableName(of.merger) };
    return { approver: { ...approverIn(found, author), ...mergedBy, signature }, reviewers: of?.reviewers };
  }

  return async ({ commit, fleet, record }) => {
    const approvers = new Map<string, Approver>();
    const paths = new Set<string>();
    for (const file of [...fleet.approvals, ...fleet.gates, ...fleet.removalApprovals]) {
      if (isAccepted(file, record)) continue;
      const key = sourceKey(file.kind, file.metadata);
      const path = fleet.sources?.get(key)?.file;
      if (path === undefined) continue;
      paths.add(path);
      const name = placementKey(file.metadata);
      // What no run requests is early or left over, and has no pull request of gitfleet.
      const isRequested = file.kind === 'RemovalApproval' || record.approvals.has(name);
      const { approver, reviewers } = await decided(path, commit, async () =>
        isRequested ? decidedBy(name, fleet.config?.spec.forge) : undefined,
      );
      if (approver === undefined) continue;
      const names = (reviewers ?? reviewersOf(name)).map(readableName);
      approvers.set(key, { ...approver, ...(names.length > 0 && { reviewers: names }) });
    }
    for (const path of known.keys()) if (!paths.has(path)) known.delete(path);
    return approvers;
  };
}

function isAccepted(
  file: ApprovalRequest | UpgradeGate | RemovalApproval,
  { approvals, removals }: FleetRecord,
): boolean {
  if (file.kind === 'RemovalApproval') return removals.has(hexOf(file.spec.removalDigest));
  const recorded = approvals.get(placementKey(file.metadata));
  if (recorded === undefined) return false;
  switch (recorded.kind) {
    case 'ClusterApprovalRequest':
    case 'ApprovalRequest':
      return conditionIs(recorded.status?.conditions, 'ApprovalAccepted', 'True');
    case 'Gate':
      return recorded.status?.state === 'Completed';
    default:
      return assertNever(recorded);
  }
}

function approverIn({ oid, author, committer }: Commit, own: Person): Approver {
  const nameOf = ({ name, email }: Signature) =>
    name === '' || (name === own.name && email === own.email) ? undefined : readableName(name);
  return recordedApprover({ commit: oid, author: nameOf(author), committer: nameOf(committer) });
}
