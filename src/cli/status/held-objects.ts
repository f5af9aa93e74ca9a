import type { Binding } from '../../api/placement-state.ts';
import type { FleetRecord } from '../../engine/input.ts';
import { type Rendered, type RenderedManifest, render } from '../../engine/overrides/render.ts';
import { idsOf, type RecordedLists } from '../../engine/overrides/snapshot-id.ts';
import { keyOfManifest } from '../../engine/selection/object-key.ts';
import { sha256 } from '../../repo/sha256.ts';
import type { KnownPlacement } from './known-placements.ts';

/** One object that a cluster is given, and what made it look like that. */
export interface HeldObject extends RenderedManifest {
  /** Ids of the override snapshots without which it would look otherwise. */
  readonly overrides: readonly string[];
  /** Those overrides leave it out on this cluster. */
  readonly dropped: boolean;
}

/**
 * What a binding gives its cluster, in the order of the snapshot; empty before a rollout gave it a snapshot. Where an override
 * fails, it is what the cluster would get without overrides: they leave nothing out, and nothing of it comes there.
 */
export function heldObjects(placement: KnownPlacement, binding: Binding, record: FleetRecord): HeldObject[] {
  const rendered = (lists: RecordedLists): readonly RenderedManifest[] =>
    manifestsOf(renderedWith(lists, { placement, binding, record }));
  const given = renderedWith(binding, { placement, binding, record });
  if (given?.ok === false) return rendered({}).map((held) => ({ ...held, overrides: [], dropped: false }));
  const whole = manifestsOf(given);
  const wholeTexts = textsOf(whole);
  const without = idsOf(binding).map((id) => ({ id, texts: textsOf(rendered(listsWithout(binding, id))) }));
  const dropped = rendered({}).filter((held) => !wholeTexts.has(keyOfManifest(held.manifest)));
  return [...whole, ...dropped].map((held) => {
    const identity = keyOfManifest(held.manifest);
    return {
      ...held,
      overrides: without.flatMap(({ id, texts }) => (texts.get(identity) === wholeTexts.get(identity) ? [] : [id])),
      dropped: !wholeTexts.has(identity),
    };
  });
}

function renderedWith(
  lists: RecordedLists,
  of: { readonly placement: KnownPlacement; readonly binding: Binding; readonly record: FleetRecord },
): Rendered | undefined {
  const { kind, name, namespace, snapshots } = of.placement;
  const { resourceSnapshotIndex, state, targetCluster } = of.binding;
  if (resourceSnapshotIndex === undefined || state === 'Scheduled') return undefined;
  return render({
    placement: { kind, name, ...(namespace === undefined ? {} : { namespace }) },
    manifests: snapshots.get(resourceSnapshotIndex) ?? [],
    lists,
    history: of.record.overrides,
    cluster: { name: targetCluster, labels: of.record.clusters.get(targetCluster)?.metadata.labels },
    digest: sha256,
  });
}

const manifestsOf = (rendered: Rendered | undefined): readonly RenderedManifest[] =>
  rendered?.ok ? rendered.manifests : [];

const listsWithout = (lists: RecordedLists, id: string): RecordedLists => ({
  clusterResourceOverrideSnapshots: lists.clusterResourceOverrideSnapshots?.filter((name) => name !== id),
  resourceOverrideSnapshots: lists.resourceOverrideSnapshots?.filter(
    (ref) => !idsOf({ resourceOverrideSnapshots: [ref] }).includes(id),
  ),
});

const textsOf = (held: readonly RenderedManifest[]): ReadonlyMap<string, string> =>
  new Map(held.map(({ manifest }) => [keyOfManifest(manifest), JSON.stringify(manifest)]));
