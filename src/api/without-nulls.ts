/**
 * The document without null members, as API servers read one: `taints:` with no value means no taints. Values of patches, items of
 * lists, and the top-level fields `kept` stay, since null has a meaning there.
 */
export function withoutNulls(document: unknown, kept: readonly string[] = []): unknown {
  const stripped = walk(document);
  if (kept.length === 0 || typeof document !== 'object' || document === null) return stripped;
  const verbatim = Object.entries(document).filter(([key]) => kept.includes(key));
  return { ...(stripped as object), ...Object.fromEntries(verbatim) };
}

function walk(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(walk);
  if (typeof value !== 'object' || value === null) return value;
  const isPatch = 'op' in value && 'path' in value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]): [string, unknown][] => {
      if (isPatch && key === 'value') return [[key, item]];
      return item === null ? [] : [[key, walk(item)]];
    }),
  );
}
