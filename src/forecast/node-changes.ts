import type { Manifest } from '../api/meta.ts';
import type { NodeCommand } from '../api/nodes/node-plan.ts';
import type { ClusterObservation } from '../api/observation.ts';
import { formatInstant } from '../engine/kernel/instant.ts';
import type { Pool } from '../engine/node-pools/pool.ts';
import { fieldsAt, isTrueAt, listAt, textAt } from '../engine/node-pools/read-fields.ts';
import { allowsLabel } from '../engine/node-pools/requirements.ts';
import { karpenterDisrupted } from '../engine/node-pools/taints.ts';
import { textOfExpiry } from '../engine/nodes/cluster/claim.ts';
import type { ClusterNode } from '../engine/nodes/cluster/cluster-nodes.ts';
import type { Pod } from '../engine/nodes/cluster/pod.ts';
import { replacementName } from '../engine/nodes/commands.ts';
import { chosenLabels, daemonSetsOf, fixedLabels, launchPool } from '../engine/nodes/launch/launchables.ts';
import { hostnameLabel, type Market } from '../engine/nodes/launch/market.ts';
import { type ReplacementNode, replacementNode, taintsOfPool } from '../engine/nodes/launch/replacement-node.ts';
import { chooseFrom } from '../engine/nodes/methods/choose.ts';
import type { ClusterPlan } from '../engine/nodes/plan-cluster.ts';
import { emptyNode, withRoomFor } from '../engine/nodes/simulate/new-node.ts';

/** What new nodes of a member are made from, and when. */
export interface Made {
  readonly pools: ReadonlyMap<string, Pool>;
  readonly market: Market;
  readonly now: number;
}

/** The same when a command ends, with the plan that it is of. */
export interface CarriedOut extends Made {
  readonly plan: Pick<ClusterPlan, 'cluster' | 'state'>;
}

/** Its nodes are on their way out, by someone else's hand. */
export function withMarked(seen: ClusterObservation, { nodes }: NodeCommand): ClusterObservation {
  const names = new Set(nodes.map(({ name }) => name));
  const marked = (node: Manifest): Manifest => ({
    ...node,
    spec: { ...fieldsAt(node, 'spec'), taints: [...listAt(node, 'spec', 'taints'), karpenterDisrupted] },
  });
  return { ...seen, nodes: seen.nodes!.map((node) => (names.has(node.metadata.name) ? marked(node) : node)) };
}

/** Its replacements are there, and not ready yet. */
export const withLaunched = (seen: ClusterObservation, { replacements }: NodeCommand, made: Made): ClusterObservation =>
  replacements.reduce((before, replacement) => {
    const pool = made.pools.get(replacement.pool);
    const node = pool && replacementNode(replacement, pool, made.market);
    return node ? withNode(before, { name: replacement.name, pool, node, now: made.now }) : before;
  }, seen);

/** Its replacements are ready and initialized, if they were not before. */
export const withReady = (seen: ClusterObservation, { replacements }: NodeCommand, now: number): ClusterObservation =>
  withReadyNodes(seen, new Set(replacements.map(({ name }) => name)), now);

function withReadyNodes(seen: ClusterObservation, names: ReadonlySet<string>, now: number): ClusterObservation {
  const of = new Set(
    seen.nodes!.flatMap((node) =>
      names.has(node.metadata.name) && !isTrueAt(node, 'Ready') ? node.metadata.name : [],
    ),
  );
  if (of.size === 0) return seen;
  const ready = (node: Manifest): Manifest => ({
    ...node,
    metadata: { ...node.metadata, labels: { ...node.metadata.labels, 'karpenter.sh/initialized': 'true' } },
    status: { ...fieldsAt(node, 'status'), conditions: [condition('Ready', now)] },
  });
  const initialized = (claim: Manifest): Manifest => ({
    ...claim,
    status: { ...fieldsAt(claim, 'status'), conditions: [condition('Initialized', now)] },
  });
  return {
    ...seen,
    nodes: seen.nodes!.map((node) => (of.has(node.metadata.name) ? ready(node) : node)),
    extras: seen.extras.map((one) => (isClaim(one) && of.has(nodeOfClaim(one)) ? initialized(one) : one)),
  };
}

/**
 * Its nodes are gone, and their pods run where the command says. Pods without a place get a node like theirs, as whatever launches nodes
 * there would see to, or wait for one where none can be launched; those of empty nodes, which cost nothing, wait for one.
 */
export function withoutNodes(seen: ClusterObservation, command: NodeCommand, of: CarriedOut): ClusterObservation {
  const gone = new Set(command.nodes.map(({ name }) => name));
  const moves = new Map(
    (command.pods ?? []).map(({ namespace, name, from, to }) => [`${namespace}/${name} ${from}`, { to }]),
  );
  const without: ClusterObservation = {
    ...seen,
    nodes: seen.nodes!.filter(({ metadata }) => !gone.has(metadata.name)),
    extras: seen.extras.filter((one) => !(isClaim(one) && gone.has(nodeOfClaim(one)))),
  };
  const likes = command.reason === 'Empty' ? [] : likeNodes(command, seen, of);
  const likeOf = new Map(likes.map(({ from, name }) => [from, name]));
  const now = formatInstant(of.now);
  const landings = new Set<string>();
  const pods = seen.pods!.flatMap((pod): Manifest[] => {
    const { namespace = 'default', name } = pod.metadata;
    const from = textAt(pod, 'spec', 'nodeName');
    if (from === undefined || !gone.has(from)) return [pod];
    const move = moves.get(`${namespace}/${name} ${from}`);
    if (move === undefined) return [];
    const to = move.to ?? likeOf.get(from);
    if (to === undefined) return [pending(pod)];
    landings.add(to);
    const { deletionTimestamp: _, ...metadata } = pod.metadata;
    const status = { ...fieldsAt(pod, 'status'), phase: 'Running', startTime: now };
    return [{ ...pod, metadata, spec: { ...fieldsAt(pod, 'spec'), nodeName: to }, status }];
  });
  const replaced = likes.reduce((before, { name, pool, node }) => {
    const launched = withNode(before, { name, pool, node, now: of.now });
    return withReadyNodes(launched, new Set([name]), of.now);
  }, without);
  return { ...withPodEvents(replaced, landings, now), pods };
}

/** A node that comes by itself in the place of another. */
interface Like {
  readonly from: string;
  readonly name: string;
  readonly pool: Pool;
  readonly node: ReplacementNode;
}

/** They come where pods have no place, and where a static pool keeps its number. */
function likeNodes(
  { id, nodes, reason, replacements, pods = [] }: NodeCommand,
  seen: ClusterObservation,
  of: CarriedOut,
): readonly Like[] {
  const homeless = new Set(
    pods.flatMap(({ namespace, name, from, to }) => (to === undefined ? [`${from} ${namespace}/${name}`] : [])),
  );
  const left = nodes.flatMap(({ name: from, pool: poolName }) => {
    const old = of.plan.cluster.nodes.find(({ name }) => name === from);
    if (old?.pool === undefined) return [];
    const own = old.pods.filter(({ namespace, name }) => homeless.has(`${from} ${namespace}/${name}`));
    const isKept = reason === 'Expired' && replacements.length === 0 && of.pools.get(poolName)?.replicas !== undefined;
    return own.length > 0 || isKept ? [{ old, pool: old.pool, pods: own }] : [];
  });
  return left.flatMap(({ old, pool, pods: own }, at) => {
    const name = replacementName(id, `${pool.name}-like`, at);
    const node = likeNode({ old, pool, pods: own, name }, seen, of);
    return node === undefined ? [] : [{ from: old.name, name, pool, node }];
  });
}

/** Without a catalog a copy; undefined = the pool can launch nothing of the catalog. */
function likeNode(
  { old, pool, pods, name }: Pick<Like, 'pool' | 'name'> & { readonly old: ClusterNode; readonly pods: readonly Pod[] },
  seen: ClusterObservation,
  { market, plan }: CarriedOut,
): ReplacementNode | undefined {
  if (market.types === undefined) return copyOf(old, pool, name);
  const from = launchPool(pool, [...market.types.values()], daemonSetsOf(seen.extras));
  const same = from.launchables.find(
    ({ type, zone, capacityType }) =>
      type.name === old.instanceType && zone === old.zone && capacityType === old.capacityType,
  );
  // Where the old one is no longer sold or admitted: the cheapest that holds the pods, as far as one holds them all.
  const { classOf } = plan.state.scheduling;
  const node = pods.reduce(
    (room, pod) => withRoomFor(room, pod, classOf(pod)) ?? room,
    emptyNode(from, name, undefined),
  );
  const options = same ? [same] : node.options;
  if (options.length === 0) return undefined;
  const { chosen, labels } = chooseFrom(node, options);
  const launch = { name, instanceType: chosen.type.name, zone: chosen.zone, capacityType: chosen.capacityType, labels };
  return replacementNode(launch, pool, market);
}

/** With other values of labels that the pool does not admit any more. */
function copyOf(old: ClusterNode, pool: Pool, name: string): ReplacementNode {
  const { requirements } = pool.template;
  const admitted = Object.entries(old.labels).filter(([key, value]) => {
    const requirement = requirements.get(key);
    return requirement === undefined || allowsLabel(requirement, value);
  });
  const labels = Object.fromEntries(admitted);
  return {
    labels: { ...labels, ...chosenLabels(requirements, labels), ...fixedLabels(pool), [hostnameLabel]: name },
    annotations: pool.template.annotations,
    taints: taintsOfPool(pool),
    capacity: fieldsAt(old.manifest, 'status', 'capacity') as Record<string, string>,
    allocatable: fieldsAt(old.manifest, 'status', 'allocatable') as Record<string, string>,
  };
}

/** With a node that is not ready yet, and its NodeClaim where the cluster has them. */
function withNode(
  seen: ClusterObservation,
  {
    name,
    pool,
    node: { labels, annotations, taints, capacity, allocatable },
    now,
  }: { readonly name: string; readonly pool: Pool; readonly node: ReplacementNode; readonly now: number },
): ClusterObservation {
  if (seen.nodes!.some(({ metadata }) => metadata.name === name)) return seen;
  const metadata = { name, uid: `forecast-${name}`, creationTimestamp: formatInstant(now), labels, annotations };
  const node: Manifest = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata,
    spec: { taints },
    status: { capacity, allocatable, conditions: [] },
  };
  const [expireAfter, terminationGracePeriod] = [textOfExpiry(pool), pool.terminationGracePeriod];
  const claim: Manifest = {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { ...metadata, uid: `forecast-${name}-claim` },
    spec: {
      ...(expireAfter === undefined ? {} : { expireAfter }),
      ...(terminationGracePeriod === undefined ? {} : { terminationGracePeriod }),
    },
    status: { nodeName: name, conditions: [] },
  };
  return {
    ...seen,
    nodes: [...seen.nodes!, node],
    extras: seen.extras.some(isClaim) ? [...seen.extras, claim] : seen.extras,
  };
}

/** Pods came to these nodes. */
function withPodEvents(seen: ClusterObservation, nodes: ReadonlySet<string>, now: string): ClusterObservation {
  if (nodes.size === 0) return seen;
  const touched = (claim: Manifest): Manifest => ({
    ...claim,
    status: { ...fieldsAt(claim, 'status'), lastPodEventTime: now },
  });
  return {
    ...seen,
    podEvents: { ...seen.podEvents, ...Object.fromEntries([...nodes].map((name) => [name, now])) },
    extras: seen.extras.map((one) => (isClaim(one) && nodes.has(nodeOfClaim(one)) ? touched(one) : one)),
  };
}

function pending(pod: Manifest): Manifest {
  const { nodeName: _, ...spec } = fieldsAt(pod, 'spec');
  const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }];
  return { ...pod, spec, status: { phase: 'Pending', conditions } };
}

const isClaim = ({ kind, apiVersion }: Manifest): boolean =>
  kind === 'NodeClaim' && apiVersion.startsWith('karpenter.sh/');

const nodeOfClaim = (claim: Manifest): string => textAt(claim, 'status', 'nodeName') ?? '';

const condition = (type: string, at: number) => ({ type, status: 'True', lastTransitionTime: formatInstant(at) });
