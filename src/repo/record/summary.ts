import { z } from 'zod';
import type { ClusterName } from '../../api/meta.ts';
import type { Problem } from '../../api/problem.ts';
import { removalName } from '../../engine/gate/removal-approval.ts';
import type { GroupedHold } from '../../engine/plan-document.ts';
import type { NotRolledOut } from '../../engine/staged/not-rolled-out.ts';
import { commitId, type DaemonMemory, listedHold } from './daemon-memory.ts';
import { removalToApprove, unusedApproval } from './removals-to-approve.ts';

const requestPage = z.object({
  url: z.string().regex(/^https?:\/\/[\w.:[\]-]+\/[\w./~%+-]*$/),
  state: z.enum(['open', 'closed', 'merged']),
  /** Labels and reviewers were set. */
  assigned: z.boolean().optional(),
});
/** The page of a pull request for an approval. Closed means: not now. */
export type RequestPage = z.infer<typeof requestPage>;

/**
 * The fields of a summary that commands read: the branch and its commit, removals that can be approved, holds, and parts of the
 * commit that are not in effect. Plans do not use it, unless an older daemon left no `daemon.yaml`.
 */
export const summary = z.looseObject({
  branch: z.string().optional(),
  commit: commitId.optional(),
  commitInForce: z.string().optional(),
  counts: z.looseObject({ holds: z.number().optional() }).optional(),
  unreachable: z.record(z.string(), z.string()).optional(),
  lastContact: z.record(z.string(), z.string()).optional(),
  removals: z.array(removalToApprove).optional(),
  answered: z.array(z.object({ approval: z.string(), answer: z.enum(['approved', 'rejected']) })).optional(),
  unusedApprovals: z.array(unusedApproval).optional(),
  pullRequests: z.array(requestPage.extend({ approval: z.string() })).optional(),
  holds: z.array(listedHold).optional(),
  /** External placements of which no update run brings what the repo holds. */
  notRolledOut: z
    .array(
      z.object({
        kind: z.enum(['ClusterResourcePlacement', 'ResourcePlacement']),
        name: z.string(),
        namespace: z.string().optional(),
        why: z.string(),
        cannotStart: z.literal(true).optional(),
      }),
    )
    .optional(),
  guard: z.array(z.looseObject({ message: z.string(), removalDigest: z.string().optional() })).optional(),
  notValid: z
    .array(
      z.object({
        kind: z.string(),
        name: z.string(),
        namespace: z.string().optional(),
        file: z.string().optional(),
        line: z.number().optional(),
        column: z.number().optional(),
      }),
    )
    .optional(),
  notRead: z.array(z.string()).optional(),
  problems: z
    .array(z.custom<Problem>((value) => typeof (value as Partial<Problem> | null)?.message === 'string'))
    .optional(),
});

type Summary = z.infer<typeof summary>;

/** The parts of a commit that are not in effect, although a status was planned from it. */
export interface NotInEffect {
  /** Why the guard refused the plan. */
  readonly refusals: readonly string[];
  /** Names of the approvals of removals that would let it pass. */
  readonly approvedBy?: readonly string[];
  /** Requests that it answers while its plan is refused, by `[ns.]name`. */
  readonly answered?: NonNullable<Summary['answered']>;
  /** Objects whose files are not valid, with the place of their first error where it is known. */
  readonly notValid: NonNullable<Summary['notValid']>;
  /** Unreadable files, which may contain anything. */
  readonly notRead: readonly string[];
  /** Problems of severity error. */
  readonly errors: readonly Problem[];
}

export const notInEffectIn = ({
  guard = [],
  answered = [],
  notValid = [],
  notRead = [],
  problems = [],
}: Summary): NotInEffect => ({
  answered,
  refusals: guard.map(({ message }) => message),
  approvedBy: [...new Set(guard.flatMap(({ removalDigest }) => (removalDigest ? removalName(removalDigest) : [])))],
  notValid,
  notRead,
  errors: problems.filter(({ severity }) => severity === 'error'),
});

export const notRolledOutIn = ({ notRolledOut = [] }: Summary): readonly NotRolledOut[] =>
  notRolledOut.map(({ kind, name, namespace, why, cannotStart }) => ({
    placement: { kind, name, ...(namespace !== undefined && { namespace }) },
    why,
    ...(cannotStart && { cannotStart }),
  }));

/** A hold, as the summary lists it. */
export type Held = NonNullable<Summary['holds']>[number];

/**
 * The memory of a daemon that wrote no `daemon.yaml`: older versions read back the summary. While plans are refused it contains both
 * commits.
 */
export const memoryInSummary = (summary: Summary): DaemonMemory => {
  const { holds = [], counts, commit, commitInForce, guard = [], unreachable = {}, lastContact = {} } = summary;
  const contacts = new Map(Object.entries(lastContact));
  return {
    commit,
    unreachable: new Map(
      Object.entries(unreachable).map(([name, cause]) => {
        const contact = contacts.get(name);
        return [name as ClusterName, { cause, ...(contact !== undefined && { lastContact: contact }) }];
      }),
    ),
    inEffect: {
      // A value read from YAML has no undefined fields.
      holds: holds as readonly GroupedHold[],
      holdCount: counts?.holds ?? holds.length,
      commit: guard.length > 0 ? commitInForce : commit,
    },
    askedRemovals: undefined,
  };
};
