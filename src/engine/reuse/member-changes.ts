import type { ClusterName, Manifest } from '../../api/meta.ts';
import type { ClusterObservation, PlacementObservation } from '../../api/observation.ts';
import { type PlacementRef, placementKey } from '../../api/placement.ts';

import type { PlanInput } from '../input.ts';
import { sameValue } from '../kernel/same-value.ts';
import { placementLabel } from '../overrides/ownership.ts';
import { keyOfManifest, objectKey } from '../selection/object-key.ts';

/** Differences between two observations of a member, without times. */
export interface MemberChanges {
  /** `kind key` of placements with another report. */
  readonly placements: ReadonlySet<string>;
  /** Values of the placement label on objects that were added, removed or changed. */
  readonly labels: ReadonlySet<string>;
  /** `keyOfManifest` of these objects. */
  readonly objects: ReadonlySet<string>;
}

type Observations = PlanInput['observations'];
type PodCause = NonNullable<ClusterObservation['podCauses']>[number];

/** Members whose observations differ; `whole` = anything may have changed. */
export function changedMembers(
  before: Observations,
  after: Observations,
): ReadonlyMap<ClusterName, MemberChanges | 'whole'> {
  const touched = new Map<ClusterName, MemberChanges | 'whole'>();
  for (const name of new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])) {
    const found = between(before?.get(name), after?.get(name));
    if (found) touched.set(name, found);
  }
  return touched;
}

/** Placements of both scopes may have one name. */
export const placementKindKey = (placement: PlacementRef): string => `${placement.kind} ${placementKey(placement)}`;

function between(
  before: ClusterObservation | undefined,
  after: ClusterObservation | undefined,
): MemberChanges | 'whole' | undefined {
  if (before === after) return undefined;
  if (!before || !after || before.reachable !== after.reachable || before.complete !== after.complete) return 'whole';
  const objects = new Map([
    ...withOtherCauses(before, after),
    ...differing(before.objects, after.objects, (object) => keyOfManifest(object)),
  ]);
  const placements = differing(before.placements, after.placements, ({ placement }) => placementKindKey(placement));
  if (objects.size === 0 && placements.size === 0) return undefined;
  return {
    placements: new Set(placements.keys()),
    objects: new Set(objects.keys()),
    labels: new Set([...objects.values()].flat().flatMap((object) => object.metadata.labels?.[placementLabel] ?? [])),
  };
}

/** Workloads whose pods wait for something else than before. */
function withOtherCauses(
  { podCauses: before = [] }: ClusterObservation,
  { podCauses: after = [], objects }: ClusterObservation,
): ReadonlyMap<string, readonly Manifest[]> {
  const differ = differing(before, after, ({ object }) => objectKey(object));
  if (differ.size === 0) return new Map();
  return Map.groupBy(
    objects.filter((object) => differ.has(keyOfManifest(object))),
    (object) => keyOfManifest(object),
  );
}

/** Items before and after, by key, for the keys whose items differ or are in another order. */
function differing<T extends Manifest | PlacementObservation | PodCause>(
  before: readonly T[],
  after: readonly T[],
  key: (item: T) => string,
): ReadonlyMap<string, readonly T[]> {
  const differ = new Map<string, readonly T[]>();
  // Nearly always nothing differs.
  if (before.length === after.length && before.every((item, at) => sameValue(item, after[at]))) return differ;
  const old = Map.groupBy(before, key);
  const next = Map.groupBy(after, key);
  for (const name of new Set([...old.keys(), ...next.keys()])) {
    const [was, is] = [old.get(name) ?? [], next.get(name) ?? []];
    if (!sameValue(was, is)) differ.set(name, [...was, ...is]);
  }
  return differ;
}
