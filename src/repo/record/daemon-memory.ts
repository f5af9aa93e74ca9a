import { z } from 'zod';
import type { ClusterName, Timestamp } from '../../api/meta.ts';
import type { Told } from '../../engine/input.ts';
import type { ToldHold } from '../../engine/plan-document.ts';

/** A member that does not respond. */
export interface Silence {
  readonly cause: string;
  /** When it responded last; absent = never, as far as is known. It does not change while the member is silent. */
  readonly lastContact?: Timestamp;
}

/** What a daemon has to know of its last plan, beyond what the record folders hold. */
export interface DaemonMemory {
  /** Of the fleet repo, that the plan was made from; undefined where it is not recorded. */
  readonly commit: string | undefined;
  /** Members that did not respond then. */
  readonly silent: ReadonlyMap<ClusterName, Silence>;
  /** While plans are refused it stays what the status branch reports. */
  readonly inEffect: Told;
}

/** A commit goes to git, and so has to be one. */
export const commitId = z.string().regex(/^[0-9a-f]+$/, 'is no commit');

/** Why something is held, as the status branch lists it. */
export const listedHold = z.looseObject({
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
});

/** `daemon.yaml`. Fields of a newer daemon are left out of what is read. */
export const daemonMemoryFile = z.looseObject({
  apiVersion: z.literal('gitfleet.dev/v1alpha1'),
  kind: z.literal('DaemonMemory'),
  commit: commitId,
  /** The commit in effect; absent where none is. */
  commitInEffect: z.string().optional(),
  holds: z.array(listedHold).default([]),
  holdCount: z.number().default(0),
  unreachable: z
    .record(z.string(), z.looseObject({ cause: z.string(), lastContact: z.string().optional() }))
    .default({}),
});

export function writeDaemonMemory({ commit, silent, inEffect }: DaemonMemory): object {
  return {
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'DaemonMemory',
    commit,
    ...(inEffect.commit !== undefined && { commitInEffect: inEffect.commit }),
    ...(silent.size > 0 && { unreachable: Object.fromEntries(silent) }),
    holdCount: inEffect.holdCount,
    ...(inEffect.holds.length > 0 && { holds: inEffect.holds }),
  };
}

export const readDaemonMemory = (file: z.infer<typeof daemonMemoryFile>): DaemonMemory => ({
  commit: file.commit,
  silent: new Map(
    Object.entries(file.unreachable).map(([name, { cause, lastContact }]) => [
      name as ClusterName,
      { cause, ...(lastContact !== undefined && { lastContact }) },
    ]),
  ),
  inEffect: {
    commit: file.commitInEffect,
    // What is read of YAML has no field that is undefined.
    holds: file.holds as readonly ToldHold[],
    holdCount: file.holdCount,
  },
});
