import type { Manifest } from '../../../api/meta.ts';
import type { NodeCommand } from '../../../api/nodes/node-plan.ts';
import type { ClusterObservation } from '../../../api/observation.ts';
import { parseInstant } from '../../kernel/instant.ts';
import type { GuardFinding } from '../../plan-document.ts';
import type { Evidence, RuleSet } from '../evidence/evidence.ts';
import { limitAsWritten } from './budget-limit.ts';
import { beyondFleetLimits } from './fleet-limits.ts';
import { isForced, type NodeChange, nodeChanges } from './node-changes.ts';
import { startsAtTheWrongTime } from './node-starts.ts';
import { targetsWithoutCommand } from './node-targets.ts';
import { holdOf, protecting } from './pod-holds.ts';
import type { Seen } from './seen-nodes.ts';

/** Nodes go within budgets and waves, where nothing protects them, with a place for each pod, and consolidation saves something. */
export const nodeRules: RuleSet = (evidence: Evidence) => {
  const changes = nodeChanges(evidence);
  return [
    ...changes.flatMap((change) => ofCluster(change, parseInstant(evidence.now)!)),
    ...startsAtTheWrongTime(changes, evidence),
    ...beyondFleetLimits(changes, evidence),
    ...targetsWithoutCommand(changes, evidence),
  ];
};

/** Rules about the nodes and pools of one cluster, for commands that are new or go on. */
function ofCluster(change: NodeChange, now: number): GuardFinding[] {
  const { planned, observation: seen, fresh, onward, known: nodesKnown } = change;
  if (fresh.length + onward.length === 0) return [];
  const known = nodesKnown();
  const nodes = new Map((seen?.nodes ?? []).map((node) => [node.metadata.name, node]));
  const blockOf = blocks(seen, known, now);
  const places = { commands: planned.commands, nodes, known, pods: seen?.pods ?? [] };
  return [
    ...overBudget(change, known, now),
    ...fresh.flatMap((command): GuardFinding[] => {
      const foreign = notOurs(command, nodes, seen?.extras ?? []);
      if (foreign.length > 0) return foreign;
      const young = beforeTheirTime(command, known, now);
      if (young.length > 0 || isForced(command, known)) return young;
      return [...blockedNodes(command, blockOf), ...withoutPlace(command, places), ...withoutSaving(command)];
    }),
    ...onward.flatMap((command) => [
      ...(command.reason === 'Drifted' ? [] : blockedNodes(command, blockOf)),
      ...withoutPlace(command, places),
    ]),
  ].map((finding) => ({ ...finding, message: `${planned.clusterName}: ${finding.message}` }));
}

/**
 * Whether those that start now, or end their validation, can be taken one after the other so that each is within what the budgets leave
 * to its reason. In which order is the planner's affair: if any will do, the one does in which those with the least limit come first.
 */
function overBudget(change: NodeChange, seen: Seen, now: number): GuardFinding[] {
  const { planned, standing, begunAfter } = change;
  const { commands } = planned;
  const before = new Set([...standing, ...commands.filter((command) => isForced(command, seen))]);
  const underWay = new Set([...before].flatMap(({ nodes }) => nodes.map(({ name }) => name)));
  return [...seen.pools].flatMap(([pool, manifest]): GuardFinding[] => {
    const own = seen.counted.filter((node) => node.pool === pool);
    const names = new Set(own.map(({ name }) => name));
    const disrupted = new Set(
      own.flatMap(({ name, isDisrupted }) => (isDisrupted || underWay.has(name) ? [name] : [])),
    );
    const judged = commands.flatMap((command) => {
      const taken = command.nodes.flatMap(({ name }) => (names.has(name) ? [name] : []));
      if (before.has(command) || taken.length === 0) return [];
      const later = begunAfter(command).flatMap(({ nodes }) => nodes.filter(({ name }) => disrupted.has(name)));
      const most = limitAsWritten(manifest, { reason: command.reason, total: own.length, now }) + later.length;
      // One that was disrupted before takes its share of what is left, and counts once afterwards.
      return [{ command, taken, most, mostAfter: most - taken.filter((name) => disrupted.has(name)).length }];
    });
    for (const { command, taken, most } of judged.sort((a, b) =>
      a.mostAfter < b.mostAfter ? -1 : Number(a.mostAfter > b.mostAfter),
    )) {
      const going = disrupted.size + taken.length;
      for (const name of taken) disrupted.add(name);
      if (going > most)
        return [
          {
            rule: 'NodeBudgetExceeded',
            message: `${going} nodes of NodePool ${pool} would be disrupted with command ${command.id} (${command.reason}), and its budgets allow ${most}`,
          },
        ];
    }
    return [];
  });
}

function notOurs(
  { id, nodes: own }: NodeCommand,
  nodes: ReadonlyMap<string, Manifest>,
  extras: readonly Manifest[],
): GuardFinding[] {
  const claimed = new Set(
    extras.flatMap(({ kind, ...claim }) =>
      kind === 'NodeClaim' ? [(claim['status'] as { readonly nodeName?: string } | undefined)?.nodeName] : [],
    ),
  );
  return own.flatMap(({ name }): GuardFinding[] => {
    const labels = nodes.get(name)?.metadata.labels ?? {};
    const isOurs =
      claimed.size > 0
        ? claimed.has(name)
        : ['karpenter.sh/nodepool', 'gitfleet.dev/nodepool'].some((label) => label in labels);
    return nodes.has(name) && isOurs
      ? []
      : [{ rule: 'NotOurNode', message: `command ${id} takes node ${name}, which is not of a pool` }];
  });
}

const blockedNodes = ({ id, reason, nodes: own }: NodeCommand, blockOf: ReturnType<typeof blocks>): GuardFinding[] =>
  own.flatMap(({ name }): GuardFinding[] => {
    const what = blockOf(name, reason);
    if (what === undefined) return [];
    return [{ rule: 'BlockedNodeDisrupted', message: `command ${id} takes node ${name}, but ${what}` }];
  });

/** Expiry stops at nothing, so its time must have come. */
const beforeTheirTime = ({ id, reason, nodes: own }: NodeCommand, { expiresAt }: Seen, now: number): GuardFinding[] =>
  own
    .filter(({ name }) => reason === 'Expired' && expiresAt(name) > now)
    .map(({ name }) => ({
      rule: 'BlockedNodeDisrupted',
      message: `command ${id} takes node ${name}, which has not expired`,
    }));

const annotation = 'karpenter.sh/do-not-disrupt';

/** What keeps nodes of a cluster from going for a reason; undefined = nothing. */
function blocks(seen: ClusterObservation | undefined, known: Seen, now: number) {
  const nodes = new Map((seen?.nodes ?? []).map((node) => [node.metadata.name, node]));
  const stateOf = new Map(known.claimed.map((node) => [node.name, node]));
  const podsOn = Map.groupBy((seen?.pods ?? []).filter(isActive), ({ spec }) => (spec as Bound | undefined)?.nodeName);
  const nominated = new Set((podsOn.get(undefined) ?? []).map(({ status }) => (status as Bound)?.nominatedNodeName));
  const budgets = protecting(seen);
  return (name: string, reason: NodeCommand['reason']): string | undefined => {
    const state = stateOf.get(name);
    if (nodes.get(name)?.metadata.annotations?.[annotation] === 'true') return `the node has ${annotation}`;
    if (!state?.isInitialized) return 'it is not initialized';
    if (!known.pools.has(state.pool ?? '')) return `its NodePool ${state.pool} is not known`;
    if (state.isLeaving) return 'it is on its way out already';
    if (nominated.has(name)) return 'a pending pod is nominated for it';
    // The drain of a drifted node ends by force.
    if (reason === 'Drifted' && known.withDeadline.has(name)) return undefined;
    for (const pod of podsOn.get(name) ?? []) {
      const hold = holdOf(pod, budgets, now);
      if (hold !== undefined) return hold;
    }
    return undefined;
  };
}

interface Bound {
  readonly nodeName?: string;
  readonly nominatedNodeName?: string;
}

function isActive({ metadata, ...pod }: Manifest): boolean {
  const { phase } = (pod['status'] ?? {}) as { readonly phase?: string };
  return metadata.deletionTimestamp == null && phase !== 'Succeeded' && phase !== 'Failed';
}

/** What decides whether a pod has a place where a command moves it. */
interface Places {
  readonly commands: readonly NodeCommand[];
  readonly nodes: ReadonlyMap<string, Manifest>;
  readonly known: Seen;
  readonly pods: readonly Manifest[];
}

function withoutPlace(
  { id, method, nodes: own, pods = [], replacements }: NodeCommand,
  { commands, nodes, known, pods: all }: Places,
): GuardFinding[] {
  if (method === 'Emptiness' || method === 'StaticDrift') return [];
  const leaving = new Set([
    ...commands.flatMap((command) => command.nodes.map(({ name }) => name)),
    ...known.claimed.flatMap(({ name, isLeaving }) => (isLeaving ? [name] : [])),
  ]);
  const launched = new Set(replacements.map(({ name }) => name));
  // A pod that blocks such a drain gets no place in advance.
  const isForgiven = method === 'Drift' && own.every(({ name }) => known.withDeadline.has(name));
  const hasPlace = (to: string | undefined): boolean =>
    to === undefined ? isForgiven : launched.has(to) || (nodes.has(to) && !leaving.has(to));
  const there = new Set(
    all.map(({ metadata, spec }) => `${metadata.namespace}/${metadata.name} ${(spec as Bound | undefined)?.nodeName}`),
  );
  return pods
    .filter(({ namespace, name, from, to }) => !hasPlace(to) && there.has(`${namespace}/${name} ${from}`))
    .slice(0, 1)
    .map(({ namespace, name, to }) => ({
      rule: 'PodHasNoPlace' as const,
      message: `command ${id} moves pod ${namespace}/${name} to ${to ?? 'nowhere'}`,
    }));
}

function withoutSaving({ id, reason, replacements, priceBefore, priceAfter }: NodeCommand): GuardFinding[] {
  if (reason !== 'Underutilized' || replacements.length === 0) return [];
  return priceBefore !== undefined && priceAfter < priceBefore
    ? []
    : [
        {
          rule: 'NoSaving',
          message: `command ${id} replaces nodes at ${priceBefore ?? 'an unknown price'} by nodes at ${priceAfter}`,
        },
      ];
}
