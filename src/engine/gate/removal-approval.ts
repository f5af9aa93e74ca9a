import type { RemovalApproval } from '../../api/gitfleet.ts';
import type { Problem } from '../../api/problem.ts';
import type { Fleet, FleetRecord, PlanInput } from '../input.ts';
import { problemOf } from '../problem-of.ts';
import { acceptsHandWritten } from './answer.ts';
import { howToMerge } from './request.ts';

/** The name of the RemovalApproval that a removal requires, and of its branch. Short, and one per digest. */
export const removalName = (digest: string): string => `removal-${hexOf(digest).slice(0, 12)}`;

/** Key of `FleetRecord.removals`. */
export const hexOf = (digest: string): string => digest.replace(/^sha256:/, '');

/** Whether a RemovalApproval on main names the digest. */
export const isRemovalApproved = (
  digest: string,
  { removalApprovals }: { readonly removalApprovals: readonly RemovalApproval[] },
): boolean => removalApprovals.some(({ spec }) => spec.removalDigest === digest);

/** What answers requests to remove something. */
export interface RemovalAnswers {
  readonly fleet: Pick<Fleet, 'removalApprovals' | 'config'>;
  readonly record: Pick<FleetRecord, 'removals' | 'askedRemovals'>;
}

/** The approval that a removal requires now. */
export interface AskedRemoval {
  readonly digest: string;
  readonly approved: boolean;
  /** Digests of approvals that were on main before they were requested; accepted only where it is the last and `approved`. */
  readonly early: readonly string[];
}

/**
 * Each approval counts for one removal, and none that was on main before gitfleet requested it: then the next digest is requested,
 * which no file on main can name yet. `digestOf`: of the removal, after so many approvals.
 */
export function askRemoval(digestOf: (used: number) => string, { fleet, record }: RemovalAnswers): AskedRemoval {
  const early: string[] = [];
  for (let used = 0; ; used++) {
    const digest = digestOf(used);
    const use = record.removals.get(hexOf(digest));
    if (use !== undefined && use.status.underWay === undefined) continue;
    if (!isRemovalApproved(digest, fleet)) return { digest, approved: false, early };
    const isEarly = use === undefined && record.askedRemovals?.has(digest) === false;
    if (isEarly) early.push(digest);
    if (!isEarly || acceptsHandWritten(fleet)) return { digest, approved: true, early };
  }
}

/** Problems of approvals that were early, each with its file. */
export function earlyRemovalApprovals({ digest, approved, early }: AskedRemoval, fleet: Fleet): Problem[] {
  return early.map((flawed) => {
    const accepted = approved && flawed === digest;
    const file = fleet.removalApprovals.find(({ spec }) => spec.removalDigest === flawed)!;
    return problemOf(
      fleet,
      { ...file, ...file.metadata },
      {
        severity: accepted ? 'warning' : 'error',
        code: 'early-approval',
        message: `it was on main before gitfleet requested it: ${accepted ? 'it is accepted, since spec.approvals.handWritten is true' : 'it is refused'}`,
        fix: accepted
          ? 'merge the branches that gitfleet pushes instead of writing approvals by hand'
          : `remove the file, then ${howToMerge({ name: removalName(digest) })}`,
      },
    );
  });
}

/**
 * Problems of approvals that allow nothing now. Only a daemon that knows its members knows what is refused and held. `known`: digests
 * of removals that are refused or held, or were approved.
 */
export function unusedRemovalApprovals(
  known: ReadonlySet<string>,
  { fleet, record, observations }: Pick<PlanInput, 'fleet' | 'record' | 'observations'>,
): Problem[] {
  const { askedRemovals } = record;
  if (askedRemovals === undefined || observations === undefined) return [];
  return fleet.removalApprovals.flatMap(({ kind, metadata, spec: { removalDigest } }) => {
    if (known.has(removalDigest)) return [];
    const why = askedRemovals.has(removalDigest)
      ? 'the removal that it was requested for is not planned now'
      : 'no removal that is refused or held has its digest';
    return [
      problemOf(
        fleet,
        { kind, ...metadata },
        {
          severity: 'warning',
          code: 'unused-approval',
          message: `it allows nothing: ${why}`,
          fix: 'remove the file, unless it is for a removal that is still to come; gitfleet pushes a branch with the digest that a removal requires (get approvals)',
        },
      ),
    ];
  });
}
