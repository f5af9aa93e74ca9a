import type { CommandNode, DisruptionMethod, MovedPod, NodeCommand, Replacement } from '../../api/nodes/node-plan.ts';
import type { ClusterNode, ClusterNodes } from './cluster/cluster-nodes.ts';
import type { Draft, PlanState } from './methods/plan-state.ts';
import { priceOf } from './methods/price-rules.ts';

/** What the id of a command proves: which nodes go, and what comes instead. */
interface Identity {
  readonly clusterName: string;
  readonly method: DisruptionMethod;
  /** Of the claims of its nodes. */
  readonly uids: readonly string[];
  readonly replacements: readonly Pick<Replacement, 'pool' | 'instanceType' | 'zone' | 'capacityType'>[];
}

export function commandId(
  { clusterName, method, uids, replacements }: Identity,
  digest: (text: string) => string,
): string {
  const launched = replacements.map(({ pool, instanceType, zone, capacityType }) =>
    [pool, instanceType, zone, capacityType].join(' '),
  );
  return digest([clusterName, method, ...[...uids].sort(), ...launched].join('\n')).slice(0, 12);
}

/** Of the replacement at this index. */
export const replacementName = (id: string, pool: string, at: number): string =>
  `${pool}-${id.slice(0, 8)}${at === 0 ? '' : `-${at + 1}`}`;

/**
 * Whether a replacement has the name of a node that is there: it came up late for the same command, which was rolled back, and may be full
 * by now. It must not be taken for what the command launches.
 */
export function isTaken({ replacements }: NodeCommand, { nodes, claimsWithoutNode }: ClusterNodes): boolean {
  const names = new Set(replacements.map(({ name }) => name));
  return (
    nodes.some(({ name, claim }) => names.has(name) || (claim !== undefined && names.has(claim.name))) ||
    claimsWithoutNode.some(({ name }) => names.has(name))
  );
}

/** A draft with its name, as the plan lists it. */
export function commandOf(
  draft: Draft,
  { cluster, driftOf }: Pick<PlanState, 'cluster' | 'driftOf'>,
  { clusterName, digest }: { readonly clusterName: string; readonly digest: (text: string) => string },
): NodeCommand {
  const nodes = draft.nodes.map((at) => cluster.nodes[at]!);
  const launched = draft.replacements.map(({ pool, chosen, options }) => ({
    pool,
    instanceType: chosen.type.name,
    zone: chosen.zone,
    capacityType: chosen.capacityType,
    ...(chosen.price === undefined ? {} : { price: chosen.price }),
    options: [...options],
  }));
  const uids = nodes.map(({ claim }) => claim!.uid);
  const id = commandId({ clusterName, method: draft.method, uids, replacements: launched }, digest);
  const replacements = launched.map((one, at): Replacement => ({ name: replacementName(id, one.pool, at), ...one }));
  const before = priceOf(nodes);
  return {
    id,
    method: draft.method,
    reason: draft.reason,
    phase: 'Proposed',
    nodes: draft.nodes.map((at) =>
      commandNode(cluster.nodes[at]!, draft.reason === 'Drifted' ? driftOf(at)?.reason : undefined),
    ),
    replacements,
    ...(before === undefined ? {} : { priceBefore: rounded(before) }),
    priceAfter: rounded(replacements.reduce((sum, { price = 0 }) => sum + price, 0)),
    pods: movedPods(draft, cluster, replacements),
  };
}

/** Where the pods of a draft go. */
export const movedPods = (
  { moves }: Pick<Draft, 'moves'>,
  { nodes }: ClusterNodes,
  replacements: readonly Pick<Replacement, 'name'>[],
): MovedPod[] =>
  moves.map(
    ({ pod: { namespace, name, node = '' }, to }): MovedPod => ({
      namespace,
      name,
      from: node,
      ...(to === undefined ? {} : { to: 'node' in to ? nodes[to.node]!.name : replacements[to.replacement]!.name }),
    }),
  );

function commandNode(node: ClusterNode, drift: string | undefined): CommandNode {
  const { name, claim, poolName = '', instanceType, zone, capacityType, price, disruptionCost } = node;
  return {
    name,
    uid: claim!.uid,
    pool: poolName,
    ...(instanceType === undefined ? {} : { instanceType }),
    ...(zone === undefined ? {} : { zone }),
    ...(capacityType === undefined ? {} : { capacityType }),
    ...(price === undefined ? {} : { price }),
    disruptionCost: rounded(disruptionCost),
    ...(drift === undefined ? {} : { drift }),
  };
}

/** Sums of prices without the dust of float64. */
export const rounded = (number: number): number => Number(number.toFixed(9));
