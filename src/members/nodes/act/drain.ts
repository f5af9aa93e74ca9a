import { type Instant, parseInstant } from '../../../engine/kernel/instant.ts';
import { listAt, numberAt, textAt } from '../../../engine/node-pools/read-fields.ts';
import { tolerates } from '../../../engine/node-pools/taints.ts';
import { type Pod, protectionOf } from '../../../engine/nodes/cluster/pod.ts';
import { disruptedTaint } from './marks.ts';

/** What a drain does with the pods of a node now. */
export interface Drain {
  readonly evict: readonly Pod[];
  /** Deleted directly, with this grace period: the deadline of the drain allows no longer one. */
  readonly remove: readonly { readonly pod: Pod; readonly graceSeconds: number }[];
  /** The drain is over when there are none. */
  readonly waiting: readonly Pod[];
  /** Those that it may not evict. */
  readonly kept: readonly Pod[];
}

/**
 * As Karpenter drains (core `pkg/controllers/node/termination/terminator`): critical pods after the others, those of DaemonSets last in
 * each group. `deadline` ends it by force, milliseconds.
 */
export function drainOf(
  pods: readonly Pod[],
  { deadline, now }: { readonly deadline: Instant | undefined; readonly now: Instant },
): Drain {
  const waiting = pods.filter((pod) => hasToGo(pod, now));
  const forced = deadline === undefined ? [] : waiting.flatMap((pod) => forcedBy(pod, deadline, now));
  const isForced = new Set(forced.map(({ pod }) => pod));
  const first = Math.min(...waiting.map(tierOf));
  const next = waiting.filter((pod) => tierOf(pod) === first && !pod.isTerminating && !isForced.has(pod));
  const isKept = (pod: Pod): boolean => protectionOf(pod, now) !== undefined;
  return { evict: next.filter((pod) => !isKept(pod)), remove: forced, waiting, kept: next.filter(isKept) };
}

/** A pod that should be gone for so long is stuck: its kubelet does not respond. Milliseconds. */
const stuckMs = 60_000;

function hasToGo(pod: Pod, now: Instant): boolean {
  const stays = pod.toleratesDisruption || tolerates(listAt(pod.manifest, 'spec', 'tolerations'), disruptedTaint);
  if (pod.isTerminal || pod.isStatic || stays) return false;
  return !pod.isTerminating || now <= deletedAt(pod) + stuckMs;
}

const deletedAt = ({ manifest }: Pod): Instant => parseInstant(String(manifest.metadata.deletionTimestamp)) ?? 0;

const usualGraceSeconds = 30;

function forcedBy(pod: Pod, deadline: Instant, now: Instant): Drain['remove'] {
  const graceMs = 1000 * (numberAt(pod.manifest, 'spec', 'terminationGracePeriodSeconds') ?? usualGraceSeconds);
  const isDue = pod.isTerminating ? deletedAt(pod) > deadline : now > deadline - graceMs;
  return isDue ? [{ pod, graceSeconds: Math.max(1, Math.ceil((deadline - now) / 1000)) }] : [];
}

const critical: ReadonlySet<string | undefined> = new Set(['system-cluster-critical', 'system-node-critical']);

const tierOf = (pod: Pod): number =>
  (critical.has(textAt(pod.manifest, 'spec', 'priorityClassName')) ? 2 : 0) + (pod.isOfDaemonSet ? 1 : 0);
