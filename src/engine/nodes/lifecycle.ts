import type { NodeCommand, NodeFailure, NodePlan } from '../../api/nodes/node-plan.ts';
import type { ClusterObservation } from '../../api/observation.ts';
import { formatInstant, type Instant, parseInstant } from '../kernel/instant.ts';
import { type Blocker, type BlockerContext, blockerOf } from './candidates/blockers.ts';
import { type ClusterNode, type ClusterNodes, isSameNode } from './cluster/cluster-nodes.ts';
import { expiryOf } from './methods/expiration.ts';

/** What became of the commands that were under way. */
export interface Evolved {
  /** Still under way, oldest first. Those in Validating whose time is over are looked at again by the plan. */
  readonly commands: readonly NodeCommand[];
  readonly failures: readonly NodeFailure[];
  readonly rolledBack: readonly { readonly command: NodeCommand; readonly cause: string; readonly until: Instant }[];
}

const validationMs = 15_000;
const coolDownMs = 5 * 60_000;
const longestCoolDownMs = 3_600_000;

/** How long replacements may take: 80 ms for each node under way, between ten minutes and an hour (core `queue.go`). */
const deadlineMs = (nodesUnderWay: number): number => Math.min(3_600_000, Math.max(600_000, 80 * nodesUnderWay));

export const nodesUnderWay = (commands: readonly NodeCommand[]): number =>
  commands.reduce((sum, { phase, nodes }) => (phase === 'Proposed' ? sum : sum + nodes.length), 0);

/** When time alone ends the phase of a command, while so many nodes are under way; undefined = it does not. */
export function phaseEnd(
  { phase, since }: Pick<NodeCommand, 'phase' | 'since'>,
  underWay: number,
): Instant | undefined {
  const began = parseInstant(since ?? '');
  if (began === undefined || (phase !== 'Validating' && phase !== 'Launching')) return undefined;
  return began + (phase === 'Validating' ? validationMs : deadlineMs(underWay));
}

/** Until then a failure makes the next cool-down of its nodes longer. */
export const forgottenAt = ({ until }: Pick<NodeFailure, 'until'>): Instant =>
  (parseInstant(until) ?? 0) + longestCoolDownMs;

export function evolve(
  record: NodePlan,
  of: {
    /** As it is observed: nodes of commands are not marked. */
    readonly cluster: ClusterNodes;
    readonly observation: ClusterObservation;
    readonly context: BlockerContext;
    readonly now: Instant;
  },
): Evolved {
  const { now, cluster } = of;
  const underWay = record.commands.filter(({ phase }) => phase !== 'Proposed');
  const nodes = new Map(cluster.nodes.map((node) => [node.name, node]));
  const total = nodesUnderWay(underWay);
  const commands: NodeCommand[] = [];
  const rolledBack: { command: NodeCommand; cause: string; until: Instant }[] = [];
  let failures = record.failures.filter(
    (failure) => failure.nodes.some((name) => nodes.has(name)) && now < forgottenAt(failure),
  );
  for (const command of underWay) {
    const next = hasExpired(command, nodes, now) ? undefined : advance(command, { ...of, nodes, total });
    if (next === undefined) continue;
    if ('failed' in next) {
      const failure = failureOf(command, next.failed, failures, now);
      failures = [...failures.filter(({ nodes: names }) => names.join() !== failure.nodes.join()), failure];
      rolledBack.push({ command, cause: next.failed, until: parseInstant(failure.until)! });
    } else commands.push(next);
  }
  return { commands, failures, rolledBack };
}

/** A node that expires by force meanwhile goes at once, whatever its command waits for: that one is over. */
const hasExpired = ({ phase, nodes: own }: NodeCommand, nodes: ReadonlyMap<string, ClusterNode>, now: Instant) =>
  phase !== 'Removing' &&
  own.some((node) => {
    const found = nodes.get(node.name);
    return found !== undefined && isSameNode(node, found) && !found.isDeleting && expiresByForce(found, now);
  });

function expiresByForce(node: ClusterNode, now: Instant): boolean {
  const expiry = expiryOf(node);
  return expiry?.isForced === true && expiry.at <= now;
}

type Context = Parameters<typeof evolve>[1] & {
  readonly nodes: ReadonlyMap<string, ClusterNode>;
  readonly total: number;
};

/** The command in its next phase; undefined = it has ended. */
function advance(command: NodeCommand, context: Context): NodeCommand | { readonly failed: string } | undefined {
  const { nodes, now } = context;
  const present = command.nodes.flatMap((node) => {
    const found = nodes.get(node.name);
    return found && isSameNode(node, found) ? [found] : [];
  });
  switch (command.phase) {
    case 'Removing':
      return present.length === 0 ? undefined : command;
    case 'Launching': {
      if (present.length === 0) return undefined;
      const seen = withSeen(command, context);
      const failed =
        failureOfLaunch(seen, context) ?? lostPlace(seen, present, context) ?? blockedMeanwhile(seen, present, context);
      if (failed !== undefined) return { failed };
      const areUp = seen.replacements.every(({ name }) => isUp(name, context.cluster));
      return areUp ? { ...seen, phase: 'Removing', since: formatInstant(now) } : seen;
    }
    default:
      return present.length === 0 ? undefined : command;
  }
}

function withSeen(command: NodeCommand, { cluster, observation }: Context): NodeCommand {
  const isThere = (name: string): boolean =>
    nodeOf(name, cluster) !== undefined ||
    cluster.claimsWithoutNode.some((claim) => claim.name === name) ||
    (observation.launches ?? []).some((launch) => launch.name === name && launch.phase === 'Launched');
  return {
    ...command,
    replacements: command.replacements.map((one) => (one.seen || isThere(one.name) ? { ...one, seen: true } : one)),
  };
}

function failureOfLaunch(command: NodeCommand, { cluster, observation, total, now }: Context): string | undefined {
  const launches = new Map((observation.launches ?? []).map((launch) => [launch.name, launch]));
  for (const { name, seen } of command.replacements) {
    const launch = launches.get(name);
    if (launch?.phase === 'Failed') return `the launch of ${name} failed${launch.message ? `: ${launch.message}` : ''}`;
    const isThere =
      nodeOf(name, cluster) !== undefined ||
      cluster.claimsWithoutNode.some((claim) => claim.name === name) ||
      launch !== undefined;
    // Launches that were not read tell nothing.
    if (seen && !isThere && observation.launches !== undefined) return `replacement ${name} vanished`;
  }
  const end = phaseEnd(command, total);
  return end !== undefined && now > end ? `its replacements did not come up by ${formatInstant(end)}` : undefined;
}

/** What was to take in its pods went away, or is about to: they may fit nowhere else. */
function lostPlace(
  { pods = [], replacements }: NodeCommand,
  present: readonly ClusterNode[],
  { cluster, nodes, now }: Context,
): string | undefined {
  const left = new Set(present.flatMap((node) => node.pods.map(({ key }) => `${key} ${node.name}`)));
  const toCome = new Set(replacements.map(({ name }) => name));
  const places = pods.flatMap(({ namespace, name, from, to }) =>
    to !== undefined && left.has(`${namespace}/${name} ${from}`) ? to : [],
  );
  for (const place of new Set([...places, ...toCome])) {
    const node = nodes.get(place) ?? nodeOf(place, cluster);
    if (node === undefined && !toCome.has(place)) return `node ${place}, which was to take in its pods, is gone`;
    if (node && (node.isDeleting || node.isMarked || expiresByForce(node, now)))
      return `node ${node.name}, which was to take in its pods, is on its way out`;
  }
  return undefined;
}

/** All but drift give way to what came up meanwhile; an expiry that launches is a graceful one. */
function blockedMeanwhile(
  { reason }: NodeCommand,
  present: readonly ClusterNode[],
  { context }: Context,
): string | undefined {
  if (reason === 'Drifted') return undefined;
  for (const node of present) {
    const blocker: Blocker | undefined = blockerOf(node, context);
    if (blocker !== undefined) return blocker.message;
  }
  return undefined;
}

const nodeOf = (name: string, { nodes }: ClusterNodes): ClusterNode | undefined =>
  nodes.find((node) => node.name === name || node.claim?.name === name);

/** Whether the replacement of this name is a node that is initialized, and ready where no NodeClaim says so. */
export function isUp(name: string, cluster: ClusterNodes): boolean {
  const node = nodeOf(name, cluster);
  return node?.isInitialized === true && (node.isReady || node.claim?.manifest !== undefined);
}

function failureOf(command: NodeCommand, cause: string, failures: readonly NodeFailure[], now: Instant): NodeFailure {
  const nodes = command.nodes.map(({ name }) => name).sort();
  const before = failures.filter(({ nodes: names }) => names.some((name) => nodes.includes(name)));
  const times = 1 + Math.max(0, ...before.map((failure) => failure.times));
  const until = now + Math.min(longestCoolDownMs, coolDownMs * 2 ** (times - 1));
  return { nodes, times, at: formatInstant(now), until: formatInstant(until), cause };
}
