import { z } from 'zod';
import type { ClusterName, Timestamp } from '../../api/meta.ts';
import type { InEffect } from '../../engine/input.ts';
import type { GroupedHold } from '../../engine/plan-document.ts';

/** A member that does not respond. */
export interface UnreachableMember {
  readonly cause: string;
  /** Its last response; absent = unknown. Constant while the member does not respond. */
  readonly lastContact?: Timestamp;
}

/** State of the last plan that the daemon needs and the record folders lack. */
export interface DaemonMemory {
  /** The commit that was planned; undefined if it is not recorded. */
  readonly commit: string | undefined;
  /** Members that did not respond then. */
  readonly unreachable: ReadonlyMap<ClusterName, UnreachableMember>;
  /** The plan in effect, which stays the same while plans are refused. */
  readonly inEffect: InEffect;
  /** Digests of removals whose approval is requested. Undefined: an older daemon wrote it. */
  readonly askedRemovals: ReadonlySet<string> | undefined;
}

/** Validated, because it is passed to git. */
export const commitId = z.string().regex(/^[0-9a-f]+$/, 'is not a commit');

const texts = z.array(z.string()).readonly();

/** A hold, as the status branch lists it. */
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
  removes: z.object({ objects: texts, contents: texts, count: z.number() }).optional(),
  clusters: z.array(z.string()).optional(),
  count: z.number().optional(),
});

/** `daemon.yaml`. Fields of a newer daemon are ignored. */
export const daemonMemoryFile = z.looseObject({
  apiVersion: z.literal('gitfleet.dev/v1alpha1'),
  kind: z.literal('DaemonMemory'),
  commit: commitId,
  /** The commit in effect; absent if there is none. */
  commitInEffect: z.string().optional(),
  holds: z.array(listedHold).default([]),
  holdCount: z.number().default(0),
  askedRemovals: z.array(z.string()).optional(),
  unreachable: z
    .record(z.string(), z.looseObject({ cause: z.string(), lastContact: z.string().optional() }))
    .default({}),
});

export function writeDaemonMemory({ commit, unreachable, inEffect, askedRemovals }: DaemonMemory): object {
  return {
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'DaemonMemory',
    commit,
    ...(inEffect.commit !== undefined && { commitInEffect: inEffect.commit }),
    ...(unreachable.size > 0 && { unreachable: Object.fromEntries(unreachable) }),
    holdCount: inEffect.holdCount,
    ...(inEffect.holds.length > 0 && { holds: inEffect.holds }),
    ...(askedRemovals?.size && { askedRemovals: [...askedRemovals].sort() }),
  };
}

export const readDaemonMemory = (file: z.infer<typeof daemonMemoryFile>): DaemonMemory => ({
  commit: file.commit,
  unreachable: new Map(
    Object.entries(file.unreachable).map(([name, { cause, lastContact }]) => [
      name as ClusterName,
      { cause, ...(lastContact !== undefined && { lastContact }) },
    ]),
  ),
  inEffect: {
    commit: file.commitInEffect,
    // A value read from YAML has no undefined fields.
    holds: file.holds as readonly GroupedHold[],
    holdCount: file.holdCount,
  },
  askedRemovals: file.askedRemovals && new Set(file.askedRemovals),
});
