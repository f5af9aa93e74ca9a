import type { Fleet } from '../../engine/input.ts';
import { memoize } from '../../engine/kernel/memoize.ts';

/**
 * For warnings: files of which only resources without a name are not read count as read, since no fleet object is in them. One such
 * resource would hide the warnings of the whole fleet.
 */
export const withoutNameless = memoize((fleet: Fleet): Fleet => {
  const errors = fleet.problems.filter(({ severity }) => severity === 'error');
  const [nameless, others] = [true, false].map(
    (isNameless) =>
      new Set(errors.flatMap(({ code, file }) => ((code === 'name-required') === isNameless ? (file ?? []) : []))),
  );
  const unreadable = fleet.unreadable.filter((file) => !nameless!.has(file) || others!.has(file));
  return unreadable.length === fleet.unreadable.length ? fleet : { ...fleet, unreadable };
});
