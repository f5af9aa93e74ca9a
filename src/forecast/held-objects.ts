import type { ClusterName, Manifest, PlacementKey } from '../api/meta.ts';
import { type PlacementRef, placementKey, refNamed } from '../api/placement.ts';
import type { PlanContents } from '../engine/delivery/plan-contents.ts';
import { stayingOn } from '../engine/delivery/staying-bindings.ts';
import { recordedContent, targetContent } from '../engine/delivery/target-content.ts';
import { canonicalJson } from '../engine/kernel/canonical-json.ts';
import { memoize } from '../engine/kernel/memoize.ts';
import type { RenderedManifest } from '../engine/overrides/render.ts';
import type { PlanResult } from '../engine/plan.ts';
import { isRebuilt } from '../engine/recovery/rebuilt-snapshot.ts';
import { keyOfManifest, objectKey } from '../engine/selection/object-key.ts';
import { placementTargets, removalTargets } from '../engine/target-kinds.ts';
import { type Refused, refusedIn } from './refused-objects.ts';
import { wantedOn } from './wanted-on.ts';

export interface HeldObject {
  readonly placement: PlacementRef;
  readonly manifest: Manifest;
  /**
   * Its snapshot was rebuilt from the cluster after the record was lost: `manifest` has what servers added, too. `written`: as the repo
   * has it for the cluster without the change.
   */
  readonly rebuilt?: { readonly written: Manifest | undefined };
  /** Other placements that want it there, too. */
  readonly others?: readonly PlacementRef[];
}

/** What a cluster holds of the fleet, by object; and its placements, also those without objects. */
export interface Held {
  readonly objects: Map<string, HeldObject>;
  readonly placements: Map<PlacementKey, PlacementRef>;
}

export type HeldByCluster = ReadonlyMap<ClusterName, Held>;

/** An object that a cluster keeps although its placement no longer has it there, and why. */
export interface KeptObject {
  readonly cluster: ClusterName;
  readonly held: HeldObject;
  readonly message: string;
}

/** A plan, and what members do not remove by it. */
export interface ForecastResult extends PlanResult {
  readonly kept?: readonly KeptObject[];
}

const heldOn = (held: Map<ClusterName, Held>, cluster: ClusterName): Held => {
  const known = held.get(cluster) ?? { objects: new Map(), placements: new Map() };
  held.set(cluster, known);
  return known;
};

/** Of placements that want the same object the last one counts. */
function hold(on: Held, placement: PlacementRef, manifest: Manifest, rebuilt?: HeldObject['rebuilt']): void {
  const key = keyOfManifest(manifest);
  const other = on.objects.get(key);
  on.objects.set(key, {
    placement,
    manifest,
    ...(rebuilt && { rebuilt }),
    ...(other && { others: [other.placement, ...(other.others ?? [])] }),
  });
}

/** `usual`: a plan without the change. */
export function heldBefore({ contents }: PlanResult, usual?: PlanResult): HeldByCluster {
  const held = new Map<ClusterName, Held>();
  for (const [key, { state }] of contents.world.record.placements)
    for (const { targetCluster, resourceSnapshotIndex, deleting } of state.bindings) {
      if (resourceSnapshotIndex === undefined || deleting) continue;
      const clusterName = targetCluster as ClusterName;
      const placement = refNamed(state.metadata);
      const on = heldOn(held, clusterName);
      on.placements.set(key, placement);
      const target = { clusterName, placement, resourceSnapshotIndex, remove: false, objects: [] };
      const written =
        usual && isRebuilt(state.resourceSnapshots, resourceSnapshotIndex)
          ? writtenOn(clusterName, wantedOn(usual, placement))
          : undefined;
      for (const manifest of recordedContent(contents, target))
        hold(on, placement, manifest, written && { written: written.get(keyOfManifest(manifest)) });
    }
  return held;
}

function writtenOn(cluster: ClusterName, wanted: ReturnType<typeof wantedOn>): ReadonlyMap<string, Manifest> {
  const rendered = wanted.get(cluster);
  return new Map(rendered?.ok ? rendered.manifests.map(({ manifest }) => [keyOfManifest(manifest), manifest]) : []);
}

type IsWanted = (placement: PlacementKey, cluster: ClusterName) => boolean;

/**
 * What is left of that where nothing else is given after plans that remove placements from clusters, which an eviction does. Refused
 * plans remove nothing.
 */
export function keptThrough(before: HeldByCluster, results: readonly PlanResult[]): HeldByCluster {
  const removed = new Set<string>();
  for (const { plan } of results)
    for (const { placement, clusterName } of plan.guard.length > 0 ? [] : removalTargets(plan.targets))
      removed.add(`${placementKey(placement)} ${clusterName}`);
  return removed.size === 0 ? before : heldWhere(before, (key, cluster) => !removed.has(`${key} ${cluster}`));
}

/** `before`: what clusters keep that are given nothing else. `isWanted`: those that are not are left out. */
export function heldAfter(
  result: ForecastResult,
  before: HeldByCluster,
  isWanted: IsWanted = () => true,
): HeldByCluster {
  const { plan, contents, kept = [] } = result;
  const refused = Map.groupBy(refusedIn(result), ({ target }) => target);
  const held = new Map<ClusterName, Held>();
  const keep = (cluster: ClusterName, key: PlacementKey): void => {
    const on = heldOn(held, cluster);
    for (const [object, kept] of before.get(cluster)?.objects ?? []) {
      if (placementKey(kept.placement) !== key) continue;
      const other = on.objects.get(object);
      on.objects.set(object, other ? { ...other, others: [kept.placement, ...(other.others ?? [])] } : kept);
    }
  };
  for (const target of placementTargets(plan.targets)) {
    if (target.remove) continue;
    const { clusterName, placement } = target;
    const key = placementKey(placement);
    if (!isWanted(key, clusterName)) continue;
    const on = heldOn(held, clusterName);
    on.placements.set(key, placement);
    const content = targetContent(contents, target);
    if (content && !content.leaveAlone && content.strategy.type !== 'ReportDiff')
      for (const { manifest } of accepted(content.manifests, refused.get(target))) hold(on, placement, manifest);
    else keep(clusterName, key);
  }
  for (const [cluster, { placements }] of before)
    for (const [key, placement] of placements) {
      if (held.get(cluster)?.placements.has(key) || !isWanted(key, cluster) || !isGiven(contents, cluster, key))
        continue;
      heldOn(held, cluster).placements.set(key, placement);
      keep(cluster, key);
    }
  for (const { cluster, held: object } of kept) {
    const key = placementKey(object.placement);
    if (!isWanted(key, cluster)) continue;
    const on = heldOn(held, cluster);
    on.placements.set(key, object.placement);
    on.objects.set(keyOfManifest(object.manifest), object);
  }
  return held;
}

/** Without objects that the cluster refuses. */
function accepted(manifests: readonly RenderedManifest[], refused: readonly Refused[] = []) {
  if (refused.length === 0) return manifests;
  const keys = new Set(refused.map(({ object }) => objectKey(object)));
  return manifests.filter(({ manifest }) => !keys.has(keyOfManifest(manifest)));
}

/** It has a snapshot. Without a target, what it is given cannot be rendered, and the cluster keeps what it has. */
const isGiven = ({ works, world }: PlanContents, cluster: ClusterName, key: PlacementKey): boolean => {
  const work = works.get(key);
  const binding = work && stayingOn(work).get(cluster);
  return binding?.resourceSnapshotIndex !== undefined && world.members.get(cluster)?.leaving === false;
};

export const nothing: Held = { objects: new Map(), placements: new Map() };

/** Objects by key, and placements that only one of two ends has. */
export interface Difference {
  readonly objects: ReadonlySet<string>;
  readonly placements: ReadonlySet<PlacementKey>;
}

/** In what two ends differ, by cluster; without clusters on which they are equal. */
export function differencesBetween(one: HeldByCluster, other: HeldByCluster): ReadonlyMap<ClusterName, Difference> {
  const differing = new Map<ClusterName, Difference>();
  for (const cluster of new Set([...one.keys(), ...other.keys()])) {
    const difference = differenceOf(one.get(cluster), other.get(cluster));
    if (difference) differing.set(cluster, difference);
  }
  return differing;
}

/** Undefined: none. */
export function differenceOf(a: Held = nothing, b: Held = nothing): Difference | undefined {
  const placements = new Set(a.placements.keys()).symmetricDifference(new Set(b.placements.keys()));
  const objects = new Set<string>();
  for (const [object, held] of a.objects) if (!isSameObject(held, b.objects.get(object))) objects.add(object);
  for (const object of b.objects.keys()) if (!a.objects.has(object)) objects.add(object);
  return placements.size + objects.size === 0 ? undefined : { objects, placements };
}

export function isSameObject(a: HeldObject | undefined, b: HeldObject | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  const [one, other] = [a.manifest, b.manifest];
  return placementKey(a.placement) === placementKey(b.placement) && (one === other || textOf(one) === textOf(other));
}

/** What clusters hold of that in which two ends differ. */
export const heldOnlyOf = (
  held: HeldByCluster,
  differences: ReadonlyMap<ClusterName, Difference>,
): ReadonlyMap<ClusterName, Held> =>
  new Map(
    [...held].flatMap(([cluster, { objects, placements }]) => {
      const of = differences.get(cluster);
      if (of === undefined) return [];
      const only = {
        objects: new Map([...objects].filter(([object]) => of.objects.has(object))),
        placements: new Map([...placements].filter(([key]) => of.placements.has(key))),
      };
      return [[cluster, only]];
    }),
  );

/** What clusters hold of some placements. */
export const heldWhere = (held: HeldByCluster, isWanted: IsWanted): HeldByCluster =>
  new Map(
    [...held].map(([cluster, { objects, placements }]) => [
      cluster,
      {
        objects: new Map([...objects].filter(([, { placement }]) => isWanted(placementKey(placement), cluster))),
        placements: new Map([...placements].filter(([key]) => isWanted(key, cluster))),
      },
    ]),
  );

/** Canonical JSON of a manifest. */
export const textOf = memoize((manifest: Manifest) => canonicalJson(manifest));
