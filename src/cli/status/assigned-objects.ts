import type { Binding } from '../../api/placement-state.ts';
import type { FleetRecord } from '../../engine/input.ts';
import { type Rendered, type RenderedManifest, render } from '../../engine/overrides/render.ts';
import { idsOf, type RecordedLists } from '../../engine/overrides/snapshot-id.ts';
import { keyOfManifest } from '../../engine/selection/object-key.ts';
import { sha256 } from '../../repo/sha256.ts';
import type { KnownPlacement } from './known-placements.ts';

/** One object that a cluster gets, with the overrides that changed it. */
export interface AssignedObject extends RenderedManifest {
  /** Ids of the override snapshots that change it. */
  readonly overrides: readonly string[];
  /** The overrides leave it out on this cluster. */
  readonly dropped: boolean;
}

/**
 * The objects that a binding assigns to its cluster, in the order of the snapshot; empty before the first rollout. Where an
 * override fails, nothing is applied; the list then has the objects without overrides.
 */
export function assignedObjects(placement: KnownPlacement, binding: Binding, record: FleetRecord): AssignedObject[] {
  const rendered = (lists: RecordedLists): readonly RenderedManifest[] =>
    manifestsOf(renderedWith(lists, { placement, binding, record }));
  const given = renderedWith(binding, { placement, binding, record });
  if (given?.ok === false) return rendered({}).map((object) => ({ ...object, overrides: [], dropped: false }));
  const whole = manifestsOf(given);
  const wholeTexts = textsOf(whole);
  const without = idsOf(binding).map((id) => ({ id, texts: textsOf(rendered(listsWithout(binding, id))) }));
  const dropped = rendered({}).filter((object) => !wholeTexts.has(keyOfManifest(object.manifest)));
  return [...whole, ...dropped].map((object) => {
    const identity = keyOfManifest(object.manifest);
    return {
      ...object,
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

const textsOf = (objects: readonly RenderedManifest[]): ReadonlyMap<string, string> =>
  new Map(objects.map(({ manifest }) => [keyOfManifest(manifest), JSON.stringify(manifest)]));
