import type { ClusterName } from '../api/meta.ts';
import { type PlacementRef, placementKey, refNamed } from '../api/placement.ts';
import { askForeign } from '../engine/bindings/foreign-objects.ts';
import type { PlanContents } from '../engine/delivery/plan-contents.ts';
import { recordedContent } from '../engine/delivery/target-content.ts';
import { containersOf, contentOf } from '../engine/selection/containers.ts';
import { firstNames, foreignText, isForeignContent } from '../engine/selection/foreign-content.ts';
import { listedObjects } from '../engine/selection/listed-objects.ts';
import { describeRef, refOfManifest } from '../engine/selection/object-key.ts';
import type { HeldObject, KeptObject } from './held-objects.ts';
import { successorsIn } from './taken-over.ts';

/**
 * Namespaces and CustomResourceDefinitions that a placement lets go of on a cluster, and that stay there until a RemovalApproval, since
 * they contain what another placement has there by the record. `was`: what the cluster has of the placement, by object; `left`: keys of
 * what it keeps. Objects that no placement has are not known here.
 */
export function heldByContents(
  contents: PlanContents,
  {
    placement,
    cluster,
    was,
    left,
  }: {
    readonly placement: PlacementRef;
    readonly cluster: ClusterName;
    readonly was: ReadonlyMap<string, HeldObject>;
    readonly left: { readonly has: (object: string) => boolean };
  },
): readonly KeptObject[] {
  const { taker, keeper } = successorsIn(contents);
  const snapshots = contents.works.get(placementKey(placement))?.contents ?? new Map();
  const kept = [...was].flatMap(([object, held]): KeptObject[] => {
    const container = left.has(object) ? undefined : contentOf(object, snapshots);
    const on = { cluster, object };
    if (container === undefined || taker(placement, on) !== undefined || keeper(placement, on) !== undefined) return [];
    const names = foreignIn(contents, { placement, cluster, container });
    const message = foreignText(refOfManifest(held.manifest), firstNames(names), names.length);
    return names.length === 0 ? [] : [{ cluster, held, message }];
  });
  if (kept.length === 0) return [];
  const foreign = kept.map(({ held, message }) => ({
    object: refOfManifest(held.manifest),
    result: 'ContainsForeignObjects' as const,
    message,
  }));
  return askForeign({ clusterName: cluster, placement, foreign }, contents.world.input).approved ? [] : kept;
}

function foreignIn(
  contents: PlanContents,
  of: { readonly placement: PlacementRef; readonly cluster: ClusterName; readonly container: string },
): string[] {
  const own = placementKey(of.placement);
  const names = new Set<string>();
  for (const [key, { state, snapshots }] of contents.world.record.placements) {
    if (key === own || !listedObjects(snapshots).refs.some((ref) => containersOf(ref).includes(of.container))) continue;
    const target = { clusterName: of.cluster, placement: refNamed(state.metadata), remove: false, objects: [] };
    for (const manifest of recordedContent(contents, target)) {
      const ref = refOfManifest(manifest);
      if (containersOf(ref).includes(of.container) && isForeignContent(manifest)) names.add(describeRef(ref));
    }
  }
  return [...names];
}
