import type { Manifest } from '../../../api/meta.ts';
import type { CommandNode, NodeCommand, NodePlan, RecordedClaim } from '../../../api/nodes/node-plan.ts';
import type { ClusterObservation } from '../../../api/observation.ts';
import { type Instant, parseInstant } from '../../kernel/instant.ts';
import { by, byText } from '../../kernel/ordering.ts';
import type { Labels } from '../../kernel/selector.ts';
import type { Pool } from '../../node-pools/pool.ts';
import { fieldsAt, isTrueAt, textAt } from '../../node-pools/read-fields.ts';
import { labelAt } from '../../node-pools/requirements.ts';
import { type Amounts, amountsOf } from '../../node-pools/resources.ts';
import { karpenterDisrupted, sameTaint, type Taint, taintsAt } from '../../node-pools/taints.ts';
import { capacityLabel, type Market, typeLabel, zoneLabel } from '../launch/market.ts';
import { type Claim, claimOf, claimOfNode, poolNameOf } from './claim.ts';
import { type PodBudgets, podBudgetsOf } from './disruption-budgets.ts';
import { isPending, type Pod, readPod, rescheduleCost } from './pod.ts';

/** A node of a cluster with everything that disruption reads of it. */
export interface ClusterNode {
  readonly name: string;
  readonly uid: string;
  readonly manifest: Manifest;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly allocatable: Amounts;
  readonly capacity: Amounts;
  /** Undefined = not ours: a landing place only. */
  readonly claim: Claim | undefined;
  readonly poolName: string | undefined;
  readonly pool: Pool | undefined;
  readonly isInitialized: boolean;
  readonly isReady: boolean;
  /** Its claim is being deleted. */
  readonly isDeleting: boolean;
  /** On its way out, by Karpenter's hand or by a command under way. */
  readonly isMarked: boolean;
  /** A pending pod is about to be bound to it. */
  readonly isNominated: boolean;
  readonly instanceType: string | undefined;
  readonly zone: string | undefined;
  readonly capacityType: string | undefined;
  /** Per hour; undefined = unknown. */
  readonly price: number | undefined;
  /** Bound to it, in every phase. */
  readonly pods: readonly Pod[];
  readonly disruptionCost: number;
  /** From when on consolidation may take it; undefined = never, or not known yet. */
  readonly consolidatableAt: Instant | undefined;
}

/** What scheduling reads of a node. */
export type LandingNode = Pick<
  ClusterNode,
  | 'name'
  | 'manifest'
  | 'labels'
  | 'taints'
  | 'allocatable'
  | 'claim'
  | 'pool'
  | 'isInitialized'
  | 'isReady'
  | 'isDeleting'
  | 'isMarked'
  | 'pods'
>;

/** What a cluster has, as one observation shows it. */
export interface ClusterNodes {
  /** By name. */
  readonly nodes: readonly ClusterNode[];
  readonly claimsWithoutNode: readonly Claim[];
  /** Those of them that say what their node will have: it is a landing place that is not initialized yet (core `statenode.go`). */
  readonly launching: readonly LandingNode[];
  readonly pods: readonly Pod[];
  readonly pending: readonly Pod[];
  readonly budgets: PodBudgets;
  readonly extras: readonly Manifest[];
  /** Names of nodes that commands under way remove now. */
  readonly removing: ReadonlySet<string>;
  /** The cluster has NodeClaims. */
  readonly hasNodeClaims: boolean;
}

export interface ClusterInput {
  readonly observation: ClusterObservation;
  readonly pools: ReadonlyMap<string, Pool>;
  readonly market: Market;
  readonly record: NodePlan | undefined;
}

export const clusterNodes = (input: ClusterInput): ClusterNodes =>
  withCommands(observedNodes(input), input.record?.commands ?? []);

/** The same nodes while these commands are under way. Of `observed`: what {@link observedNodes} read. */
export function withCommands(observed: ClusterNodes, commands: readonly NodeCommand[]): ClusterNodes {
  const namesOf = (isMeant: (phase: NodeCommand['phase']) => boolean): ReadonlySet<string> =>
    new Set(commands.flatMap(({ phase, nodes: own }) => (isMeant(phase) ? own.map(({ name }) => name) : [])));
  const underWay = namesOf((phase) => phase !== 'Proposed');
  return {
    ...observed,
    nodes: observed.nodes.map((node) => (underWay.has(node.name) ? { ...node, isMarked: true } : node)),
    removing: namesOf((phase) => phase === 'Removing'),
  };
}

/** Nodes without the commands that the record has for them. */
export function observedNodes({ observation, pools, market, record }: ClusterInput): ClusterNodes {
  const { extras, podEvents = {} } = observation;
  const nodes = [...(observation.nodes ?? [])].sort(by(({ metadata }) => metadata.name));
  const pods = (observation.pods ?? []).map(readPod).sort((a, b) => byText(a.key, b.key));
  const podsOf = Map.groupBy(pods, ({ node }) => node);
  const claims = claimsOf(nodes, { extras, pools, record });
  const underWay = new Map(
    (record?.commands ?? []).flatMap(({ phase, nodes: own }) =>
      phase === 'Proposed' ? [] : own.map((node) => [node.name, node] as const),
    ),
  );
  const nominated = new Set(
    pods.flatMap(({ node, isTerminal, isTerminating, manifest }) =>
      node === undefined && !isTerminal && !isTerminating
        ? (textAt(manifest, 'status', 'nominatedNodeName') ?? [])
        : [],
    ),
  );
  const read = nodes.map((manifest): ClusterNode => {
    const { name } = manifest.metadata;
    return nodeOf(manifest, {
      claim: claims.byNode.get(name),
      pools,
      market,
      pods: podsOf.get(name) ?? [],
      isNominated: nominated.has(name),
      podEvent: parseInstant(podEvents[name] ?? ''),
      underWay: underWay.get(name),
    });
  });
  return {
    nodes: read,
    claimsWithoutNode: claims.withoutNode,
    launching: claims.withoutNode.flatMap((claim) => launchingNode(claim, pools) ?? []),
    pods,
    pending: pods.filter(isPending),
    budgets: podBudgetsOf(extras),
    extras,
    removing: new Set(),
    hasNodeClaims: claims.areReal,
  };
}

function claimsOf(
  nodes: readonly Manifest[],
  { extras, pools, record }: Pick<ClusterInput, 'pools' | 'record'> & { readonly extras: readonly Manifest[] },
) {
  const recorded = new Map((record?.claims ?? []).map((claim) => [claim.uid, claim]));
  const manifests = extras.filter(
    ({ kind, apiVersion }) => kind === 'NodeClaim' && apiVersion.startsWith('karpenter.sh/'),
  );
  if (manifests.length === 0) {
    const ofNodes = nodes.flatMap((node) => claimOfPlainNode(node, pools, recorded));
    return { byNode: new Map(ofNodes.map((claim) => [claim.node!, claim])), withoutNode: [], areReal: false };
  }
  const claims = manifests
    .map((manifest) => claimOf(manifest, { recorded: recorded.get(uidOf(manifest)), pools }))
    .sort(by(({ name }) => name));
  const names = new Set(nodes.map(({ metadata }) => metadata.name));
  const hasNode = ({ node }: Claim): boolean => node !== undefined && names.has(node);
  return {
    byNode: new Map(claims.filter(hasNode).map((claim) => [claim.node!, claim])),
    withoutNode: claims.filter((claim) => !hasNode(claim)),
    areReal: true,
  };
}

function claimOfPlainNode(
  node: Manifest,
  pools: ReadonlyMap<string, Pool>,
  recorded: ReadonlyMap<string, RecordedClaim>,
): Claim[] {
  const poolName = poolNameOf(node.metadata.labels ?? {});
  if (poolName === undefined) return [];
  return [claimOfNode(node, { recorded: recorded.get(uidOf(node)), pool: pools.get(poolName), poolName })];
}

export const uidOf = ({ metadata: { uid, name } }: Manifest): string => (typeof uid === 'string' ? uid : name);

function nodeOf(
  manifest: Manifest,
  of: {
    readonly claim: Claim | undefined;
    readonly pools: ReadonlyMap<string, Pool>;
    readonly market: Market;
    readonly pods: readonly Pod[];
    readonly isNominated: boolean;
    readonly podEvent: Instant | undefined;
    /** As a command under way has it. */
    readonly underWay: CommandNode | undefined;
  },
): ClusterNode {
  const { claim, pods, market } = of;
  const { name, labels = {} } = manifest.metadata;
  const taints = taintsAt(manifest, 'spec', 'taints');
  const poolName = claim?.poolName ?? poolNameOf(labels);
  const pool = poolName === undefined ? undefined : of.pools.get(poolName);
  const isReady = isTrueAt(manifest, 'Ready');
  const [instanceType, zone, capacityType] = [
    labelAt(labels, typeLabel),
    labelAt(labels, zoneLabel),
    labels[capacityLabel],
  ];
  const isKnown = instanceType !== undefined && zone !== undefined && capacityType !== undefined;
  const node = {
    name,
    uid: uidOf(manifest),
    manifest,
    labels,
    taints,
    allocatable: roomOf(manifest),
    capacity: amountsOf(fieldsAt(manifest, 'status', 'capacity')),
    claim,
    poolName,
    pool,
    isInitialized: isInitialized(claim, pool, { labels, taints, isReady, underWay: of.underWay }),
    isReady,
    isDeleting: claim?.isDeleting ?? false,
    isMarked: (claim?.isMarked ?? false) || taints.some((taint) => sameTaint(taint, karpenterDisrupted)),
    isNominated: of.isNominated,
    instanceType,
    zone,
    capacityType,
    price: isKnown ? market.priceOf(instanceType, zone, capacityType) : undefined,
    pods,
    disruptionCost: rescheduleCost(pods),
  };
  return { ...node, consolidatableAt: consolidatableAt(node, of.podEvent) };
}

/** The node of a claim that is not there yet. */
function launchingNode(claim: Claim, pools: ReadonlyMap<string, Pool>): LandingNode | undefined {
  const { name, labels, spec, poolName, isDeleting, isMarked } = claim;
  const room = roomOf(claim.manifest);
  if (room.size === 0 || isDeleting || isMarked) return undefined;
  return {
    name,
    manifest: claim.manifest!,
    labels,
    taints: taintsAt(spec, 'taints'),
    allocatable: room,
    claim,
    pool: poolName === undefined ? undefined : pools.get(poolName),
    isInitialized: false,
    isReady: false,
    isDeleting,
    isMarked,
    pods: [],
  };
}

/** What pods may use; what says nothing of that offers its whole capacity. */
export const roomOf = (manifest: Manifest | undefined): Amounts =>
  amountsOf({ ...fieldsAt(manifest, 'status', 'capacity'), ...fieldsAt(manifest, 'status', 'allocatable') });

/**
 * With NodeClaims Karpenter labels it. Without, it was ready once and had lost the startup taints of its pool: one that a drain makes
 * unready still counts.
 */
function isInitialized(
  claim: Claim | undefined,
  pool: Pool | undefined,
  {
    labels,
    taints,
    isReady,
    underWay,
  }: Pick<ClusterNode, 'labels' | 'taints' | 'isReady'> & { readonly underWay: CommandNode | undefined },
): boolean {
  if (claim === undefined || labels['karpenter.sh/initialized'] === 'true') return true;
  if (claim.manifest !== undefined) return false;
  if (claim.recorded?.initialized || (underWay && isSameNode(underWay, { claim }))) return true;
  const startup = pool?.template.startupTaints ?? [];
  return isReady && !taints.some((taint) => startup.some((other) => sameTaint(taint, other)));
}

/** Whether a node is the one of a command, and no later one that got its name. */
export const isSameNode = ({ uid }: Pick<CommandNode, 'uid'>, { claim }: Pick<ClusterNode, 'claim'>): boolean =>
  uid === undefined || claim === undefined || claim.uid === uid;

/** The last event of its pods, or else since when it is initialized, and consolidateAfter. */
function consolidatableAt(
  { claim, pool, isInitialized, manifest }: Pick<ClusterNode, 'claim' | 'pool' | 'isInitialized' | 'manifest'>,
  podEvent: Instant | undefined,
): Instant | undefined {
  if (claim === undefined || pool?.consolidateAfterMs === undefined || !isInitialized) return undefined;
  const created = parseInstant(manifest.metadata.creationTimestamp ?? '') ?? claim.createdAt;
  const since = claim.lastPodEvent ?? podEvent ?? claim.initializedAt ?? created;
  return since + pool.consolidateAfterMs;
}
