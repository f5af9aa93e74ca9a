import type { ClusterName, Manifest, ObjectRef, PlacementKey } from '../api/meta.ts';
import { type PlacementRef, placementKey } from '../api/placement.ts';
import { by } from '../engine/kernel/ordering.ts';
import { refOfManifest } from '../engine/selection/object-key.ts';
import { changeOf, type ManifestChange } from '../repo/diff/change.ts';
import { type HeldByCluster, nothing, textOf } from './held-objects.ts';
import type { InSteps } from './steps.ts';

export interface PlacementEffect {
  readonly placement: PlacementRef;
  readonly gains: readonly ClusterName[];
  readonly loses: readonly ClusterName[];
  /** Objects, counted on each cluster. */
  readonly removed: number;
  readonly changed: number;
  readonly added: number;
  /** Clusters on which anything changes. */
  readonly clusters: readonly ClusterName[];
}

export interface ObjectChange {
  /** `release`: it stays, and is no longer managed. */
  readonly action: 'remove' | 'release' | 'change' | 'add';
  readonly placement: PlacementRef;
  readonly object: ObjectRef;
  readonly clusters: readonly ClusterName[];
  /** Unified, with values of Secrets left out. */
  readonly diff: string;
}

export interface ObjectChanges {
  /** Placements that gain or lose clusters, or whose objects change, by name. */
  readonly placements: readonly PlacementEffect[];
  /** Removals, then releases, changes and additions; equal ones of several clusters are one. */
  readonly changes: readonly ObjectChange[];
  /** Objects that stay on clusters and are no longer managed: their cluster left, or their placement abandons them. */
  readonly released: number;
}

/** Changes between what clusters hold before and after, one at a time. `stays`: objects of a placement that is gone are released. */
export function* compared(
  before: HeldByCluster,
  after: HeldByCluster,
  stays: (placement: PlacementRef, cluster: ClusterName) => boolean,
): InSteps<ObjectChanges> {
  const effects = effectsByPlacement();
  const changeBetween = changesByText();
  const groups = new Map<string, ObjectChange & { readonly clusters: ClusterName[] }>();
  let released = 0;
  for (const clusterName of [...new Set([...before.keys(), ...after.keys()])].sort()) {
    const was = before.get(clusterName) ?? nothing;
    const is = after.get(clusterName) ?? nothing;
    for (const [key, placement] of is.placements)
      if (!was.placements.has(key)) effects.of(placement).gains.push(clusterName);
    for (const [key, placement] of was.placements)
      if (!is.placements.has(key)) effects.of(placement).loses.push(clusterName);
    for (const object of new Set([...was.objects.keys(), ...is.objects.keys()])) {
      const [old, now] = [was.objects.get(object), is.objects.get(object)];
      const { placement, manifest } = (now ?? old)!;
      const isReleased = now === undefined && stays(placement, clusterName);
      const shared = isReleased ? { diff: '' } : yield* changeBetween(old?.manifest, now?.manifest);
      if (shared === undefined) continue;
      const action = isReleased ? 'release' : old === undefined ? 'add' : now === undefined ? 'remove' : 'change';
      if (action === 'release') released += 1;
      else effects.count(placement, clusterName, action);
      const id = `${placementKey(placement)} ${object} ${action} ${shared.diff}`;
      const group = groups.get(id);
      if (group) group.clusters.push(clusterName);
      else
        groups.set(id, {
          action,
          placement,
          object: refOfManifest(manifest),
          clusters: [clusterName],
          diff: shared.diff,
        });
    }
  }
  const order = { remove: 0, release: 1, change: 2, add: 3 } as const;
  const changes = [...groups.values()].sort(
    by(({ action, placement, object }) =>
      [order[action], placementKey(placement), object.kind, object.namespace ?? '', object.name].join(' '),
    ),
  );
  return { placements: effects.all(), changes, released };
}

function effectsByPlacement() {
  type Mutable = {
    -readonly [K in keyof PlacementEffect]: PlacementEffect[K] extends readonly (infer T)[] ? T[] : PlacementEffect[K];
  };
  const effects = new Map<PlacementKey, Mutable>();
  const touched = new Map<PlacementKey, Set<ClusterName>>();
  const of = (placement: PlacementRef): Mutable => {
    const key = placementKey(placement);
    const known = effects.get(key) ?? {
      placement,
      gains: [],
      loses: [],
      removed: 0,
      changed: 0,
      added: 0,
      clusters: [],
    };
    effects.set(key, known);
    return known;
  };
  return {
    of,
    count(placement: PlacementRef, cluster: ClusterName, action: Exclude<ObjectChange['action'], 'release'>): void {
      const effect = of(placement);
      if (action === 'remove') effect.removed += 1;
      else if (action === 'change') effect.changed += 1;
      else effect.added += 1;
      const key = placementKey(placement);
      touched.set(key, (touched.get(key) ?? new Set()).add(cluster));
    },
    all: (): readonly PlacementEffect[] =>
      [...effects]
        .map(([key, effect]) => ({
          ...effect,
          clusters: [...new Set([...(touched.get(key) ?? []), ...effect.gains, ...effect.loses])].sort(),
        }))
        .sort(by(({ placement }) => placementKey(placement))),
  };
}

/** Writing this much as YAML may take 0.5 s (20,000 short fields), while nothing else runs; and such a diff is too long for a comment. */
const mostCharacters = 256_000;

/** Changes by both texts: most clusters of a placement hold the same. */
function changesByText() {
  const known = new Map<string, ManifestChange | undefined>();
  return function* (before: Manifest | undefined, after: Manifest | undefined): InSteps<ManifestChange | undefined> {
    if (before === after) return undefined;
    const key = `${before ? textOf(before) : ''}\n${after ? textOf(after) : ''}`;
    if (!known.has(key)) {
      known.set(key, changeOf(before, after, { mostCharacters }));
      yield;
    }
    return known.get(key);
  };
}
