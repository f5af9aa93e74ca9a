import type { ClusterName, Manifest } from '../../api/meta.ts';
import { type PlacementRef, placementKey } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import { memoize } from '../kernel/memoize.ts';
import { type Duplicate, withoutDuplicates } from '../selection/duplicates.ts';
import { type EnvelopeRef, unpack } from '../selection/envelope.ts';
import { describeObject } from '../selection/group-version.ts';
import { applicable } from '../selection/normalise.ts';
import { applyOverride, type EffectiveOverride, effectiveOn } from './effective.ts';
import { lookupOf, type OverrideCluster, objectKeys, selectorKeys } from './lookup.ts';
import { digestOf, marked } from './ownership.ts';
import { idsOf, type RecordedLists } from './snapshot-id.ts';
import { hashOfSpec, type OverrideHistory } from './snapshots.ts';

/** One object as a member gets it, and the envelope it came in. */
export interface RenderedManifest {
  readonly manifest: Manifest;
  readonly envelope?: EnvelopeRef;
}

export type Rendered =
  | {
      readonly ok: true;
      /** Selected objects in snapshot order, then the contents of each envelope. Shared by clusters that get the same. */
      readonly manifests: readonly RenderedManifest[];
      /** Further manifests of objects that are among these; they are not applied. */
      readonly duplicates: readonly Duplicate<RenderedManifest>[];
      /** `sha256:` and hex, of the manifests in order. */
      readonly digest: string;
    }
  /**
   * OverriddenFailed: the binding's Overridden is False and its cluster keeps what it has. SyncWorkFailed: an envelope
   * cannot be unpacked, or the contents are lost; WorkSynchronized is False. Neither goes away without a change of files or labels.
   */
  | { readonly ok: false; readonly reason: 'OverriddenFailed' | 'SyncWorkFailed'; readonly message: string };

/**
 * `render` where the history of the overrides and the members are known. `labels`: others than the member has now, and than a
 * binding holds on to.
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
  /** Contents of the resource snapshot that the binding stands on. */
  readonly manifests: readonly Manifest[];
  /** What the binding carries. */
  readonly lists: RecordedLists;
  readonly history: OverrideHistory;
  readonly cluster: OverrideCluster;
  readonly digest: (text: string) => string;
}

/**
 * What a member gets of a snapshot: overrides applied (cluster ones in list order, then namespaced ones, to envelopes and
 * to what is in them), envelopes unpacked, every object marked as ours (KubeFleet workgenerator override.go, envelope.go).
 * An object that an override drops stays dropped: later overrides do not see it. Clusters for which the same rules with
 * the same texts apply share one result; it is remembered as long as `manifests` lives.
 */
export function render(request: RenderRequest): Rendered {
  const { placement, manifests, lists, history, cluster, digest } = request;
  const { byId } = lookupOf(history);
  const effective: EffectiveOverride[] = [];
  for (const id of idsOf(lists)) {
    const snapshot = byId.get(id);
    if (!snapshot)
      return failed('OverriddenFailed', `override snapshot ${id} is not found; a newer one has replaced it`);
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
/** Labels that keep changing under one snapshot must not fill the memory; a fleet with a variant per cluster must fit. */
const mostVariants = 20_000;

const failed = (reason: 'OverriddenFailed' | 'SyncWorkFailed', message: string): Rendered => ({
  ok: false,
  reason,
  message,
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
    if (!overridden.ok) return failed('OverriddenFailed', overridden.message);
    if (!overridden.manifest) continue;
    const opened = unpack(overridden.manifest);
    if (!opened) {
      plain.push({ manifest: applicable(overridden.manifest) });
      continue;
    }
    if (!opened.ok) return failed('SyncWorkFailed', opened.message);
    for (const inside of opened.manifests) {
      const inner = overrideObject(inside, overridesByKey);
      if (!inner.ok) return failed('OverriddenFailed', inner.message);
      if (inner.manifest) wrapped.push({ manifest: applicable(inner.manifest), envelope: opened.envelope });
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

type Overridden =
  | { readonly ok: true /** Absent: dropped. */; readonly manifest?: Manifest }
  | { readonly ok: false; readonly message: string };

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
    const wrong = (message: string): Overridden => ({
      ok: false,
      message: `override snapshot ${override.id} on ${describeObject(manifest)}: ${message}`,
    });
    if (!patched.ok) return wrong(patched.message);
    if (patched.value === undefined) return { ok: true };
    if (!sameObject(patched.value as Manifest, manifest))
      return wrong('apiVersion, kind, name and namespace must stay');
    const { labels, annotations } = (patched.value as Manifest).metadata;
    if (![labels, annotations].every(isMap)) return wrong('labels and annotations must stay maps of names to texts');
    current = patched.value as Manifest;
  }
  return { ok: true, manifest: current };
}

/** Null is as good as none to an API server; what is neither would become labels that nobody wrote when ours come beside it. */
const isMap = (value: unknown): boolean => (typeof value === 'object' && !Array.isArray(value)) || value === undefined;

/** Paths that could change these are refused when the file is loaded; a record written by hand has seen no such check. */
const sameObject = (a: Manifest, b: Manifest): boolean =>
  a?.apiVersion === b.apiVersion &&
  a.kind === b.kind &&
  a.metadata?.name === b.metadata.name &&
  a.metadata.namespace === b.metadata.namespace;
