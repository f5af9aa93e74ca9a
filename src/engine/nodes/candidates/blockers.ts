import type { BlockReason } from '../../../api/nodes/node-plan.ts';
import { formatInstant, type Instant } from '../../kernel/instant.ts';
import { doNotDisrupt } from '../../node-pools/do-not-disrupt.ts';
import type { ClusterNode } from '../cluster/cluster-nodes.ts';
import { budgetsOfPod, isEvicted, type PodBudgets } from '../cluster/disruption-budgets.ts';
import { type Pod, protectionOf } from '../cluster/pod.ts';
import type { PodClass } from '../simulate/pod-class.ts';

/** Why a node may not go. */
export interface Blocker {
  readonly reason: BlockReason;
  readonly message: string;
  /** When time alone ends it. */
  readonly until?: Instant;
  /** A pod is in the way: a drain with a deadline would end that. */
  readonly isOfPod?: true;
}

export interface BlockerContext {
  readonly budgets: PodBudgets;
  readonly classOf: (pod: Pod) => PodClass;
  readonly hasNodeClaims: boolean;
  readonly now: Instant;
}

/** The first thing in the way of a node, in Karpenter's order (core `statenode.go` ValidateNodeDisruptable, `types.go` NewCandidate). */
export const blockerOf = (node: ClusterNode, context: BlockerContext): Blocker | undefined =>
  ofNode(node) ?? ofPods(node, context) ?? notModelled(node, context);

/** The same for a drain that ends by force: pods do not stop it. */
export const blockerOfForced = (node: ClusterNode, context: BlockerContext): Blocker | undefined =>
  ofNode(node) ?? notModelled(node, context);

function ofNode(node: ClusterNode): Blocker | undefined {
  const { name, poolName } = node;
  if (node.claim === undefined) return block('NoNodeClaim', `node ${name} has no NodeClaim`);
  if (!node.isInitialized) return block('NotInitialized', `node ${name} is not initialized`);
  if (node.isDeleting) return block('Deleting', `node ${name} is being deleted`);
  if (node.isMarked) return block('Marked', `node ${name} is being disrupted already`);
  if (node.isNominated) return block('Nominated', `node ${name} is nominated for a pending pod`);
  if (node.manifest.metadata.annotations?.[doNotDisrupt] === 'true')
    return block('NodeDoNotDisrupt', `node ${name} has ${doNotDisrupt}`);
  if (poolName === undefined) return block('NoNodePool', `node ${name} has no label of a NodePool`);
  if (node.pool === undefined) return block('UnknownNodePool', `NodePool ${poolName} is not known`);
  return undefined;
}

function ofPods(node: ClusterNode, { budgets, now }: BlockerContext): Blocker | undefined {
  for (const pod of node.pods) {
    const protection = protectionOf(pod, now);
    if (protection === undefined) continue;
    const { until } = protection;
    const end = until === undefined ? '' : ` until ${formatInstant(Math.ceil(until))}`;
    const found = block('PodDoNotDisrupt', `pod ${pod.key} has ${doNotDisrupt}${end}`);
    return { ...found, isOfPod: true, ...(until === undefined ? {} : { until: Math.ceil(until) }) };
  }
  return ofBudgets(node, budgets);
}

/** Several budgets of a pod come before one that allows nothing, on whichever pod. */
function ofBudgets(node: ClusterNode, budgets: PodBudgets): Blocker | undefined {
  if (budgets.size === 0) return undefined;
  const evicted = node.pods.filter(isEvicted).map((pod) => ({ pod, matching: budgetsOfPod(budgets, pod) }));
  for (const { pod, matching } of evicted)
    if (matching.length > 1)
      return {
        ...block(
          'MultiplePodDisruptionBudgets',
          `pod ${pod.key} has more than one PodDisruptionBudget: ${matching.map(({ name }) => name).join(', ')}`,
        ),
        isOfPod: true,
      };
  for (const { pod, matching } of evicted)
    for (const { name, disruptionsAllowed, allowsUnready } of matching)
      if (disruptionsAllowed <= 0 && !(allowsUnready && !pod.isReady))
        return {
          ...block(
            'PodDisruptionBudget',
            `PodDisruptionBudget ${pod.namespace}/${name} prevents the eviction of pod ${pod.key}`,
          ),
          isOfPod: true,
        };
  return undefined;
}

function notModelled({ pods }: ClusterNode, { classOf }: BlockerContext): Blocker | undefined {
  for (const pod of pods) {
    if (!pod.isReschedulable) continue;
    const what = classOf(pod).notModelled;
    if (what !== undefined) return block('NotModelled', `pod ${pod.key} needs what is not modelled: ${what}`);
  }
  return undefined;
}

const block = (reason: BlockReason, message: string): Blocker => ({ reason, message });
