import type { Problem, ProblemCode } from '../../api/problem.ts';
import type { Fleet } from '../../engine/input.ts';
import { memoize } from '../../engine/kernel/memoize.ts';

/** Errors that leave no doubt which object they are about, unless it has no name; a nameless fleet object has another one besides. */
const ofFields: ReadonlySet<ProblemCode> = new Set([
  'invalid',
  'invalid-value',
  'namespace-not-allowed',
  'namespace-required',
  'out-of-range',
  'unknown-field',
]);

const isOfField = ({ code, path = '' }: Problem): boolean =>
  ofFields.has(code) || (code === 'wrong-type' && !/^(apiVersion|kind|metadata)\b/.test(path));

/**
 * For warnings: files of which only resources without a name are not read count as read, since no fleet object is in them. One such
 * resource would hide the warnings of the whole fleet.
 */
export const withoutNameless = memoize((fleet: Fleet): Fleet => {
  const errors = fleet.problems.filter((problem) => problem.severity === 'error' && !isOfField(problem));
  const [nameless, others] = [true, false].map(
    (isNameless) =>
      new Set(errors.flatMap(({ code, file }) => ((code === 'name-required') === isNameless ? (file ?? []) : []))),
  );
  const unreadable = fleet.unreadable.filter((file) => !nameless!.has(file) || others!.has(file));
  return unreadable.length === fleet.unreadable.length ? fleet : { ...fleet, unreadable };
});
