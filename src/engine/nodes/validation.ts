import type { NodeCommand, Replacement } from '../../api/nodes/node-plan.ts';
import { formatInstant } from '../kernel/instant.ts';
import { allowsLabel } from '../node-pools/requirements.ts';
import { isSameNode } from './cluster/cluster-nodes.ts';
import { commandId, movedPods, type Naming, replacementNames, rounded } from './commands.ts';
import { attempt, attemptInTurn, type Found, openSearch, type Search } from './methods/attempt.ts';
import { isEmptyCandidate } from './methods/emptiness.ts';
import { draftOf } from './methods/graceful.ts';
import { isFree, type PlanState } from './methods/plan-state.ts';
import { priceOf } from './methods/price-rules.ts';
import { borne, openSpending } from './methods/spending.ts';

/**
 * Commands at the end of their validation: begun, where everything still holds, or dropped. `underWay`: all commands, in the order in which
 * they began: what began after one took its share of budgets into account, and is not held against it.
 */
export function validatedInTurn(
  due: readonly NodeCommand[],
  state: PlanState,
  { underWay, ...naming }: Validating & { readonly underWay: readonly NodeCommand[] },
): readonly NodeCommand[] {
  if (due.length === 0) return [];
  // As when they were found together: before any of them is gone.
  const search = openSearch(state, naming.launchesNothing ? 0 : 1);
  const waiting = new Set(due.flatMap(({ nodes }) => nodes.map(({ name }) => name)));
  return due.flatMap((command) => {
    for (const { name } of command.nodes) waiting.delete(name);
    const later = new Set(
      underWay.slice(underWay.indexOf(command) + 1).flatMap(({ nodes }) => nodes.map(({ name }) => name)),
    );
    const before = { ...state, remaining: (pool, reason) => state.remaining(pool, reason, later) } satisfies PlanState;
    return validated(command, { ...search, state: before }, { ...naming, waiting }) ?? [];
  });
}

interface Validating extends Naming {
  /** Nobody launches nodes there. */
  readonly launchesNothing: boolean;
}

/** Undefined = dropped. Of empty nodes those that still are empty go. `waiting`: nodes of other commands, which no pod may land on. */
function validated(
  command: NodeCommand,
  search: Search,
  { clusterName, digest, used, waiting }: Validating & { readonly waiting: ReadonlySet<string> },
): NodeCommand | undefined {
  const { state } = search;
  const { cluster, now } = state;
  const since = formatInstant(now);
  const indexes = new Map(cluster.nodes.map(({ name }, at) => [name, at]));
  const nodes = command.nodes.flatMap((node) => {
    const at = indexes.get(node.name);
    return at !== undefined && isSameNode(node, cluster.nodes[at]!) ? [at] : [];
  });
  const { method, replacements } = command;
  if (method === 'Emptiness') {
    const empty = borne(
      nodes.filter((at) => isEmptyCandidate(state, at)),
      state,
      'Empty',
    );
    if (empty.length === 0) return undefined;
    for (const at of empty) state.scheduling.leaves(at);
    state.take({ method: 'Emptiness', reason: 'Empty', nodes: empty, replacements: [], moves: [] });
    const before = priceOf(empty.map((at) => cluster.nodes[at]!));
    const { priceBefore: _, ...rest } = command;
    const names = new Set(empty.map((at) => cluster.nodes[at]!.name));
    return {
      ...rest,
      id: commandId(
        { clusterName, method, uids: empty.map((at) => cluster.nodes[at]!.claim!.uid), replacements },
        digest,
      ),
      ...(before === undefined ? {} : { priceBefore: rounded(before) }),
      phase: 'Removing',
      since,
      nodes: command.nodes.filter(({ name }) => names.has(name)),
      pods: command.pods?.filter(({ from }) => names.has(from)),
    };
  }
  const isStillFree = (at: number): boolean => search.isCandidate.has(at) && isFree(state, at);
  if (nodes.length < command.nodes.length || !nodes.every(isStillFree)) return undefined;
  if (!openSpending(state, 'Underutilized').bears(nodes)) return undefined;
  const [wanted] = replacements;
  const keeps = ({ result: { landed } }: Found): boolean =>
    nodes.every((at) =>
      state.scheduling.movable(cluster.nodes[at]!).every((pod) => {
        const to = landed.get(pod);
        return typeof to !== 'number' || !waiting.has(cluster.nodes[to]?.name ?? '');
      }),
    );
  const found = searched(nodes, search).find((one) => isStill(wanted, one) && keeps(one));
  if (found === undefined) return undefined;
  state.scheduling.commit(nodes, found.result);
  const draft = draftOf(nodes, found.result, { method, reason: 'Underutilized' }, state, []);
  state.take(draft);
  // Its pods may find other places than when it was proposed: later plans keep those free for them.
  const names = replacementNames(command.id, replacements, used);
  const launched = replacements.map((one, index) => ({ ...one, name: names[index]! }));
  const pods = movedPods(draft, cluster, launched);
  return { ...command, phase: wanted === undefined ? 'Removing' : 'Launching', since, replacements: launched, pods };
}

/** In the ways in which a plan finds commands: what fits by one of them need not by another. */
function* searched(nodes: readonly number[], search: Search): Generator<Found> {
  const usual = attempt(nodes, search);
  if (usual) yield usual;
  const gentle = attempt(nodes, search, { order: search.gentleOrder });
  if (gentle) yield gentle;
  const inTurn = attemptInTurn(nodes, search, () => true);
  if (inTurn?.nodes.length === nodes.length) yield inTurn;
}

/** Whether the same may come instead of the nodes, whichever of its types is launched. */
function isStill(wanted: Replacement | undefined, { result: { newNodes } }: Found): boolean {
  const [node] = newNodes;
  if (wanted === undefined || node === undefined) return wanted === undefined && node === undefined;
  const { pool, options, zone, capacityType, labels } = wanted;
  const offered = node.options.filter((option) => option.zone === zone && option.capacityType === capacityType);
  const types = new Set(offered.map(({ type }) => type.name));
  const isLabelled = [...node.open].every(([key, requirement]) => allowsLabel(requirement, labels?.[key]));
  return node.from.pool.name === pool && isLabelled && options.every((type) => types.has(type));
}
