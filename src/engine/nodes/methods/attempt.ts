import type { ClusterNode } from '../cluster/cluster-nodes.ts';
import { isReliable, landingNodes, landingOrder } from '../simulate/landing-order.ts';
import type { Simulated } from '../simulate/place-pods.ts';
import { isWorthIt } from './balanced.ts';
import { isEmpty } from './emptiness.ts';
import { bySavings, type DraftReplacement, isConsolidatable, isFree, type PlanState } from './plan-state.ts';
import { cheaperReplacement, priceOf } from './price-rules.ts';

/** A consolidation command that would be valid now. */
export interface Found {
  readonly nodes: readonly number[];
  readonly result: Extract<Simulated, { ok: true }>;
  readonly replacement: DraftReplacement | undefined;
  /** Per hour; a node of unknown price counts as 0. */
  readonly saving: number;
}

/** What the ways of searching share. */
export interface Search {
  readonly state: PlanState;
  /** New nodes that a command may have. */
  readonly mostNew: 0 | 1;
  /** Nodes that consolidation may take, the greatest saving for its disruption first. */
  readonly candidates: readonly number[];
  /** Cheapest price at which anything can be launched. */
  readonly leastPrice: number;
  /** Landing places: nodes that stay anyway first, then the candidates that are taken last. */
  readonly gentleOrder: Int32Array;
  readonly isCandidate: ReadonlySet<number>;
}

export function openSearch(state: PlanState, mostNew: Search['mostNew'] = 1): Search {
  const { nodes } = state.cluster;
  const candidates = [...nodes.keys()].filter((at) => isCandidate(state, at)).sort(bySavings(nodes));
  const set = new Set(candidates);
  const landing = landingNodes(state.cluster);
  const standard = [...landingOrder(landing)];
  const initialized = (at: number) => isReliable(landing[at]!);
  const others = standard.filter((at) => !set.has(at));
  const prices = state.launch.flatMap(({ launchables }) => launchables.flatMap(({ price }) => price ?? []));
  return {
    state,
    mostNew,
    candidates,
    isCandidate: set,
    leastPrice: Math.min(Number.POSITIVE_INFINITY, ...prices),
    gentleOrder: Int32Array.from([
      ...others.filter(initialized),
      ...[...candidates].reverse(),
      ...others.filter((at) => !initialized(at)),
    ]),
  };
}

/** A node for Multi and Single: known type and place, not empty, under a policy that takes more than empty nodes. */
function isCandidate(state: PlanState, at: number): boolean {
  const node = state.cluster.nodes[at]!;
  return (
    isConsolidatable(node, state.now) &&
    node.pool!.policy !== 'WhenEmpty' &&
    !isEmpty(node) &&
    isTypeKnown(state, at) &&
    isFree(state, at) &&
    state.blockers(at) === undefined
  );
}

export function isTypeKnown({ cluster, market }: PlanState, at: number): boolean {
  const { instanceType, zone, capacityType } = cluster.nodes[at]!;
  if (instanceType === undefined || zone === undefined || capacityType === undefined) return false;
  return market.types === undefined || market.types.has(instanceType);
}

/** Whether the nodes may go together, with no new node or with a cheaper one. */
export function attempt(
  nodes: readonly number[],
  search: Search,
  { order, mostNew = search.mostNew }: { readonly order?: Int32Array; readonly mostNew?: 0 | 1 } = {},
): Found | undefined {
  const { state, leastPrice } = search;
  const leaving = nodes.map((at) => state.cluster.nodes[at]!);
  const before = priceOf(leaving);
  const canReplace = mostNew === 1 && before !== undefined && leastPrice < before;
  const result = state.scheduling.simulate({
    leaving: nodes,
    isConsolidation: true,
    mostNew: canReplace ? 1 : 0,
    launchesNothing: search.mostNew === 0,
    ...(order ? { order } : {}),
  });
  if (!result.ok) return undefined;
  const [node] = result.newNodes;
  const replacement = node && cheaperReplacement(leaving, node, state.gates);
  if (typeof replacement === 'string') return undefined;
  const after = replacement?.chosen.price ?? 0;
  if (!isApprovedByBalanced(leaving, after, search)) return undefined;
  return { nodes, result, replacement, saving: knownPriceOf(leaving) - after };
}

const knownPriceOf = (nodes: readonly ClusterNode[]): number => nodes.reduce((sum, { price = 0 }) => sum + price, 0);

/**
 * The commands for nodes that may go together: those of unknown price go in one of their own, since a command with one of them shows no
 * saving at all. Such nodes only go where nothing replaces them, so each part has what it needs of the whole.
 */
export function commandsOf(found: Found, search: Search): readonly Found[] {
  const { nodes } = search.state.cluster;
  const isUnpriced = (at: number): boolean => nodes[at]!.price === undefined;
  const unpriced = found.nodes.filter(isUnpriced);
  const priced = found.nodes.filter((at) => !isUnpriced(at));
  if (unpriced.length === 0 || priced.length === 0) return [found];
  const leaving = unpriced.map((at) => nodes[at]!);
  return [
    { ...found, nodes: priced },
    ...(isApprovedByBalanced(leaving, 0, search) ? [{ ...found, nodes: unpriced, saving: 0 }] : []),
  ];
}

/**
 * Those of the nodes that may go one after the other without a new node. One that cannot go is skipped, so that a bad candidate spoils
 * nothing; pods land on nodes that stay anyway, and on the least promising candidates, as long as these have room.
 */
export function attemptInTurn(
  candidates: readonly number[],
  search: Search,
  bears: (nodes: readonly number[]) => boolean,
): Found | undefined {
  const { state, gentleOrder } = search;
  const parts: Found[] = [];
  const nodes: number[] = [];
  const mark = state.scheduling.mark();
  for (const at of candidates) {
    if (!isFree(state, at) || !bears([...nodes, at])) continue;
    const found = attempt([at], search, { order: gentleOrder, mostNew: 0 });
    if (found === undefined) continue;
    state.scheduling.commit([at], found.result);
    parts.push(found);
    nodes.push(at);
  }
  state.scheduling.rollback(mark);
  if (parts.length === 0) return undefined;
  const landed = new Map(parts.flatMap(({ result }) => [...result.landed]));
  const saving = parts.reduce((sum, part) => sum + part.saving, 0);
  return { nodes, result: { ok: true, landed, newNodes: [] }, replacement: undefined, saving };
}

/** Whether pools with the policy Balanced find a move worth it; others approve of every saving. */
export function isApprovedByBalanced(
  leaving: readonly ClusterNode[],
  replacementPrice: number,
  { state, isCandidate: candidates }: Pick<Search, 'state' | 'isCandidate'>,
): boolean {
  const { nodes } = state.cluster;
  return (
    leaving.every(({ pool }) => pool?.policy !== 'Balanced') ||
    isWorthIt(leaving, replacementPrice, { nodes, isCandidate: (one) => candidates.has(nodes.indexOf(one)) })
  );
}
