import type { Manifest } from '../../../api/meta.ts';
import { type Instant, parseInstant } from '../../kernel/instant.ts';
import { memoize } from '../../kernel/memoize.ts';
import type { Labels } from '../../kernel/selector.ts';
import { doNotDisrupt } from '../../node-pools/do-not-disrupt.ts';
import { conditionAt, listAt, numberAt, textAt, textsAt, valueAt } from '../../node-pools/read-fields.ts';
import { type Amounts, requestsOf } from '../../node-pools/resources.ts';
import { karpenterDisrupted, tolerates } from '../../node-pools/taints.ts';
import { parseGoDuration } from './go-duration.ts';

/** A pod as disruption sees it. */
export interface Pod {
  /** `namespace/name`. */
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly manifest: Manifest;
  readonly labels: Labels;
  /** Undefined = not bound. */
  readonly node: string | undefined;
  readonly requests: Amounts;
  readonly createdAt: Instant;
  /** Succeeded or Failed: it uses nothing. */
  readonly isTerminal: boolean;
  readonly isTerminating: boolean;
  /** Owned by the node itself. */
  readonly isStatic: boolean;
  readonly isOfDaemonSet: boolean;
  /** It has to run somewhere when its node goes. */
  readonly isReschedulable: boolean;
  /** Bound, and not running yet. */
  readonly isStarting: boolean;
  readonly evictionCost: number;
  /** It says that it is not ready; one that says nothing may be. */
  readonly isUnready: boolean;
  /** A drain leaves it alone: it tolerates the taint of nodes that go. */
  readonly toleratesDisruption: boolean;
}

export const readPod = memoize((manifest: Manifest): Pod => {
  const { namespace = 'default', name, uid, deletionTimestamp } = manifest.metadata;
  const phase = textAt(manifest, 'status', 'phase');
  const isTerminal = phase === 'Succeeded' || phase === 'Failed';
  const isTerminating = deletionTimestamp != null;
  const owners = listAt(manifest, 'metadata', 'ownerReferences').map(ownerText);
  const isStatic = owners.includes('v1 Node');
  const isOfDaemonSet = owners.includes('apps/v1 DaemonSet');
  const isActive = !isTerminal && !isTerminating;
  const isOfStatefulSet = owners.includes('apps/v1 StatefulSet');
  return {
    key: `${namespace}/${name}`,
    namespace,
    name,
    uid: typeof uid === 'string' ? uid : `${namespace}/${name}`,
    manifest,
    labels: manifest.metadata.labels ?? {},
    node: textAt(manifest, 'spec', 'nodeName') || undefined,
    requests: requestsOf(manifest),
    createdAt: parseInstant(manifest.metadata.creationTimestamp ?? '') ?? 0,
    isTerminal,
    isTerminating,
    isStatic,
    isOfDaemonSet,
    isReschedulable: (isActive || (isOfStatefulSet && isTerminating)) && !isOfDaemonSet && !isStatic,
    isStarting: phase === 'Pending',
    evictionCost: evictionCostOf(manifest),
    isUnready: conditionAt(manifest, 'Ready')?.['status'] === 'False',
    toleratesDisruption: tolerates(listAt(manifest, 'spec', 'tolerations'), karpenterDisrupted),
  };
});

const ownerText = (owner: unknown): string => `${textAt(owner, 'apiVersion') ?? ''} ${textAt(owner, 'kind') ?? ''}`;

/** core `pkg/utils/disruption`: deletion cost and priority count as far as they move the cost between −10 and 10. */
function evictionCostOf(manifest: Manifest): number {
  const written = manifest.metadata.annotations?.['controller.kubernetes.io/pod-deletion-cost'];
  const deletion = written === undefined ? 0 : (parseGoFloat(written) ?? 0);
  const priority = numberAt(manifest, 'spec', 'priority') ?? 0;
  return Math.min(10, Math.max(-10, 1 + deletion / 2 ** 27 + priority / 2 ** 25));
}

/** Go's strconv.ParseFloat of decimals: `-5`, `.5`, `1e3`. Undefined for anything else. */
function parseGoFloat(text: string): number | undefined {
  if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text)) return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : undefined;
}

/** Whether the annotation protects the pod now, and until when; undefined end = for ever. */
export function protectionOf(pod: Pod, now: Instant): { readonly until: Instant | undefined } | undefined {
  const written = pod.manifest.metadata.annotations?.[doNotDisrupt];
  if (written === undefined || pod.isTerminal || pod.isTerminating) return undefined;
  if (written === 'true') return { until: undefined };
  const ms = parseGoDuration(written);
  if (ms === undefined || ms <= 0) return undefined;
  const started = parseInstant(textAt(pod.manifest, 'status', 'startTime') ?? '');
  if (started === undefined) return { until: undefined };
  const until = started + ms;
  return now < until ? { until } : undefined;
}

/** Found to have no place by the scheduler, and not about to get one: what a simulation tries to place along. */
export const isPending = (pod: Pod): boolean =>
  pod.node === undefined &&
  pod.isReschedulable &&
  !textAt(pod.manifest, 'status', 'nominatedNodeName') &&
  listAt(pod.manifest, 'status', 'conditions').some(
    (condition) => textAt(condition, 'type') === 'PodScheduled' && textAt(condition, 'reason') === 'Unschedulable',
  );

/** The cost of moving the pods of a node: 1 and what each reschedulable pod costs, if that is above 0. */
export const rescheduleCost = (pods: readonly Pod[]): number =>
  pods.reduce((sum, pod) => sum + (pod.isReschedulable ? Math.max(0, pod.evictionCost) : 0), 1);

/** In the order in which a simulation places them: the largest first, then the oldest. */
export function byPlacement(a: Pod, b: Pod): number {
  return (
    (b.requests.get('cpu') ?? 0) - (a.requests.get('cpu') ?? 0) ||
    (b.requests.get('memory') ?? 0) - (a.requests.get('memory') ?? 0) ||
    a.createdAt - b.createdAt ||
    (a.uid < b.uid ? -1 : a.uid > b.uid ? 1 : 0)
  );
}

/** Whether a field of a pod is set at all. */
export const hasField = (pod: Pod, ...path: readonly string[]): boolean => {
  const value = valueAt(pod.manifest, path);
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
};

export const nodeSelectorOf = (pod: { readonly manifest: Manifest }): Readonly<Record<string, string>> =>
  textsAt(pod.manifest, 'spec', 'nodeSelector');
