import type { Manifest } from '../../../api/meta.ts';
import { placementKey, refOf } from '../../../api/placement.ts';
import type { Fleet } from '../../../engine/input.ts';
import { sameValue } from '../../../engine/kernel/same-value.ts';
import { unpack } from '../../../engine/selection/envelope.ts';
import { keyOfManifest } from '../../../engine/selection/object-key.ts';

/** Parts of a fleet of which any change may remove something. */
const wholeLists = [
  'beingDeleted',
  'overrides',
  'strategies',
  'runs',
  'evictions',
  'budgets',
  'refused',
  'unreadable',
] as const satisfies readonly (keyof Fleet)[];

/**
 * Whether the change from one commit to the next may remove something from clusters. New members, placements and resources do not,
 * nor new contents of a resource with the same metadata. `fleet.yaml` removes nothing either: a default strategy is part of its placements.
 */
export function mayRemove(before: Fleet, after: Fleet): boolean {
  return (
    isChanged(before.members, after.members, ({ metadata }) => metadata.name, sameValue) ||
    isChanged(before.placements, after.placements, (it) => placementKey(refOf(it)), sameValue) ||
    isChanged(manifestsOf(before), manifestsOf(after), keyOfManifest, isSelectedAlike) ||
    wholeLists.some((list) => !sameValue(before[list], after[list]))
  );
}

const manifestsOf = ({ resources }: Fleet): readonly Manifest[] => resources.map(({ manifest }) => manifest);

/** Whether one of the first is missing among the others, or is no longer the same. */
function isChanged<T>(
  before: readonly T[],
  after: readonly T[],
  keyOf: (item: T) => string,
  isSame: (a: T, b: T) => boolean,
): boolean {
  const present = new Map(after.map((item) => [keyOf(item), item]));
  return before.some((item) => {
    const now = present.get(keyOf(item));
    return now !== item && (now === undefined || !isSame(item, now));
  });
}

/** Metadata and type decide whether a resource is selected. An envelope holds other objects, which its contents decide. */
const isSelectedAlike = (a: Manifest, b: Manifest): boolean =>
  isEnvelope(a) || isEnvelope(b)
    ? sameValue(a, b)
    : sameValue(a.metadata, b.metadata) && sameValue(a['type'], b['type']);

const isEnvelope = (manifest: Manifest): boolean => unpack(manifest) !== undefined;
