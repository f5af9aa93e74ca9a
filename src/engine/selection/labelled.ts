import type { LabelSelector } from '../../api/meta.ts';
import type { HubObject } from '../input.ts';
import { memoize } from '../kernel/memoize.ts';
import { matchesSelector } from '../kernel/selector.ts';

/**
 * The objects that a label selector matches, in the order of `objects`; without a selector all. The list is indexed on first use,
 * so that a thousand placements with a label each do not each scan ten thousand objects.
 */
export function labelled(objects: readonly HubObject[], selector: LabelSelector | undefined): readonly HubObject[] {
  if (selector === undefined) return objects;
  return candidates(objects, selector).filter(({ manifest }) => matchesSelector(selector, manifest.metadata.labels));
}

function candidates(objects: readonly HubObject[], selector: LabelSelector): readonly HubObject[] {
  const wanted = Object.entries(selector.matchLabels ?? {});
  for (const { key, operator, values } of selector.matchExpressions ?? []) {
    if (operator === 'In' && values?.length === 1) wanted.push([key, values[0]!]);
  }
  if (wanted.length === 0 || objects.length < 16) return objects;
  const index = indexOf(objects);
  return wanted
    .map(([key, value]) => index.get(`${key}=${value}`) ?? [])
    .reduce((fewest, group) => (group.length < fewest.length ? group : fewest));
}

const indexOf = memoize((objects: readonly HubObject[]): ReadonlyMap<string, readonly HubObject[]> => {
  const index = new Map<string, HubObject[]>();
  for (const object of objects) {
    for (const [key, value] of Object.entries(object.manifest.metadata.labels ?? {})) {
      // A label key holds no "=", so the joined text is unambiguous.
      const group = index.get(`${key}=${value}`);
      if (group) group.push(object);
      else index.set(`${key}=${value}`, [object]);
    }
  }
  return index;
});
