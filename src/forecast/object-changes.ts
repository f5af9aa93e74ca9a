import type { ClusterName, Manifest, ObjectRef, PlacementKey } from '../api/meta.ts';
import { type PlacementRef, placementKey } from '../api/placement.ts';
import { isFields } from '../engine/kernel/fields.ts';
import { by } from '../engine/kernel/ordering.ts';
import { objectKey, refOfManifest } from '../engine/selection/object-key.ts';
import { changeOf, type ManifestChange } from '../repo/diff/change.ts';
import { type HeldByCluster, type HeldObject, nothing, textOf } from './held-objects.ts';
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
  /** `release`: it stays, and is no longer managed. `move`: only its placement is another one. */
  readonly action: 'remove' | 'release' | 'move' | 'change' | 'add';
  readonly placement: PlacementRef;
  /** Of a move, or a change: the placement from which `placement` takes it over. */
  readonly from?: PlacementRef;
  /** Of a release: the placement that it is left to, and that takes it over with its next rollout. */
  readonly to?: PlacementRef;
  /** Of a release: the placement that wants something in it, a Namespace or CustomResourceDefinition. */
  readonly keptFor?: PlacementRef;
  readonly object: ObjectRef;
  readonly clusters: readonly ClusterName[];
  /** Unified, with values of Secrets left out. Empty of a removal of contents that differ from cluster to cluster. */
  readonly diff: string;
}

export interface ObjectChanges {
  /** Placements that gain or lose clusters, or whose objects change, by name. */
  readonly placements: readonly PlacementEffect[];
  /**
   * Removals, then releases, moves, changes and additions; equal ones of several clusters are one, and so are removals of one object,
   * whatever each cluster has of it.
   */
  readonly changes: readonly ObjectChange[];
  /** Objects that stay on clusters and are no longer managed: their cluster left, or their placement abandons them. */
  readonly released: number;
  /** Objects that another placement takes over as they are. */
  readonly moved: number;
}

/** What becomes of objects that a placement no longer has on a cluster. Otherwise they are removed. */
export interface Leaving {
  /** Objects of a placement that is gone are released. */
  readonly stays: (placement: PlacementRef, cluster: ClusterName) => boolean;
  /** The placement for which it releases an object. */
  readonly taker: Successor;
  /** The placement that needs it to stay. */
  readonly keeper: Successor;
}

type Successor = (
  placement: PlacementRef,
  on: { readonly cluster: ClusterName; readonly object: string },
) => PlacementRef | undefined;

/** Changes between what clusters hold before and after, one at a time. */
export function* compared(before: HeldByCluster, after: HeldByCluster, leaving: Leaving): InSteps<ObjectChanges> {
  const effects = effectsByPlacement();
  const changeBetween = changesByText();
  const groups = new Map<string, Omit<ObjectChange, 'diff'> & { readonly clusters: ClusterName[]; diff: string }>();
  let released = 0;
  let moved = 0;
  const add = (change: ObjectChange, cluster: ClusterName): void => {
    const { action, placement, object, from, to, keptFor, diff } = change;
    if (action === 'release') released += 1;
    else effects.count(placement, cluster, action);
    if (action === 'move') moved += 1;
    const others = [from, to, keptFor].map((of) => (of ? placementKey(of) : ''));
    const id = [placementKey(placement), objectKey(object), action, ...others, action === 'remove' ? '' : diff].join(
      ' ',
    );
    const group = groups.get(id);
    if (group === undefined) groups.set(id, { ...change, clusters: [cluster] });
    else {
      group.clusters.push(cluster);
      if (group.diff !== diff) group.diff = '';
    }
  };
  for (const clusterName of [...new Set([...before.keys(), ...after.keys()])].sort()) {
    const was = before.get(clusterName) ?? nothing;
    const is = after.get(clusterName) ?? nothing;
    for (const [key, placement] of is.placements)
      if (!was.placements.has(key)) effects.of(placement).gains.push(clusterName);
    for (const [key, placement] of was.placements)
      if (!is.placements.has(key)) effects.of(placement).loses.push(clusterName);
    for (const key of new Set([...was.objects.keys(), ...is.objects.keys()])) {
      const [old, now] = [was.objects.get(key), is.objects.get(key)];
      const object = refOfManifest((now ?? old)!.manifest);
      const keeps = old !== undefined && now !== undefined && isWantedBy(old.placement, now);
      const isElsewhere = old !== undefined && !keeps && (now === undefined || !isWantedBy(now.placement, old));
      const on = { cluster: clusterName, object: key };
      const to = isElsewhere ? leaving.taker(old.placement, on) : undefined;
      const stays = isElsewhere && (to !== undefined || leaving.stays(old.placement, clusterName));
      const keptFor = isElsewhere && !stays ? leaving.keeper(old.placement, on) : undefined;
      const isReleased = stays || keptFor !== undefined;
      const of = { object, clusters: [] };
      if (old && isElsewhere && now === undefined && isReleased) {
        const whom = { ...(to && { to }), ...(keptFor && { keptFor }) };
        add({ ...of, action: 'release', placement: old.placement, ...whom, diff: '' }, clusterName);
        continue;
      }
      // What nothing keeps there is removed, and created anew.
      const isNew = old === undefined || (isElsewhere && !isReleased);
      if (old && isNew) {
        const shared = yield* changeBetween(old.manifest, undefined);
        if (shared) add({ ...of, action: 'remove', placement: old.placement, diff: shared.diff }, clusterName);
      }
      if (now === undefined) continue;
      const shown = isNew ? undefined : comparable(old, now.manifest);
      const shared = yield* changeBetween(shown, now.manifest);
      const { placement } = keeps ? old : now;
      const from = isElsewhere && !isNew ? { from: old.placement } : {};
      if (shared) add({ ...of, ...from, action: isNew ? 'add' : 'change', placement, diff: shared.diff }, clusterName);
      else if (from.from) add({ ...of, ...from, action: 'move', placement, diff: '' }, clusterName);
    }
  }
  const order = { remove: 0, release: 1, move: 2, change: 3, add: 4 } as const;
  const changes = [...groups.values()].sort(
    by(({ action, placement, object }) =>
      [order[action], placementKey(placement), object.kind, object.namespace ?? '', object.name].join(' '),
    ),
  );
  return { placements: effects.all(), changes, released, moved };
}

/** Of an object that was rebuilt from its cluster without the fields that neither the repo nor the change has: servers added them. */
function comparable({ manifest, rebuilt }: HeldObject, next: Manifest): Manifest {
  return rebuilt?.written === undefined ? manifest : (onlyFieldsOf([rebuilt.written, next], manifest) as Manifest);
}

function onlyFieldsOf(others: readonly unknown[], shown: unknown): unknown {
  if (Array.isArray(shown)) {
    const lists = others.filter((other) => Array.isArray(other));
    const isAlike = lists.length > 0 && lists.every(({ length }) => length === shown.length);
    return isAlike
      ? shown.map((item, at) =>
          onlyFieldsOf(
            lists.map((list) => list[at]),
            item,
          ),
        )
      : shown;
  }
  const fields = others.filter(isFields);
  if (!isFields(shown) || fields.length === 0) return shown;
  return Object.fromEntries(
    Object.entries(shown).flatMap(([key, value]) => {
      const own = fields.flatMap((of) => (Object.hasOwn(of, key) ? [of[key]] : []));
      return own.length === 0 ? [] : [[key, onlyFieldsOf(own, value)]];
    }),
  );
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
      else if (action === 'add') effect.added += 1;
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

const isWantedBy = (placement: PlacementRef, { placement: own, others = [] }: HeldObject): boolean =>
  [own, ...others].some((of) => placementKey(of) === placementKey(placement));

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
