import type { CommandNode, DisruptionMethod, MovedPod, NodeCommand, Replacement } from '../../api/nodes/node-plan.ts';
import type { ClusterObservation } from '../../api/observation.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import type { ClusterNode, ClusterNodes } from './cluster/cluster-nodes.ts';
import type { Draft, PlanState } from './methods/plan-state.ts';
import { priceOf } from './methods/price-rules.ts';

/** What names of commands and of their replacements are made from. */
export interface Naming {
  readonly clusterName: string;
  readonly digest: (text: string) => string;
  /** Names that no replacement can have: of nodes, of their claims, and of launches that failed. */
  readonly used: ReadonlySet<string>;
}

/** What the id of a command proves: which nodes go, and what comes instead. */
interface Identity {
  readonly clusterName: string;
  readonly method: DisruptionMethod;
  /** Of the claims of its nodes. */
  readonly uids: readonly string[];
  readonly replacements: readonly Pick<Replacement, 'pool' | 'instanceType' | 'zone' | 'capacityType' | 'labels'>[];
}

export function commandId(
  { clusterName, method, uids, replacements }: Identity,
  digest: (text: string) => string,
): string {
  const launched = replacements.map(({ pool, instanceType, zone, capacityType, labels }) =>
    [pool, instanceType, zone, capacityType, ...(labels ? [canonicalJson(labels)] : [])].join(' '),
  );
  return digest([clusterName, method, ...[...uids].sort(), ...launched].join('\n')).slice(0, 12);
}

/** Of the replacement with this number, counted from 0. */
export const replacementName = (id: string, pool: string, number: number): string =>
  `${pool}-${id.slice(0, 8)}${number === 0 ? '' : `-${number + 1}`}`;

/** Whether the names are those of its replacements, with a number each. */
export const areNamedFor = (id: string, replacements: readonly Pick<Replacement, 'name' | 'pool'>[]): boolean =>
  new Set(replacements.map(({ name }) => name)).size === replacements.length &&
  replacements.every(({ name, pool }) => {
    const first = replacementName(id, pool, 0);
    return name.startsWith(first) && /^(-([2-9]|[1-9]\d+))?$/.test(name.slice(first.length));
  });

/**
 * Names for replacements of a command: the first that are free. What came up late for the same command, after it was rolled back, has one,
 * and must not be taken for what the command launches: it may be full by now.
 */
export function replacementNames(
  id: string,
  replacements: readonly Pick<Replacement, 'pool'>[],
  used: Naming['used'],
): readonly string[] {
  let number = 0;
  return replacements.map(({ pool }) => {
    while (used.has(replacementName(id, pool, number))) number++;
    return replacementName(id, pool, number++);
  });
}

export const usedNames = (
  { nodes, claimsWithoutNode }: ClusterNodes,
  { launches = [] }: Pick<ClusterObservation, 'launches'>,
): Naming['used'] =>
  new Set([
    ...nodes.flatMap(({ name, claim }) => [name, ...(claim ? [claim.name] : [])]),
    ...claimsWithoutNode.map(({ name }) => name),
    ...launches.flatMap(({ name, phase }) => (phase === 'Failed' ? [name] : [])),
  ]);

/** A draft with its name, as the plan lists it. */
export function commandOf(
  draft: Draft,
  { cluster, driftOf }: Pick<PlanState, 'cluster' | 'driftOf'>,
  { clusterName, digest, used }: Naming,
): NodeCommand {
  const nodes = draft.nodes.map((at) => cluster.nodes[at]!);
  const launched = draft.replacements.map(({ pool, chosen, options, labels }) => ({
    pool,
    instanceType: chosen.type.name,
    zone: chosen.zone,
    capacityType: chosen.capacityType,
    ...(chosen.price === undefined ? {} : { price: chosen.price }),
    options: [...options],
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
  }));
  const uids = nodes.map(({ claim }) => claim!.uid);
  const id = commandId({ clusterName, method: draft.method, uids, replacements: launched }, digest);
  const names = replacementNames(id, launched, used);
  const replacements = launched.map((one, at): Replacement => ({ name: names[at]!, ...one }));
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
