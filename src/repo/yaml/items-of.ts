import { memoize } from '../../engine/kernel/memoize.ts';

/** What a document holds: the items of a list, nothing where it is empty, otherwise itself. */
export const contentsOf = (document: unknown): readonly unknown[] =>
  itemsOf(document) ?? (document === null || document === undefined ? [] : [document]);

/**
 * The items of a list; undefined where a document is none. kubectl takes a List of anything, and prints `kind: List`; the API
 * server's own lists (`DeploymentList`) name the kind for all their items, which leave it out. What has a name is an object,
 * whatever its kind ends in. The items of one document are the identical ones each time.
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
