import type { ClusterName, Manifest } from '../../../api/meta.ts';
import type { CommandNode, RecordedClaim } from '../../../api/nodes/node-plan.ts';
import type { ClusterObservation } from '../../../api/observation.ts';
import { parseDuration } from '../../kernel/duration.ts';
import { parseInstant } from '../../kernel/instant.ts';
import { isNodePool, type WrittenPools } from './written-pools.ts';

/** A node with a NodeClaim, or without NodeClaims one of a pool. */
export interface Claimed {
  readonly name: string;
  readonly pool: string | undefined;
  readonly isInitialized: boolean;
  /** On its way out. */
  readonly isLeaving: boolean;
}

/** A node that budgets of pools count. */
export interface Counted extends Claimed {
  readonly pool: string;
  /** Not ready or on its way out. */
  readonly isDisrupted: boolean;
  /** Its NodeClaim reports it. */
  readonly isDrifted: boolean;
}

export interface Seen {
  /** By name. */
  readonly pools: ReadonlyMap<string, Manifest>;
  /** Nodes that are ready. */
  readonly ready: ReadonlySet<string>;
  readonly claimed: readonly Claimed[];
  readonly counted: readonly Counted[];
  /** Nodes whose drain ends by force: says the NodeClaim, or without NodeClaims the pool when the node was first seen. */
  readonly withDeadline: ReadonlySet<string>;
  /** When nodes expire, as their NodeClaims say, or without NodeClaims their pools when they were first seen; Infinity = never. */
  readonly expiresAt: (node: string) => number;
}

export function seenNodes(
  cluster: ClusterName,
  observation: ClusterObservation | undefined,
  {
    written,
    recorded,
    underWay,
  }: {
    readonly written: WrittenPools;
    readonly recorded: readonly RecordedClaim[];
    /** Of commands under way. */
    readonly underWay: readonly CommandNode[];
  },
): Seen {
  const { nodes = [], objects = [], extras = [] } = observation ?? {};
  const delivered = written.delivered.get(cluster) ?? [];
  const live = new Map([...objects, ...extras].filter(isNodePool).map((pool) => [pool.metadata.name, pool]));
  const chosen = delivered.length > 0 ? delivered.map((pool) => accepted(pool, live)) : live.values();
  const failing = written.failing.get(cluster) ?? [];
  const pools = new Map([...written.invalid, ...failing, ...chosen].map((pool) => [pool.metadata.name, pool]));
  const claims = extras.filter(({ kind }) => kind === 'NodeClaim');
  const claimOf = new Map(claims.map((claim) => [fields(claim['status'])['nodeName'], claim]));
  const ready = new Set(nodes.filter((node) => hasTrue(node, 'Ready')).map(({ metadata }) => metadata.name));
  const firstSeen = ({ metadata }: Manifest): RecordedClaim | undefined =>
    recorded.find(({ uid }) => uid === (metadata['uid'] ?? metadata.name));
  const isUnderWay = ({ metadata: { name, uid = name } }: Manifest): boolean =>
    underWay.some((going) => going.name === name && (going.uid ?? uid) === uid);
  /** One that a drain makes unready counts all the same. */
  const wasInitialized = (node: Manifest): boolean =>
    node.metadata.labels?.['karpenter.sh/initialized'] === 'true' ||
    firstSeen(node)?.initialized === true ||
    isUnderWay(node);
  const claimed: Claimed[] = [];
  const counted = nodes.flatMap((node): Counted[] => {
    const { name, labels = {} } = node.metadata;
    const claim = claimOf.get(name);
    const pool = poolOf(claim?.metadata.labels ?? {}) ?? poolOf(labels);
    if (claims.length > 0 ? claim === undefined : pool === undefined) return [];
    const isLeaving =
      (claim ?? node).metadata.deletionTimestamp != null ||
      (claim !== undefined && hasTrue(claim, 'DisruptionReason')) ||
      taintsOf(node).includes('karpenter.sh/disrupted:NoSchedule');
    const isInitialized =
      claim === undefined
        ? wasInitialized(node) ||
          (ready.has(name) && !startupTaints(pools.get(pool!)).some((taint) => taintsOf(node).includes(taint)))
        : labels['karpenter.sh/initialized'] === 'true';
    const own = { name, pool, isInitialized, isLeaving };
    claimed.push(own);
    const isTerminating = claim !== undefined && hasTrue(claim, 'InstanceTerminating');
    if (pool === undefined || !isInitialized || isTerminating) return [];
    const isDrifted = claim !== undefined && hasTrue(claim, 'Drifted');
    return [{ ...own, pool, isDisrupted: isLeaving || !ready.has(name), isDrifted }];
  });
  const poolOfNode = ({ metadata }: Manifest): Manifest | undefined =>
    pools.get(poolOf(claimOf.get(metadata.name)?.metadata.labels ?? {}) ?? poolOf(metadata.labels ?? {}) ?? '');
  const graceOf = (node: Manifest): unknown => {
    const claim = claimOf.get(node.metadata.name);
    if (claims.length > 0) return fields(claim?.['spec'])['terminationGracePeriod'];
    const first = firstSeen(node);
    return first ? first.terminationGracePeriod : templateOf(poolOfNode(node))['terminationGracePeriod'];
  };
  const expiresAt = (name: string): number => {
    const node = nodes.find(({ metadata }) => metadata.name === name);
    if (node === undefined) return Number.POSITIVE_INFINITY;
    const [claim, first, pool] = [claimOf.get(name), firstSeen(node), poolOfNode(node)];
    const inOldPlace = fields(fields(pool?.['spec'])['disruption'])['expireAfter'];
    const ofPool = templateOf(pool)['expireAfter'] ?? inOldPlace;
    const own = fields(claim?.['spec'])['expireAfter'] ?? (expiresByForce(pool) ? undefined : ofPool);
    const age = parseDuration(String(claims.length > 0 ? own : first ? first.expireAfter : ofPool));
    const { creationTimestamp } = (claim ?? node).metadata;
    const created = parseInstant((claims.length > 0 ? undefined : first?.createdAt) ?? creationTimestamp ?? '') ?? 0;
    return age === undefined ? Number.POSITIVE_INFINITY : created + age;
  };
  const withDeadline = nodes.filter((node) => graceOf(node) !== undefined).map(({ metadata }) => metadata.name);
  return { pools, ready, claimed, counted, withDeadline: new Set(withDeadline), expiresAt };
}

/** Karpenter lets no pool change the kind of its node class, or become static: the cluster keeps the one that it has. */
function accepted(pool: Manifest, live: ReadonlyMap<string, Manifest>): Manifest {
  const before = live.get(pool.metadata.name);
  if (before?.['spec'] === undefined) return pool;
  const [had, has] = [before, pool].map((of) => {
    const { group, apiVersion, kind } = fields(templateOf(of)['nodeClassRef']);
    return {
      group: group ?? String(apiVersion ?? '').split('/')[0],
      kind,
      isStatic: fields(of['spec'])['replicas'] != null,
    };
  }) as [NodeSource, NodeSource];
  const isSameClass =
    had.kind === undefined || has.kind === undefined || `${had.group} ${had.kind}` === `${has.group} ${has.kind}`;
  return had.isStatic === has.isStatic && isSameClass ? pool : before;
}

interface NodeSource {
  readonly group: unknown;
  readonly kind: unknown;
  readonly isStatic: boolean;
}

/** Since Karpenter v1 expiry ignores budgets; where a pool, or the file that it came from, writes only the old place, it is graceful. */
export function expiresByForce(pool: Manifest | undefined): boolean {
  const old = fields(fields(pool?.['spec'])['disruption'])['expireAfter'];
  if (templateOf(pool)['expireAfter'] === undefined) return old === undefined;
  return pool?.metadata.annotations?.['gitfleet.dev/expiry'] !== 'graceful';
}

const poolOf = (labels: Readonly<Record<string, string>>): string | undefined =>
  labels['karpenter.sh/nodepool'] ?? labels['gitfleet.dev/nodepool'];

const fields = (value: unknown): Readonly<Record<string, unknown>> => (value ?? {}) as Record<string, unknown>;

const hasTrue = (object: Manifest, type: string): boolean =>
  ((fields(object['status'])['conditions'] ?? []) as readonly { type?: unknown; status?: unknown }[]).some(
    (condition) => condition.type === type && condition.status === 'True',
  );

const texts = (taints: unknown): readonly string[] =>
  ((taints ?? []) as readonly { key?: unknown; effect?: unknown }[]).map(({ key, effect }) => `${key}:${effect}`);

const taintsOf = (node: Manifest): readonly string[] => texts(fields(node['spec'])['taints']);

const startupTaints = (pool: Manifest | undefined): readonly string[] => texts(templateOf(pool)['startupTaints']);

/** `spec.template.spec` of a NodePool. */
const templateOf = (pool: Manifest | undefined) => fields(fields(fields(pool?.['spec'])['template'])['spec']);
