import type { ClusterName, Manifest, PlacementKey } from '../api/meta.ts';
import { type PlacementRef, placementKey, refNamed } from '../api/placement.ts';
import { recordedContent, targetContent } from '../engine/delivery/target-content.ts';
import { canonicalJson } from '../engine/kernel/canonical-json.ts';
import { memoize } from '../engine/kernel/memoize.ts';
import type { PlanResult } from '../engine/plan.ts';
import { keyOfManifest } from '../engine/selection/object-key.ts';
import { placementTargets } from '../engine/target-kinds.ts';

export interface HeldObject {
  readonly placement: PlacementRef;
  readonly manifest: Manifest;
}

/** What a cluster holds of the fleet, by object; and its placements, also those without objects. */
export interface Held {
  readonly objects: Map<string, HeldObject>;
  readonly placements: Map<PlacementKey, PlacementRef>;
}

export type HeldByCluster = ReadonlyMap<ClusterName, Held>;

const heldOn = (held: Map<ClusterName, Held>, cluster: ClusterName): Held => {
  const known = held.get(cluster) ?? { objects: new Map(), placements: new Map() };
  held.set(cluster, known);
  return known;
};

export function heldBefore({ contents }: PlanResult): HeldByCluster {
  const held = new Map<ClusterName, Held>();
  for (const [key, { state }] of contents.world.record.placements)
    for (const { targetCluster, resourceSnapshotIndex, deleting } of state.bindings) {
      if (resourceSnapshotIndex === undefined || deleting) continue;
      const clusterName = targetCluster as ClusterName;
      const placement = refNamed(state.metadata);
      const on = heldOn(held, clusterName);
      on.placements.set(key, placement);
      const target = { clusterName, placement, resourceSnapshotIndex, remove: false, objects: [] };
      for (const manifest of recordedContent(contents, target))
        on.objects.set(keyOfManifest(manifest), { placement, manifest });
    }
  return held;
}

export function heldAfter({ plan, contents }: PlanResult, before: HeldByCluster): HeldByCluster {
  const held = new Map<ClusterName, Held>();
  for (const target of placementTargets(plan.targets)) {
    if (target.remove) continue;
    const { clusterName, placement } = target;
    const key = placementKey(placement);
    const on = heldOn(held, clusterName);
    on.placements.set(key, placement);
    const content = targetContent(contents, target);
    if (content && !content.leaveAlone)
      for (const { manifest } of content.manifests) on.objects.set(keyOfManifest(manifest), { placement, manifest });
    else
      for (const [object, kept] of before.get(clusterName)?.objects ?? [])
        if (placementKey(kept.placement) === key) on.objects.set(object, kept);
  }
  return held;
}

export const nothing: Held = { objects: new Map(), placements: new Map() };

/** Clusters on which two ends differ, by placement. */
export function differingClusters(
  one: HeldByCluster,
  other: HeldByCluster,
): ReadonlyMap<PlacementKey, Set<ClusterName>> {
  const differing = new Map<PlacementKey, Set<ClusterName>>();
  for (const cluster of new Set([...one.keys(), ...other.keys()])) {
    const [a, b] = [one.get(cluster) ?? nothing, other.get(cluster) ?? nothing];
    const differs = (key: PlacementKey) => differing.set(key, (differing.get(key) ?? new Set()).add(cluster));
    for (const key of new Set([...a.placements.keys()]).symmetricDifference(new Set(b.placements.keys()))) differs(key);
    for (const object of new Set([...a.objects.keys(), ...b.objects.keys()])) {
      const [was, is] = [a.objects.get(object), b.objects.get(object)];
      const places = [was, is].flatMap((held) => (held ? [placementKey(held.placement)] : []));
      const isSame = was && is && places[0] === places[1] && sameManifest(was.manifest, is.manifest);
      if (!isSame) for (const key of places) differs(key);
    }
  }
  return differing;
}

const sameManifest = (a: Manifest, b: Manifest): boolean => a === b || textOf(a) === textOf(b);

/** What clusters hold of these placements. */
export const heldOnlyOf = (
  held: HeldByCluster,
  placements: ReadonlyMap<PlacementKey, ReadonlySet<ClusterName>>,
): HeldByCluster =>
  new Map(
    [...held].map(([cluster, of]) => {
      const isWanted = (key: PlacementKey): boolean => placements.get(key)?.has(cluster) === true;
      return [
        cluster,
        {
          objects: new Map([...of.objects].filter(([, { placement }]) => isWanted(placementKey(placement)))),
          placements: new Map([...of.placements].filter(([key]) => isWanted(key))),
        },
      ];
    }),
  );

/** Canonical JSON of a manifest. */
export const textOf = memoize((manifest: Manifest) => canonicalJson(manifest));
