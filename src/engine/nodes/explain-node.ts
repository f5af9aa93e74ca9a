import type { BlockReason } from '../../api/nodes/node-plan.ts';
import { formatInstant, type Instant } from '../kernel/instant.ts';
import { keepRules, stoppedBy, whyNoneIsNew } from './blocked-nodes.ts';
import { blockRules } from './candidates/blockers.ts';
import type { ClusterNode } from './cluster/cluster-nodes.ts';
import type { Pod } from './cluster/pod.ts';
import { rounded } from './commands.ts';
import { isApprovedByBalanced, openSearch } from './methods/attempt.ts';
import { chooseFrom } from './methods/choose.ts';
import type { DraftReplacement, PlanState } from './methods/plan-state.ts';
import { cheaperReplacement, priceOf } from './methods/price-rules.ts';
import type { ClusterPlan } from './plan-cluster.ts';
import { failureText, type Simulated } from './simulate/place-pods.ts';

/** What one rule says about a node; `forgiven`: it stops only the `reasons`. */
export interface RuleVerdict {
  readonly rule: BlockReason;
  readonly verdict: 'passed' | 'blocks' | 'forgiven';
  readonly message?: string;
  readonly reasons?: readonly string[];
  readonly until?: string;
}

/** Where a pod would run if its node went. Neither: the simulation ended before it came to the pod. */
export interface PodVerdict {
  readonly namespace: string;
  readonly name: string;
  readonly to?: string;
  readonly message?: string;
}

/** The cheapest node that would take the pods, and why it is a replacement or not. */
export interface ReplacementVerdict {
  readonly isReplacement: boolean;
  readonly message: string;
  readonly pool?: string;
  readonly instanceType?: string;
  readonly zone?: string;
  readonly capacityType?: string;
  readonly price?: number;
}

export interface NodeExplanation {
  readonly rules: readonly RuleVerdict[];
  readonly disruptionCost: number;
  readonly drift?: { readonly reason: string; readonly since: string };
  readonly expiresAt?: string;
  readonly consolidatableAt?: string;
  /** Absent: a command takes it, and says where its pods go. */
  readonly pods?: readonly PodVerdict[];
  readonly replacement?: ReplacementVerdict;
}

/** Every rule about a node in order, and what would become of its pods next to everything that the plan does. Undefined = no such node. */
export function explainNode({ cluster, state }: ClusterPlan, name: string): NodeExplanation | undefined {
  const at = cluster.nodes.findIndex((node) => node.name === name);
  if (at < 0) return undefined;
  const node = cluster.nodes[at]!;
  const drift = state.driftOf(at);
  const { claim, consolidatableAt } = node;
  return {
    rules: rulesFor(at, state),
    disruptionCost: rounded(node.disruptionCost),
    ...(drift ? { drift: { reason: drift.reason, since: formatInstant(drift.since) } } : {}),
    ...(claim?.expireAfterMs === undefined ? {} : { expiresAt: formatInstant(claim.createdAt + claim.expireAfterMs) }),
    ...(consolidatableAt === undefined ? {} : { consolidatableAt: formatInstant(consolidatableAt) }),
    ...(state.isTaken(at) || node.isMarked || node.isDeleting ? {} : simulated(at, state)),
  };
}

function rulesFor(at: number, state: PlanState): readonly RuleVerdict[] {
  const { cluster, scheduling, now } = state;
  const node = cluster.nodes[at]!;
  const context = { ...cluster, classOf: scheduling.classOf, now };
  return [
    ...blockRules.map(({ reason, isOfPod, find }): RuleVerdict => {
      const found = find(node, context);
      const reasons = stoppedBy(isOfPod ? { isOfPod } : {}, node);
      return verdict(reason, found && { ...found, ...(reasons ? { reasons } : {}) }, reasons !== undefined);
    }),
    // Without its pool nobody knows what they allow.
    ...(node.pool === undefined ? [] : keepRules.map(({ reason, find }) => verdict(reason, find(at, state), false))),
  ];
}

function verdict(
  rule: BlockReason,
  found: { readonly message: string; readonly reasons?: readonly string[]; readonly until?: Instant } | undefined,
  isForgiven: boolean,
): RuleVerdict {
  if (found === undefined) return { rule, verdict: 'passed' };
  const { message, reasons, until } = found;
  return {
    rule,
    verdict: isForgiven ? 'forgiven' : 'blocks',
    message,
    ...(reasons ? { reasons } : {}),
    ...(until === undefined ? {} : { until: formatInstant(until) }),
  };
}

function simulated(at: number, state: PlanState): Pick<NodeExplanation, 'pods' | 'replacement'> {
  const { cluster, scheduling, market } = state;
  const node = cluster.nodes[at]!;
  const result = scheduling.simulate({ leaving: [at], isConsolidation: true, mostNew: Number.POSITIVE_INFINITY });
  const own = node.pods.filter(({ isReschedulable }) => isReschedulable);
  return {
    pods: own.map((pod) => podVerdict(pod, result, state)),
    replacement: result.ok
      ? replacementFor(at, result, state)
      : { isReplacement: false, message: `${failureText(result)}${whyNoneIsNew(market)}` },
  };
}

function podVerdict(pod: Pod, result: Simulated, { cluster, scheduling }: PlanState): PodVerdict {
  const { namespace, name } = pod;
  if (!scheduling.movable(cluster.nodes.find(({ name: node }) => node === pod.node)!).includes(pod))
    return { namespace, name, message: 'it may not be evicted, so no other node needs room for it' };
  if (!result.ok) return { namespace, name, ...(result.pod === pod ? { message: failureText(result) } : {}) };
  const target = result.landed.get(pod);
  return {
    namespace,
    name,
    ...(target === undefined ? {} : { to: typeof target === 'number' ? cluster.nodes[target]!.name : target }),
  };
}

function replacementFor(
  at: number,
  { newNodes }: Extract<Simulated, { ok: true }>,
  state: PlanState,
): ReplacementVerdict {
  const leaving: readonly ClusterNode[] = [state.cluster.nodes[at]!];
  const [node] = newNodes;
  if (node === undefined)
    return { isReplacement: false, message: 'none is needed: its pods have room on nodes that stay' };
  const cheapest = chooseFrom(node, node.options);
  if (newNodes.length > 1)
    return {
      isReplacement: false,
      message: `its pods need ${newNodes.length} new nodes, and consolidation launches one`,
      ...shown(cheapest),
    };
  const found = cheaperReplacement(leaving, node, state.gates);
  if (typeof found === 'string') return { isReplacement: false, message: found, ...shown(cheapest) };
  const saving = rounded(priceOf(leaving)! - found.chosen.price!);
  if (!isApprovedByBalanced(leaving, found.chosen.price!, openSearch(state)))
    return {
      isReplacement: false,
      message: `it saves ${saving} an hour, too little for the disruption (consolidationPolicy Balanced)`,
      ...shown(found),
    };
  return { isReplacement: true, message: `it saves ${saving} an hour`, ...shown(found) };
}

const shown = ({ pool, chosen: { type, zone, capacityType, price } }: DraftReplacement) => ({
  pool,
  instanceType: type.name,
  zone,
  capacityType,
  ...(price === undefined ? {} : { price }),
});
