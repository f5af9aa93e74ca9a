/**
 * The entry of a snapshot history that is marked latest; without any mark, or with several, the highest index (KubeFleet
 * lookupLatestResourceSnapshot).
 */
export function latestOf<T extends { readonly index: number; readonly latest?: boolean | undefined }>(
  entries: readonly T[],
): T | undefined {
  const higher = (a: T | undefined, b: T): T => (a && a.index > b.index ? a : b);
  const marked = entries.filter((entry) => entry.latest);
  return (marked.length > 0 ? marked : entries).reduce<T | undefined>(higher, undefined);
}
