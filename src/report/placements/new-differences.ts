import type { PatchDetail, ResourceIdentifier } from '../../api/placement.ts';
import { reportedDifferences } from '../../engine/bindings/conditions/reported-differences.ts';
import { isRepaired } from '../../engine/bindings/conditions/reported-repairs.ts';
import { shortList } from '../../engine/kernel/short-list.ts';
import { describeRef } from '../../engine/selection/object-key.ts';

/** An object of a cluster that is listed as failed, drifted or different. */
export type ListedObject = ResourceIdentifier & {
  readonly observedDrifts?: readonly PatchDetail[];
  readonly observedDiffs?: readonly PatchDetail[];
};

/** An object, and those of its differences that are new. */
export interface NewDifference<T extends ResourceIdentifier = ResourceIdentifier> {
  readonly object: T;
  readonly details: readonly PatchDetail[];
}

/**
 * Objects that were not listed before, or that differ in what they did not before. What was reported already of an object is not
 * repeated: the manager named with it wrote the present value.
 */
export function newDifferences<T extends ListedObject>(
  before: readonly T[] = [],
  after: readonly T[] = [],
): NewDifference<T>[] {
  const known = new Map(before.map((it) => [describeRef(it), new Set(detailsOf(it).map(textOf))]));
  return after.flatMap((object) => {
    const old = known.get(describeRef(object));
    const details = detailsOf(object).filter((detail) => !old?.has(textOf(detail)));
    return old === undefined || details.length > 0 ? [{ object, details }] : [];
  });
}

export const differenceNames = (objects: readonly NewDifference[]): string =>
  shortList(objects.map(({ object, details }) => reportedDifferences(object, details)));

/** Something of the object still differs; an object without details is missing as a whole. */
export const isOpen = (object: ListedObject): boolean => !isAllRepaired(detailsOf(object));

/** Every one of these differences is corrected already. */
export const isAllRepaired = (details: readonly PatchDetail[]): boolean =>
  details.length > 0 && details.every(isRepaired);

const textOf = (detail: PatchDetail): string => JSON.stringify(detail);

const detailsOf = ({ observedDrifts, observedDiffs }: ListedObject): readonly PatchDetail[] =>
  observedDrifts ?? observedDiffs ?? [];
