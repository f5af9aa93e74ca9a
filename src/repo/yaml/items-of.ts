import { memoize } from '../../engine/kernel/memoize.ts';

/** The objects of a document: the items of a List, nothing if it is empty, otherwise itself. */
export const contentsOf = (document: unknown): readonly unknown[] =>
  itemsOf(document) ?? (document === null || document === undefined ? [] : [document]);

/**
 * The items of a List; undefined for other documents. kubectl accepts a List of any kinds and prints `kind: List`; lists of the API
 * server (`DeploymentList`) define the kind of their items, which omit it. A document with a name is an object, even if its kind ends in
 * List. The same document always gives the same items.
 */
export function itemsOf(document: unknown): readonly unknown[] | undefined {
  const { apiVersion, kind, items, metadata } = (document ?? {}) as { readonly [field: string]: unknown };
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || !Array.isArray(items)) return undefined;
  if ((metadata as { name?: unknown } | null | undefined)?.name !== undefined) return undefined;
  if (kind === 'List') return apiVersion === 'v1' ? items : undefined;
  return /^\w+List$/.test(kind) ? withKind(document as TypedList) : undefined;
}

interface TypedList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly items: readonly unknown[];
}

const withKind = memoize(({ apiVersion, kind, items }: TypedList): readonly unknown[] => {
  const named = { apiVersion, kind: kind.slice(0, -'List'.length) };
  return items.map((item) => (typeof item === 'object' && item !== null ? { ...named, ...item } : item));
});
