import type { ClusterName, ObjectRef, PlacementKey } from '../api/meta.ts';
import { type PlacementRef, placementKey } from '../api/placement.ts';
import type { PlanResult } from '../engine/plan.ts';
import { refOfManifest } from '../engine/selection/object-key.ts';
import {
  type Difference,
  differenceOf,
  differencesBetween,
  type Held,
  type HeldByCluster,
  heldAfter,
  heldWhere,
  isSameObject,
} from './held-objects.ts';
import type { InSteps } from './steps.ts';

/** Clusters that would get or lose something without a change, and with it end with what they have now of that. */
export interface Withheld {
  readonly placement: PlacementRef;
  readonly clusters: readonly ClusterName[];
  /** They have all of what they have of the placement now until the end, and nothing else of it on the way. */
  readonly areKept: boolean;
  /** Without the change they would lose all of the placement. */
  readonly lose?: true;
  /** What ends as it is now, where other objects of the placement do not. */
  readonly objects?: readonly ObjectRef[];
}

interface Ends {
  readonly before: HeldByCluster;
  /** Without the change. */
  readonly usual: HeldByCluster;
  readonly after: HeldByCluster;
}

/** `differing`: in what the two ends differ. `results`: plans on the way; refused ones change nothing. */
export function* withheldIn(
  { before, usual, after }: Ends,
  differing: ReadonlyMap<ClusterName, Difference>,
  results: readonly PlanResult[],
): InSteps<readonly Withheld[]> {
  const found = [...differing].flatMap(([cluster, difference]) => {
    const ends = [before, usual, after].map((held) => held.get(cluster));
    const [was, would, is] = ends;
    return placementsOf(difference, ends).flatMap(([key, placement]) => {
      const objects = objectsOf(difference, key, ends);
      if (was?.placements.has(key) !== is?.placements.has(key)) return [];
      if (objects.some((object) => !isSameObject(was?.objects.get(object), is?.objects.get(object)))) return [];
      const changes = differenceOf(was, is);
      const isWhole = changes === undefined || !isOf(changes, key, ends);
      const loses = was?.placements.has(key) === true && would?.placements.has(key) !== true;
      const partly = isWhole ? {} : { objects: refsOf(objects, ends) };
      return [{ cluster, key, placement, ...(loses && { lose: true as const }), ...partly }];
    });
  });
  const kept = new Set(found.flatMap(({ cluster, key, objects }) => (objects ? [] : [`${key} ${cluster}`])));
  const isKept = (key: PlacementKey, cluster: ClusterName): boolean => kept.has(`${key} ${cluster}`);
  const own = heldWhere(before, isKept);
  for (const result of results) {
    if (kept.size === 0) break;
    if (result.plan.guard.length > 0) continue;
    yield;
    const held = heldAfter(result, before, isKept);
    const differences = differencesBetween(own, held);
    for (const { cluster, key } of found) {
      const difference = differences.get(cluster);
      if (difference && isOf(difference, key, [before.get(cluster), held.get(cluster)]))
        kept.delete(`${key} ${cluster}`);
    }
  }
  const all = found.map(({ cluster, key, ...of }) => ({ cluster, of: { ...of, areKept: isKept(key, cluster) } }));
  return [...Map.groupBy(all, ({ of }) => JSON.stringify(of)).values()].map((group) => ({
    ...group[0]!.of,
    clusters: group.map(({ cluster }) => cluster).sort(),
  }));
}

type OfCluster = readonly (Held | undefined)[];

const isOf = (difference: Difference, key: PlacementKey, ends: OfCluster): boolean =>
  difference.placements.has(key) || objectsOf(difference, key, ends).length > 0;

/** Objects of a placement at either end, by key. */
const objectsOf = ({ objects }: Difference, key: PlacementKey, ends: OfCluster): string[] =>
  [...objects].filter((object) =>
    ends.some((held) => {
      const placement = held?.objects.get(object)?.placement;
      return placement !== undefined && placementKey(placement) === key;
    }),
  );

function placementsOf({ objects, placements }: Difference, ends: OfCluster): readonly [PlacementKey, PlacementRef][] {
  const found = ends.flatMap((held) => [
    ...[...placements].flatMap((key) => held?.placements.get(key) ?? []),
    ...[...objects].flatMap((object) => held?.objects.get(object)?.placement ?? []),
  ]);
  return [...new Map(found.map((placement) => [placementKey(placement), placement]))];
}

const refsOf = (objects: readonly string[], ends: OfCluster): ObjectRef[] =>
  objects.flatMap((object) => {
    const held = ends.flatMap((end) => end?.objects.get(object) ?? []);
    return held.length === 0 ? [] : [refOfManifest(held[0]!.manifest)];
  });
