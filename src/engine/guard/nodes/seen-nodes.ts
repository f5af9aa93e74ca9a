import type { ClusterName, Manifest } from '../../../api/meta.ts';
import type { ClusterObservation } from '../../../api/observation.ts';
import { isNodePool, type WrittenPools } from './written-pools.ts';

/** A node that budgets count. */
export interface Counted {
  readonly name: string;
  readonly pool: string;
  /** Not ready or on its way out. */
  readonly isDisrupted: boolean;
  /** On its way out. */
  readonly isLeaving: boolean;
  /** Its NodeClaim reports it. */
  readonly isDrifted: boolean;
}

export interface Seen {
  /** By name. */
  readonly pools: ReadonlyMap<string, Manifest>;
  /** Nodes that are ready. */
  readonly ready: ReadonlySet<string>;
  readonly counted: readonly Counted[];
}

export function seenNodes(
  cluster: ClusterName,
  observation: ClusterObservation | undefined,
  written: WrittenPools,
): Seen {
  const { nodes = [], objects = [], extras = [] } = observation ?? {};
  const delivered = written.delivered.get(cluster) ?? [];
  const chosen = delivered.length > 0 ? delivered : [...objects, ...extras].filter(isNodePool);
  const pools = new Map([...written.invalid, ...chosen].map((pool) => [pool.metadata.name, pool]));
  const claims = extras.filter(({ kind }) => kind === 'NodeClaim');
  const claimOf = new Map(claims.map((claim) => [fields(claim['status'])['nodeName'], claim]));
  const ready = new Set(nodes.filter((node) => hasTrue(node, 'Ready')).map(({ metadata }) => metadata.name));
  const counted = nodes.flatMap((node): Counted[] => {
    const { name, labels = {} } = node.metadata;
    const claim = claimOf.get(name);
    const own = claim?.metadata.labels ?? {};
    const pool = poolOf(own) ?? poolOf(labels);
    const isInitialized = labels['karpenter.sh/initialized'] === 'true';
    if (
      pool === undefined ||
      (claims.length > 0 && (!claim || !isInitialized || hasTrue(claim, 'InstanceTerminating')))
    )
      return [];
    const isLeaving =
      (claim ?? node).metadata.deletionTimestamp != null ||
      (claim !== undefined && hasTrue(claim, 'DisruptionReason')) ||
      keysOfTaints(node).includes('karpenter.sh/disrupted');
    const isDrifted = claim !== undefined && hasTrue(claim, 'Drifted');
    const isStarting =
      claims.length === 0 &&
      (!ready.has(name) || startupTaints(pools.get(pool)).some((key) => keysOfTaints(node).includes(key)));
    return isStarting ? [] : [{ name, pool, isLeaving, isDisrupted: isLeaving || !ready.has(name), isDrifted }];
  });
  return { pools, ready, counted };
}

/** Since Karpenter v1 expiry ignores budgets; where a pool writes expireAfter in the old place only, it is graceful. */
export function expiresByForce(pool: Manifest | undefined): boolean {
  const spec = fields(pool?.['spec']);
  const own = fields(fields(spec['template'])['spec'])['expireAfter'];
  return own !== undefined || fields(spec['disruption'])['expireAfter'] === undefined;
}

const poolOf = (labels: Readonly<Record<string, string>>): string | undefined =>
  labels['karpenter.sh/nodepool'] ?? labels['gitfleet.dev/nodepool'];

const fields = (value: unknown): Readonly<Record<string, unknown>> => (value ?? {}) as Record<string, unknown>;

const hasTrue = (object: Manifest, type: string): boolean =>
  ((fields(object['status'])['conditions'] ?? []) as readonly { type?: unknown; status?: unknown }[]).some(
    (condition) => condition.type === type && condition.status === 'True',
  );

const keysOfTaints = (node: Manifest): readonly unknown[] =>
  ((fields(node['spec'])['taints'] ?? []) as readonly { key?: unknown }[]).map(({ key }) => key);

const startupTaints = (pool: Manifest | undefined): readonly unknown[] =>
  (
    (fields(fields(fields(pool?.['spec'])['template'])['spec'])['startupTaints'] ?? []) as readonly { key?: unknown }[]
  ).map(({ key }) => key);
