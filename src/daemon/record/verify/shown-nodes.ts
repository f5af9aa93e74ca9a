import type { ClusterName, Manifest } from '../../../api/meta.ts';
import type { DisruptionMethod, NodeCommand, NodePlan, RecordedClaim } from '../../../api/nodes/node-plan.ts';
import type { ClusterObservation } from '../../../api/observation.ts';
import { parseDuration } from '../../../engine/kernel/duration.ts';
import { formatInstant, type Instant } from '../../../engine/kernel/instant.ts';
import { readPool } from '../../../engine/node-pools/pool.ts';
import { textAt } from '../../../engine/node-pools/read-fields.ts';
import { poolNameOf, textOfExpiry } from '../../../engine/nodes/cluster/claim.ts';
import { clusterNodes, uidOf } from '../../../engine/nodes/cluster/cluster-nodes.ts';
import { areNamedFor, commandId } from '../../../engine/nodes/commands.ts';
import { marketOf } from '../../../engine/nodes/launch/market.ts';
import { isUp } from '../../../engine/nodes/lifecycle.ts';
import { isMarkedFor } from '../../../members/nodes/act/marks.ts';
import { sha256 } from '../../../repo/sha256.ts';

/** What the cluster shows of the nodes of a recorded plan. */
interface Shown {
  readonly cluster: ClusterName;
  readonly observation: ClusterObservation;
  readonly now: Instant;
  readonly nodes: ReadonlyMap<string, Manifest>;
  readonly pools: ReadonlyMap<string, Manifest>;
  /** NodeClaims by the name of their node. */
  readonly claims: ReadonlyMap<string, Manifest>;
}

/**
 * A plan of an earlier daemon, as far as the cluster shows it. Commands whose nodes do not show them are dropped. `faults`: of commands
 * that no daemon wrote like this.
 */
export function shownNodePlan(
  plan: NodePlan,
  { cluster, observation, now }: Pick<Shown, 'cluster' | 'observation' | 'now'>,
): { readonly plan: NodePlan; readonly faults: readonly string[] } {
  const all = [...observation.objects, ...observation.extras];
  const ofKind = (kind: string): Manifest[] => all.filter((one) => one.kind === kind && isKarpenter(one));
  const shown: Shown = {
    cluster,
    observation,
    now,
    nodes: new Map((observation.nodes ?? []).map((node) => [node.metadata.name, node])),
    pools: new Map(ofKind('NodePool').map((pool) => [pool.metadata.name, pool])),
    claims: new Map(ofKind('NodeClaim').map((claim) => [textAt(claim, 'status', 'nodeName') ?? '', claim])),
  };
  const faults: string[] = [];
  const commands = plan.commands.flatMap((command): NodeCommand[] => {
    if (command.phase === 'Proposed') return [command];
    // It is checked again in any case.
    if (command.phase === 'Validating') return [];
    if (!isAsNamed(command, plan, shown)) {
      faults.push(`command ${command.id} is dropped: its id does not match its nodes and replacements`);
      return [];
    }
    return isMarked(command, shown) ? [inItsPhase(command, plan, shown)] : [];
  });
  const claims = plan.claims.map((claim) => provenClaim(claim, shown));
  const isSame =
    commands.length === plan.commands.length &&
    commands.every((command, at) => command === plan.commands[at]) &&
    claims.every((claim, at) => claim === plan.claims[at]);
  return { plan: isSame ? plan : { ...plan, commands, claims }, faults };
}

const isKarpenter = ({ apiVersion }: Manifest): boolean => apiVersion.startsWith('karpenter.sh/');

const reasons: Readonly<Record<DisruptionMethod, NodeCommand['reason']>> = {
  Expiration: 'Expired',
  Emptiness: 'Empty',
  StaticDrift: 'Drifted',
  Drift: 'Drifted',
  MultiNodeConsolidation: 'Underutilized',
  SingleNodeConsolidation: 'Underutilized',
};

/** Whether its id is that of its content. */
function isAsNamed(
  { id, method, reason, nodes, replacements }: NodeCommand,
  plan: NodePlan,
  { cluster, nodes: seen, claims }: Shown,
): boolean {
  const uids = nodes.map(({ name }): string => {
    const object = claims.get(name) ?? (claims.size === 0 ? seen.get(name) : undefined);
    // Of a node that is gone already only the record knows.
    return object ? uidOf(object) : (plan.claims.find(({ node }) => node === name)?.uid ?? '');
  });
  return (
    id === commandId({ clusterName: cluster, method, uids, replacements }, sha256) &&
    reason === reasons[method] &&
    areNamedFor(id, replacements)
  );
}

/** Some of its nodes are still there, and each of them shows it. */
function isMarked({ id, nodes: own }: NodeCommand, { nodes }: Shown): boolean {
  const present = own.flatMap(({ name }) => nodes.get(name) ?? []);
  return present.length > 0 && present.every((node) => isMarkedFor(node, id));
}

/** In Removing only if its replacements are up. Nothing shows since when, so that a deadline may come later, and never earlier. */
function inItsPhase(command: NodeCommand, plan: NodePlan, { observation, now, pools }: Shown): NodeCommand {
  const since = formatInstant(now);
  if (command.phase === 'Launching' || command.replacements.length === 0) return { ...command, since };
  const cluster = clusterNodes({
    observation,
    pools: new Map([...pools].map(([name, pool]) => [name, readPool(pool, undefined)])),
    market: marketOf({}, [], []).market,
    record: plan,
  });
  const areUp = command.replacements.every(({ name }) => isUp(name, cluster));
  return { ...command, since, phase: areUp ? 'Removing' : 'Launching' };
}

/**
 * How old a node is says the node. When it expires, and when its drain ends by force, count as recorded where its NodeClaim or its
 * NodePool say the same; else the node goes by drift, which respects budgets.
 */
function provenClaim(claim: RecordedClaim, { nodes, claims, pools }: Shown): RecordedClaim {
  const { createdAt, expireAfter, terminationGracePeriod, ...rest } = claim;
  const name = claim.node ?? claim.name;
  const node = nodes.get(name);
  const made = claims.get(name);
  const labels = (made ?? node)?.metadata.labels ?? {};
  const manifest = pools.get(poolNameOf(labels) ?? '');
  const isAge =
    node !== undefined &&
    uidOf(made ?? node) === claim.uid &&
    Date.parse(createdAt ?? '') === Date.parse((made ?? node).metadata.creationTimestamp ?? '');
  const pool = manifest && readPool(manifest, undefined);
  const grace = made ? textAt(made, 'spec', 'terminationGracePeriod') : pool?.terminationGracePeriod;
  const isGrace = grace !== undefined && sameDuration(grace, terminationGracePeriod);
  const kept = {
    ...rest,
    ...(createdAt !== undefined && isAge ? { createdAt } : {}),
    ...(expireAfter !== undefined && pool && expireAfter === textOfExpiry(pool) ? { expireAfter } : {}),
    ...(terminationGracePeriod !== undefined && isGrace ? { terminationGracePeriod } : {}),
  };
  return Object.keys(kept).length === Object.keys(claim).length ? claim : kept;
}

const sameDuration = (one: string, other: string | undefined): boolean =>
  other !== undefined && parseDuration(one) === parseDuration(other);
