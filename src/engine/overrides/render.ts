import type { ClusterName, Manifest } from '../../api/meta.ts';
import { type PlacementRef, placementKey } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import { memoize } from '../kernel/memoize.ts';
import { deliverable } from '../node-pools/deliverable.ts';
import { isNodePool } from '../node-pools/pool.ts';
import { poolFault } from '../node-pools/pool-fault.ts';
import { type Duplicate, withoutDuplicates } from '../selection/duplicates.ts';
import { type EnvelopeRef, unpack } from '../selection/envelope.ts';
import { describeObject } from '../selection/group-version.ts';
import { applicable } from '../selection/normalise.ts';
import { applyOverride, type EffectiveOverride, effectiveOn } from './effective.ts';
import { lookupOf, type OverrideCluster, objectKeys, selectorKeys } from './lookup.ts';
import { digestOf, marked } from './ownership.ts';
import { idsOf, type RecordedLists } from './snapshot-id.ts';
import { hashOfSpec, type OverrideHistory } from './snapshots.ts';

/** One object as a member gets it, and its envelope. */
export interface RenderedManifest {
  readonly manifest: Manifest;
  readonly envelope?: EnvelopeRef;
  /** As it was before it was adapted to what the member reads; absent = the same. */
  readonly written?: Manifest;
}

export type Rendered =
  | {
      readonly ok: true;
      /** Selected objects in snapshot order, then the contents of each envelope. Shared by clusters with the same objects. */
      readonly manifests: readonly RenderedManifest[];
      /** Later manifests of the same objects; they are not applied. */
      readonly duplicates: readonly Duplicate<RenderedManifest>[];
      /** `sha256:` and hex, of the manifests in order. */
      readonly digest: string;
    }
  /**
   * OverriddenFailed: the binding's Overridden is False and its cluster keeps what it has. SyncWorkFailed: an envelope
   * cannot be unpacked, or the contents are lost; WorkSynchronized is False. Only a change of files or labels fixes either.
   */
  | {
      readonly ok: false;
      readonly reason: 'OverriddenFailed';
      readonly message: string;
      /** Id of the override snapshot that fails. */
      readonly override: string;
      /** The NodePool that it makes invalid. */
      readonly pool?: Manifest;
    }
  | { readonly ok: false; readonly reason: 'SyncWorkFailed'; readonly message: string };

/**
 * `render` with known overrides and members. `labels`: used instead of the member's present labels and of those that a binding
 * keeps.
 */
export type RenderOn = (
  what: Pick<RenderRequest, 'placement' | 'manifests'> & {
    readonly lists: RecordedLists & Pick<Binding, 'clusterLabels'>;
    readonly cluster: ClusterName;
    readonly labels?: OverrideCluster['labels'] | undefined;
  },
) => Rendered;

export interface RenderRequest {
  readonly placement: PlacementRef;
  /** Contents of the binding's resource snapshot. */
  readonly manifests: readonly Manifest[];
  /** The override snapshots that the binding lists. */
  readonly lists: RecordedLists;
  readonly history: OverrideHistory;
  readonly cluster: OverrideCluster;
  readonly digest: (text: string) => string;
}

/**
 * Renders the objects of a snapshot for a member: applies overrides (cluster ones in list order, then namespaced ones, to envelopes
 * and to their contents), unpacks envelopes, and marks every object as ours (KubeFleet workgenerator override.go, envelope.go).
 * An object that an override deletes stays deleted: later overrides do not see it. Clusters with the same rules and values share
 * one result, which is memoized by `manifests`.
 */
export function render(request: RenderRequest): Rendered {
  const { placement, manifests, lists, history, cluster, digest } = request;
  const { byId } = lookupOf(history);
  const effective: EffectiveOverride[] = [];
  for (const id of idsOf(lists)) {
    const snapshot = byId.get(id);
    if (!snapshot) return overrideFailed({ override: id, message: `override snapshot ${id} does not exist any more` });
    effective.push(effectiveOn(snapshot, cluster));
  }
  const key = [
    `${placement.kind} ${placementKey(placement)}`,
    ...effective.map((override) => `${override.key}@${hashOfSpec(override.snapshot.overrideSpec, digest)}`),
  ].join('\n');
  const variants = variantsOf(manifests);
  const known = variants.get(key);
  if (known) return known;
  const rendered = renderVariant(placement, manifests, effective, digest);
  if (variants.size >= mostVariants) variants.clear();
  variants.set(key, rendered);
  return rendered;
}

const variantsOf = memoize((_: readonly Manifest[]) => new Map<string, Rendered>());
/** A limit, since labels that keep changing must not fill the memory. A fleet with one variant per cluster fits. */
const mostVariants = 20_000;

type Failed = Pick<Extract<Rendered, { readonly reason: 'OverriddenFailed' }>, 'message' | 'override' | 'pool'>;

const overrideFailed = ({ override, message, pool }: Failed): Rendered => ({
  ok: false,
  reason: 'OverriddenFailed',
  message,
  override,
  ...(pool ? { pool } : {}),
});

function renderVariant(
  placement: PlacementRef,
  manifests: readonly Manifest[],
  effective: readonly EffectiveOverride[],
  digest: (text: string) => string,
): Rendered {
  const overridesByKey = new Map<string, EffectiveOverride[]>();
  for (const override of effective) {
    for (const key of new Set(selectorKeys(override.snapshot))) {
      overridesByKey.set(key, [...(overridesByKey.get(key) ?? []), override]);
    }
  }
  const plain: RenderedManifest[] = [];
  const wrapped: RenderedManifest[] = [];
  for (const selected of manifests) {
    const overridden = overrideObject(selected, overridesByKey);
    if (!overridden.ok) return overrideFailed(overridden);
    if (!overridden.manifest) continue;
    const opened = unpack(overridden.manifest);
    if (!opened) {
      plain.push(delivered(applicable(overridden.manifest)));
      continue;
    }
    if (!opened.ok) return { ok: false, reason: 'SyncWorkFailed', message: opened.message };
    for (const inside of opened.manifests) {
      const inner = overrideObject(inside, overridesByKey);
      if (!inner.ok) return overrideFailed(inner);
      if (inner.manifest) wrapped.push({ ...delivered(applicable(inner.manifest)), envelope: opened.envelope });
    }
  }
  const { first: all, duplicates } = withoutDuplicates([...plain, ...wrapped]);
  return {
    ok: true,
    duplicates,
    manifests: all.map((item) => ({ ...item, manifest: marked(item.manifest, placement, digest) })),
    digest: `sha256:${digest(all.map(({ manifest }) => digestOf(manifest, digest)).join('\n'))}`,
  };
}

function delivered(manifest: Manifest): RenderedManifest {
  const adapted = deliverable(manifest);
  return adapted === manifest ? { manifest } : { manifest: adapted, written: manifest };
}

type Overridden =
  | { readonly ok: true /** Absent: deleted. */; readonly manifest?: Manifest }
  | ({ readonly ok: false } & Failed);

function overrideObject(manifest: Manifest, overrides: ReadonlyMap<string, readonly EffectiveOverride[]>): Overridden {
  if (overrides.size === 0) return { ok: true, manifest };
  const keys = objectKeys(manifest);
  const applicable = [
    ...(overrides.get(keys.cluster) ?? []),
    ...(keys.namespaced === undefined ? [] : (overrides.get(keys.namespaced) ?? [])),
  ];
  let current = manifest;
  for (const override of applicable) {
    const patched = applyOverride(override, current);
    const wrong = (message: string): { readonly ok: false } & Failed => ({
      ok: false,
      override: override.id,
      message: `override snapshot ${override.id} on ${describeObject(manifest)}: ${message}`,
    });
    if (!patched.ok) return wrong(patched.message);
    if (patched.value === undefined) return { ok: true };
    if (!sameObject(patched.value as Manifest, manifest))
      return wrong('apiVersion, kind, name and namespace must not change');
    const { labels, annotations } = (patched.value as Manifest).metadata;
    if (![labels, annotations].every(isMap))
      return wrong('labels and annotations must remain maps of names to strings');
    const fault = isNodePool(manifest) ? poolFault(patched.value as Manifest) : undefined;
    if (fault !== undefined) return { ...wrong(fault), pool: patched.value as Manifest };
    current = patched.value as Manifest;
  }
  return { ok: true, manifest: current };
}

/** To an API server null means absent. Any other value would become broken labels once ours are added to it. */
const isMap = (value: unknown): boolean => (typeof value === 'object' && !Array.isArray(value)) || value === undefined;

/** Paths that could change these are rejected at load, but a record written by hand is not checked. */
const sameObject = (a: Manifest, b: Manifest): boolean =>
  a?.apiVersion === b.apiVersion &&
  a.kind === b.kind &&
  a.metadata?.name === b.metadata.name &&
  a.metadata.namespace === b.metadata.namespace;
