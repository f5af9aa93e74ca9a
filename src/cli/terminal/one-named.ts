import { titleOf } from '../../repo/title-of.ts';
import { CliError } from './exit.ts';

interface Called {
  readonly name: string;
  readonly namespace?: string | undefined;
}

/** Whether `wanted` is the name of this, with or without its namespace. */
export const isCalled = (it: Called, wanted: string): boolean => it.name === wanted || titleOf(it) === wanted;

/**
 * The item with that `namespace/name` or name, or the only one of that name in any namespace. Undefined where there is none.
 * Error: CliError where several have the name.
 */
export function oneNamed<T>(
  items: readonly T[],
  wanted: string,
  { what, refOf }: { readonly what: string; readonly refOf: (item: T) => Called },
): T | undefined {
  const exact = items.find((item) => titleOf(refOf(item)) === wanted);
  if (exact) return exact;
  const found = items.filter((item) => isCalled(refOf(item), wanted));
  if (found.length < 2) return found[0];
  const titles = found.map((item) => titleOf(refOf(item)));
  throw new CliError(`there is more than one ${what} ${wanted}: write ${titles.join(' or ')}`);
}
