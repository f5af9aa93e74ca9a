import { z } from 'zod';
import type { ClusterName, Timestamp } from '../../api/meta.ts';
import type { Problem } from '../../api/problem.ts';
import type { Told } from '../../engine/input.ts';
import type { ToldHold } from '../../engine/plan-document.ts';

/** A member that does not respond. */
export interface Silence {
  readonly cause: string;
  /** When it answered last; absent = never, as far as anybody knows. It does not change while the member is silent. */
  readonly lastContact?: Timestamp;
}

/**
 * What is read of a summary: the branch and its commit, which goes to git and so has to be one, who was silent since when, which
 * removals a person may allow, what is held, what of the commit is not in force, and which one is.
 */
export const summary = z.looseObject({
  branch: z.string().optional(),
  commit: z
    .string()
    .regex(/^[0-9a-f]+$/, 'is no commit')
    .optional(),
  commitInForce: z.string().optional(),
  counts: z.looseObject({ holds: z.number().optional() }).optional(),
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
        until: z.string().optional(),
        removalDigest: z.string().optional(),
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

/** What it says of what is in force. While plans are refused their commit is named beside the one that is. */
export const toldIn = ({ holds = [], counts, commit, commitInForce, guard = [] }: Summary): Told => ({
  // What is read of YAML has no field that is undefined.
  holds: holds as readonly ToldHold[],
  holdCount: counts?.holds ?? holds.length,
  commit: guard.length > 0 ? commitInForce : commit,
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
