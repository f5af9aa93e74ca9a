import { z } from 'zod';
import { approver } from '../../api/approver.ts';
import { placementKey } from '../../api/placement.ts';
import { removalName } from '../../engine/gate/removal-approval.ts';
import type { Hold, Plan, ReviewedRemoval } from '../../engine/plan-document.ts';

const counts = z.object({
  /** Each counts once for each cluster. */
  objects: z.number(),
  clusters: z.number(),
});

const reviewed = z.object({
  action: z.enum(['remove', 'release']),
  placement: z.string(),
  /** `apps/v1/Deployment shop/web`, the first of them; empty text: all, which are not recorded. */
  objects: z.array(z.string()),
  /** The first of them. */
  clusters: z.array(z.string()),
  /** They are not removed now, as the clusters do not have them or leave: the approval only covers them. */
  isAbsent: z.literal(true).optional(),
  /** How many there are. */
  count: z.object({ objects: z.number(), clusters: z.number() }),
});

export const removalToApprove = z.object({
  /** Name of the RemovalApproval, and of its branch below `gitfleet/approve/`. */
  name: z.string(),
  removalDigest: z.string(),
  /** Why the removal is refused or held, one sentence each. */
  messages: z.array(z.string()),
  /** The rules of the guard that refuse it, or the reasons of holds: one for each message. */
  rules: z.array(z.string()).optional(),
  /** The commit that is refused. Absent: only the removal is held. */
  commit: z.string().optional(),
  /** What leaves clusters, and what stays there and is no longer managed. Absent where there is none, or the messages name all. */
  removed: counts.optional(),
  released: counts.optional(),
  /** The first of these, removals first. */
  changes: z.array(reviewed).optional(),
  /** How many there are beside these, where not all are listed. */
  changesLeft: z.number().optional(),
  /** Of Namespaces and CustomResourceDefinitions that are removed with everything in them: what of others that is, one sentence each. */
  contents: z.array(z.string()).optional(),
});
/** A removal that an approval can allow: of a plan that the guard refused, or of a hold. */
export type RemovalToApprove = z.output<typeof removalToApprove>;
export type RemovalCounts = z.output<typeof counts>;
export type RemovedObjects = z.output<typeof reviewed>;

/** A RemovalApproval that is on the followed branch and has allowed nothing yet. */
export const unusedApproval = z.object({
  name: z.string(),
  removalDigest: z.string(),
  approvedBy: approver.optional(),
});
export type UnusedApproval = z.output<typeof unusedApproval>;

const mostChanges = 50;
const mostNamed = 20;

/** The removals that can be approved, one for each digest. */
export function removalsToApprove({
  guard,
  holds,
  commit,
  removals,
}: Pick<Plan, 'guard' | 'holds' | 'commit' | 'removals'>): RemovalToApprove[] {
  const refused = guard.map(({ removalDigest, message, rule }) => ({
    ...{ removalDigest, message, rule, isWhole: true, hold: undefined },
  }));
  const held = holds.map((hold) => ({
    ...{ removalDigest: hold.removalDigest, message: hold.message, rule: hold.reason, isWhole: false, hold },
  }));
  return [...Map.groupBy([...refused, ...held], ({ removalDigest }) => removalDigest)].flatMap(([digest, reasons]) =>
    digest === undefined
      ? []
      : [
          {
            name: removalName(digest),
            removalDigest: digest,
            messages: reasons.map(({ message }) => message),
            rules: reasons.map(({ rule }) => rule),
            ...(reasons[0]!.isWhole ? { commit, ...reviewOf(removals ?? []) } : heldOf(reasons[0]!.hold)),
          },
        ],
  );
}

/** Of a hold, which is one of a placement on a cluster. */
function heldOf(hold: Hold | undefined): Pick<RemovalToApprove, 'removed' | 'changes' | 'contents'> {
  const { subject, removes } = hold ?? {};
  if (subject?.clusterName === undefined || removes === undefined) return {};
  const { objects, contents, count } = removes;
  const on = { clusters: [subject.clusterName], count: { objects: count, clusters: 1 } };
  return {
    removed: on.count,
    changes: [{ action: 'remove', placement: placementKey(subject), objects: [...objects], ...on }],
    contents: [...contents],
  };
}

function reviewOf(
  removals: readonly ReviewedRemoval[],
): Pick<RemovalToApprove, 'removed' | 'released' | 'changes' | 'changesLeft'> {
  const removed = countsOf(removals.filter(({ action, isAbsent }) => action === 'remove' && !isAbsent));
  const released = countsOf(removals.filter(({ action }) => action === 'release'));
  return {
    ...(removed && { removed }),
    ...(released && { released }),
    ...(removals.length > mostChanges && { changesLeft: removals.length - mostChanges }),
    changes: removals.slice(0, mostChanges).map(({ action, placement, objects, clusters, isAbsent }) => ({
      action,
      placement,
      ...(isAbsent && { isAbsent }),
      objects: objects.slice(0, mostNamed),
      clusters: clusters.slice(0, mostNamed),
      count: { objects: objects.length, clusters: clusters.length },
    })),
  };
}

const countsOf = (removals: readonly ReviewedRemoval[]): RemovalCounts | undefined =>
  removals.length === 0
    ? undefined
    : {
        objects: removals.reduce((sum, { objects, clusters }) => sum + objects.length * clusters.length, 0),
        clusters: new Set(removals.flatMap(({ clusters }) => clusters)).size,
      };

/** The approval file. */
export const removalApprovalObject = ({
  name,
  removalDigest,
}: Pick<RemovalToApprove, 'name' | 'removalDigest'>): object => ({
  apiVersion: 'gitfleet.dev/v1alpha1',
  kind: 'RemovalApproval',
  metadata: { name },
  spec: { removalDigest },
});
