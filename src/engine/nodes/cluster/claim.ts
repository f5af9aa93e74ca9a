import type { Manifest } from '../../../api/meta.ts';
import type { RecordedClaim } from '../../../api/nodes/node-plan.ts';
import { parseDuration } from '../../kernel/duration.ts';
import { type Fields, isFields } from '../../kernel/fields.ts';
import { type Instant, parseInstant } from '../../kernel/instant.ts';
import type { Labels } from '../../kernel/selector.ts';
import type { Pool } from '../../node-pools/pool.ts';
import { orNever } from '../../node-pools/pool.ts';
import { conditionAt, fieldsAt, isTrueAt, textAt } from '../../node-pools/read-fields.ts';

/** What a node was made from: a NodeClaim, or an entry of the record where a cluster has none. */
export interface Claim {
  readonly name: string;
  readonly uid: string;
  readonly node: string | undefined;
  readonly poolName: string | undefined;
  readonly createdAt: Instant;
  readonly labels: Labels;
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: Fields;
  /** The NodeClaim; undefined where the cluster has none. */
  readonly manifest: Manifest | undefined;
  /** Undefined = never. */
  readonly expireAfterMs: number | undefined;
  /** Undefined = a drain waits for ever. */
  readonly terminationGraceMs: number | undefined;
  readonly isDeleting: boolean;
  /** Its instance is on its way out. */
  readonly isTerminating: boolean;
  readonly isMarked: boolean;
  readonly lastPodEvent: Instant | undefined;
  readonly initializedAt: Instant | undefined;
  readonly recorded: RecordedClaim | undefined;
}

/** On a node that was launched under another name: that one. */
export const launchNameAnnotation = 'gitfleet.dev/launched-as';

export const poolLabels = ['karpenter.sh/nodepool', 'gitfleet.dev/nodepool'] as const;

export const poolNameOf = (labels: Labels): string | undefined =>
  poolLabels.map((label) => labels[label]).find((name) => name !== undefined);

/** Of a NodeClaim. Where expiry is behaviour of the pool, one that does not say when it expires does so as its pool says. */
export function claimOf(
  manifest: Manifest,
  { recorded, pools }: { readonly recorded: RecordedClaim | undefined; readonly pools: ReadonlyMap<string, Pool> },
): Claim {
  const { name, uid, labels = {}, annotations = {}, deletionTimestamp } = manifest.metadata;
  const spec = fieldsAt(manifest, 'spec');
  const poolName = poolNameOf(labels);
  const pool = poolName === undefined ? undefined : pools.get(poolName);
  const expireAfter = textAt(spec, 'expireAfter');
  const ofPool = pool?.profile === 'karpenter-v1beta1' ? pool.expireAfterMs : undefined;
  const grace = textAt(spec, 'terminationGracePeriod');
  const initialized = conditionAt(manifest, 'Initialized');
  return {
    name,
    uid: typeof uid === 'string' ? uid : name,
    node: textAt(manifest, 'status', 'nodeName') || undefined,
    poolName,
    createdAt: parseInstant(manifest.metadata.creationTimestamp ?? '') ?? 0,
    labels,
    annotations,
    spec: isFields(spec) ? spec : {},
    manifest,
    expireAfterMs: expireAfter === undefined ? ofPool : orNever(expireAfter),
    terminationGraceMs: grace === undefined ? undefined : parseDuration(grace),
    isDeleting: deletionTimestamp != null,
    isTerminating: isTrueAt(manifest, 'InstanceTerminating'),
    isMarked: isTrueAt(manifest, 'DisruptionReason'),
    lastPodEvent: parseInstant(textAt(manifest, 'status', 'lastPodEventTime') ?? ''),
    initializedAt:
      initialized?.['status'] === 'True' ? parseInstant(textAt(initialized, 'lastTransitionTime') ?? '') : undefined,
    recorded,
  };
}

/**
 * Of a node on a cluster without NodeClaims: it has the name under which the node was launched, or its own, and its uid. How long it lives
 * was decided when it was first seen; it expires only where the pool writes expireAfter.
 */
export function claimOfNode(
  node: Manifest,
  {
    recorded,
    pool,
    poolName,
  }: {
    readonly recorded: RecordedClaim | undefined;
    readonly pool: Pool | undefined;
    readonly poolName: string;
  },
): Claim {
  const { name, uid, labels = {}, annotations = {}, creationTimestamp, deletionTimestamp } = node.metadata;
  const [expireAfter, grace] =
    recorded === undefined
      ? [pool?.writesExpireAfter ? textOfExpiry(pool) : undefined, pool?.terminationGracePeriod]
      : [recorded.expireAfter, recorded.terminationGracePeriod];
  return {
    name: annotations[launchNameAnnotation] ?? name,
    uid: typeof uid === 'string' ? uid : name,
    node: name,
    poolName,
    createdAt: parseInstant(recorded?.createdAt ?? creationTimestamp ?? '') ?? 0,
    labels,
    annotations,
    spec: {},
    manifest: undefined,
    expireAfterMs: expireAfter === undefined ? undefined : orNever(expireAfter),
    terminationGraceMs: grace === undefined ? undefined : parseDuration(grace),
    isDeleting: deletionTimestamp != null,
    isTerminating: false,
    isMarked: false,
    lastPodEvent: undefined,
    initializedAt: undefined,
    recorded,
  };
}

/** As the pool writes it; undefined where it writes nothing. */
export function textOfExpiry({ manifest }: Pool): string | undefined {
  return (
    textAt(manifest, 'spec', 'template', 'spec', 'expireAfter') ?? textAt(manifest, 'spec', 'disruption', 'expireAfter')
  );
}
