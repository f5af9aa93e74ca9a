import { z } from 'zod';
import type { ClusterName, Timestamp } from '../../api/meta.ts';
import type { Plan } from '../../engine/plan-document.ts';
import { isUnanswered } from '../../engine/staged/approval/file.ts';
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
  { branch, unreachable }: { readonly branch: string; readonly unreachable: ReadonlyMap<ClusterName, Silence> },
): object {
  const clusters = new Set<string>();
  const counted = { bindings: 0, available: 0, scheduled: 0, leaving: 0 };
  for (const placement of plan.placements) {
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
      placements: plan.placements.length,
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
    problems: plan.problems,
  };
}

/**
 * What is read of a summary: the branch and its commit, which goes to git and so has to be one, who was silent since when, which
 * removals a person may allow, and what is held.
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
});

/** Why something is held, as a summary tells it. */
export type Held = NonNullable<z.infer<typeof summary>['holds']>[number];

/** The members that a summary says do not answer. */
export function silentIn({ unreachable = {}, lastContact = {} }: z.infer<typeof summary>): Map<ClusterName, Silence> {
  const lastHeard = new Map(Object.entries(lastContact));
  return new Map(
    Object.entries(unreachable).map(([name, cause]) => {
      const heard = lastHeard.get(name);
      return [name as ClusterName, { cause, ...(heard !== undefined && { lastContact: heard }) }];
    }),
  );
}
