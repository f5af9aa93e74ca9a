import { z } from 'zod';
import type { ClusterName } from '../../api/meta.ts';
import type { Problem } from '../../api/problem.ts';
import type { ToldHold } from '../../engine/plan-document.ts';
import { commitId, type DaemonMemory, listedHold } from './daemon-memory.ts';

/**
 * What commands read of a summary: the branch and its commit, which removals someone may approve, what is held, and what of the
 * commit is not in effect. Nothing is planned from it, but where an older daemon left no `daemon.yaml`.
 */
export const summary = z.looseObject({
  branch: z.string().optional(),
  commit: commitId.optional(),
  commitInForce: z.string().optional(),
  counts: z.looseObject({ holds: z.number().optional() }).optional(),
  unreachable: z.record(z.string(), z.string()).optional(),
  lastContact: z.record(z.string(), z.string()).optional(),
  removals: z
    .array(z.object({ name: z.string(), removalDigest: z.string(), messages: z.array(z.string()) }))
    .optional(),
  holds: z.array(listedHold).optional(),
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

/**
 * What a daemon without `daemon.yaml` wrote down for itself: until it had that file, the summary was its memory. While plans are
 * refused their commit is named beside the one in effect.
 */
export const memoryInSummary = (summary: Summary): DaemonMemory => {
  const { holds = [], counts, commit, commitInForce, guard = [], unreachable = {}, lastContact = {} } = summary;
  const lastHeard = new Map(Object.entries(lastContact));
  return {
    commit,
    silent: new Map(
      Object.entries(unreachable).map(([name, cause]) => {
        const heard = lastHeard.get(name);
        return [name as ClusterName, { cause, ...(heard !== undefined && { lastContact: heard }) }];
      }),
    ),
    inEffect: {
      // What is read of YAML has no field that is undefined.
      holds: holds as readonly ToldHold[],
      holdCount: counts?.holds ?? holds.length,
      commit: guard.length > 0 ? commitInForce : commit,
    },
  };
};
