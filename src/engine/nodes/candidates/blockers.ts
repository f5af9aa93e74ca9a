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

/** A reason that may keep a node, and whether it does. `isOfPod`: a drain with a deadline would end it. */
export interface BlockRule {
  readonly reason: BlockReason;
  readonly isOfPod: boolean;
  readonly find: (node: ClusterNode, context: BlockerContext) => Omit<Blocker, 'reason' | 'isOfPod'> | undefined;
}

/** In Karpenter's order (core `statenode.go` ValidateNodeDisruptable, `types.go` NewCandidate). */
export const blockRules: readonly BlockRule[] = [
  ofNode('NoNodeClaim', ({ claim }) => claim === undefined, 'has no NodeClaim'),
  ofNode('NotInitialized', ({ isInitialized }) => !isInitialized, 'is not initialized'),
  ofNode('Deleting', ({ isDeleting }) => isDeleting, 'is being deleted'),
  ofNode('Marked', ({ isMarked }) => isMarked, 'is being disrupted already'),
  ofNode('Nominated', ({ isNominated }) => isNominated, 'is nominated for a pending pod'),
  ofNode(
    'NodeDoNotDisrupt',
    ({ manifest }) => manifest.metadata.annotations?.[doNotDisrupt] === 'true',
    `has ${doNotDisrupt}`,
  ),
  ofNode('NoNodePool', ({ poolName }) => poolName === undefined, 'has no label of a NodePool'),
  {
    reason: 'UnknownNodePool',
    isOfPod: false,
    find: ({ pool, poolName }) =>
      pool === undefined && poolName !== undefined
        ? { message: `NodePool ${poolName} is not known: the fleet repo places none of that name here` }
        : undefined,
  },
  { reason: 'PodDoNotDisrupt', isOfPod: true, find: protectedPod },
  // Several budgets of a pod come before one that allows nothing, on whichever pod.
  { reason: 'MultiplePodDisruptionBudgets', isOfPod: true, find: severalBudgets },
  { reason: 'PodDisruptionBudget', isOfPod: true, find: closedBudget },
  { reason: 'NotModelled', isOfPod: false, find: notModelled },
];

/** The first thing in the way of a node. */
export const blockerOf = (node: ClusterNode, context: BlockerContext): Blocker | undefined =>
  firstOf(blockRules, node, context);

/** The same for a drain that ends by force: pods do not stop it. */
export const blockerOfForced = (node: ClusterNode, context: BlockerContext): Blocker | undefined =>
  firstOf(rulesOfForced, node, context);

const rulesOfForced = blockRules.filter(({ isOfPod }) => !isOfPod);

function firstOf(rules: readonly BlockRule[], node: ClusterNode, context: BlockerContext): Blocker | undefined {
  for (const { reason, isOfPod, find } of rules) {
    const found = find(node, context);
    if (found !== undefined) return { reason, ...found, ...(isOfPod ? { isOfPod } : {}) };
  }
  return undefined;
}

function ofNode(reason: BlockReason, isSo: (node: ClusterNode) => boolean, what: string): BlockRule {
  return {
    reason,
    isOfPod: false,
    find: (node) => (isSo(node) ? { message: `node ${node.name} ${what}` } : undefined),
  };
}

type Found = ReturnType<BlockRule['find']>;

/** The pod that is protected longest. */
function protectedPod({ pods }: ClusterNode, { now }: BlockerContext): Found {
  let last: { readonly pod: Pod; readonly until: Instant } | undefined;
  for (const pod of pods) {
    const protection = protectionOf(pod, now);
    if (protection === undefined) continue;
    const { until = Number.POSITIVE_INFINITY } = protection;
    if (last === undefined || until > last.until) last = { pod, until: Math.ceil(until) };
  }
  if (last === undefined) return undefined;
  const message = `pod ${last.pod.key} has ${doNotDisrupt}`;
  if (last.until === Number.POSITIVE_INFINITY) return { message };
  return { message: `${message} until ${formatInstant(last.until)}`, until: last.until };
}

function severalBudgets({ pods }: ClusterNode, { budgets }: BlockerContext): Found {
  if (budgets.size === 0) return undefined;
  for (const pod of pods) {
    const matching = isEvicted(pod) ? budgetsOfPod(budgets, pod) : [];
    if (matching.length > 1)
      return {
        message: `pod ${pod.key} has more than one PodDisruptionBudget: ${matching.map(({ name }) => name).join(', ')}`,
      };
  }
  return undefined;
}

function closedBudget({ pods }: ClusterNode, { budgets }: BlockerContext): Found {
  if (budgets.size === 0) return undefined;
  for (const pod of pods)
    for (const { name, disruptionsAllowed, allowsUnready } of isEvicted(pod) ? budgetsOfPod(budgets, pod) : [])
      if (disruptionsAllowed <= 0 && !(allowsUnready && pod.isUnready))
        return { message: `PodDisruptionBudget ${pod.namespace}/${name} prevents the eviction of pod ${pod.key}` };
  return undefined;
}

function notModelled({ pods }: ClusterNode, { classOf }: BlockerContext): Found {
  for (const pod of pods) {
    if (!pod.isReschedulable) continue;
    const what = classOf(pod).notModelled;
    if (what !== undefined) return { message: `pod ${pod.key} needs what is not modelled: ${what}` };
  }
  return undefined;
}
