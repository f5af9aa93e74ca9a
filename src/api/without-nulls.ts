/**
 * The document without members that are null, as an API server reads one: `taints:` with nothing after it is no taints. What
 * a patch writes and what an envelope carries stay as they are, since null means something there. Items of lists stay too.
 */
export function withoutNulls(document: unknown): unknown {
  const stripped = walk(document) as { readonly kind?: unknown } | null;
  const isEnvelope = stripped?.kind === 'ClusterResourceEnvelope' || stripped?.kind === 'ResourceEnvelope';
  return isEnvelope ? { ...stripped, data: (document as { readonly data?: unknown }).data } : stripped;
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
