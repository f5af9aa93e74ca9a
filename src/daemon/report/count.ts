/** Counts each item; items of `always` are included with 0. */
export function count(items: readonly string[], always: readonly string[] = []): Map<string, number> {
  const counts = new Map(always.map((item) => [item, 0]));
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}
