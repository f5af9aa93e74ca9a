import { z } from 'zod';
import type { ClusterName, Timestamp } from '../../api/meta.ts';
import type { Problem } from '../../api/problem.ts';
import type { Plan } from '../../engine/plan-document.ts';
import { isUnanswered } from '../../engine/staged/approval/file.ts';
import type { Beside } from './dashboard/dashboard.ts';
import { inForce } from './in-force.ts';
import { removalsAsked } from './removals-asked.ts';
import { tallyOf } from './tally.ts';
import { toldHolds } from './told-holds.ts';

/** A member that does not answer. */
export interface Silence {
  readonly cause: string;
  /** When it answered last; absent = never, as far as anybody knows. It does not change while the member is silent. */
  readonly lastContact?: Timestamp;
}

/** `summary.yaml`: one small file that tells a machine whether anything needs a person. */
export function summaryOf(
  plan: Plan,
  { branch, unreachable, before, fleet }: Pick<Beside, 'branch' | 'unreachable' | 'before' | 'fleet'>,
): object {
  const { placements } = inForce(plan, before);
  const clusters = new Set<string>();
  const counted = { bindings: 0, available: 0, scheduled: 0, leaving: 0 };
  for (const placement of placements) {
    const { available, scheduled, leaving } = tallyOf(placement);
    counted.bindings += placement.bindings.length;
    counted.available += available;
    counted.scheduled += scheduled;
    counted.leaving += leaving;
    for (const { clusterName } of placement.bindings) clusters.add(clusterName);
  }
  const removals = removalsAsked(plan);
  const held = toldHolds(plan);
  const heard = [...unreachable].flatMap(([name, { lastContact }]) => (lastContact ? [[name, lastContact]] : []));
  return {
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'FleetSummary',
    branch,
    commit: plan.commit,
    planDigest: plan.digest,
    counts: {
      placements: placements.length,
      clusters: clusters.size,
      ...counted,
      holds: plan.holds.length,
      approvalsWaiting: plan.approvals.filter(isUnanswered).length,
    },
    ...(unreachable.size > 0 && {
      unreachable: Object.fromEntries([...unreachable].map(([name, { cause }]) => [name, cause])),
    }),
    ...(heard.length > 0 && { lastContact: Object.fromEntries(heard) }),
    ...(removals.length > 0 && { removals }),
    ...(held.length > 0 && { holds: held }),
    guard: plan.guard,
    ...(fleet.refused.length > 0 && {
      notValid: fleet.refused.map(({ kind, name, namespace }) => ({ kind, name, ...(namespace && { namespace }) })),
    }),
    ...(fleet.unreadable.length > 0 && { notRead: fleet.unreadable }),
    problems: plan.problems,
  };
}

/**
 * What is read of a summary: the branch and its commit, which goes to git and so has to be one, who was silent since when, which
 * removals a person may allow, what is held, and what of the commit is not in force.
 */
export const summary = z.looseObject({
  branch: z.string().optional(),
  commit: z
    .string()
    .regex(/^[0-9a-f]+$/, 'is no commit')
    .optional(),
  unreachable: z.record(z.string(), z.string()).optional(),
  lastContact: z.record(z.string(), z.string()).optional(),
  removals: z
    .array(z.object({ name: z.string(), removalDigest: z.string(), messages: z.array(z.string()) }))
    .optional(),
  holds: z
    .array(
      z.looseObject({
        subject: z.looseObject({
          kind: z.string(),
          name: z.string(),
          namespace: z.string().optional(),
          clusterName: z.custom<ClusterName>((value) => typeof value === 'string').optional(),
          stage: z.string().optional(),
        }),
        reason: z.string(),
        message: z.string(),
        clusters: z.array(z.string()).optional(),
        count: z.number().optional(),
      }),
    )
    .optional(),
  guard: z.array(z.looseObject({ message: z.string() })).optional(),
  notValid: z.array(z.object({ kind: z.string(), name: z.string(), namespace: z.string().optional() })).optional(),
  notRead: z.array(z.string()).optional(),
  problems: z
    .array(z.custom<Problem>((value) => typeof (value as Partial<Problem> | null)?.message === 'string'))
    .optional(),
});

type Summary = z.infer<typeof summary>;

/** What of a commit is not in force although a status was planned from it. */
export interface NotInForce {
  /** Why the guard refused the plan. */
  readonly refusals: readonly string[];
  /** Objects whose files are not valid. */
  readonly notValid: NonNullable<Summary['notValid']>;
  /** Files that may hold anything. */
  readonly notRead: readonly string[];
  /** What is wrong with files; of severity error. */
  readonly errors: readonly Problem[];
}

export const notInForceIn = ({ guard = [], notValid = [], notRead = [], problems = [] }: Summary): NotInForce => ({
  refusals: guard.map(({ message }) => message),
  notValid,
  notRead,
  errors: problems.filter(({ severity }) => severity === 'error'),
});

/** Why something is held, as a summary tells it. */
export type Held = NonNullable<Summary['holds']>[number];

/** The members that a summary says do not answer. */
export function silentIn({ unreachable = {}, lastContact = {} }: Summary): Map<ClusterName, Silence> {
  const lastHeard = new Map(Object.entries(lastContact));
  return new Map(
    Object.entries(unreachable).map(([name, cause]) => {
      const heard = lastHeard.get(name);
      return [name as ClusterName, { cause, ...(heard !== undefined && { lastContact: heard }) }];
    }),
  );
}
