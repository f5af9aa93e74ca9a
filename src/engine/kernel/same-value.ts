/**
 * Whether two plain values (JSON and maps of it) are equal. Members that are `undefined` count as left out; key order does
 * not matter.
 */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, at) => sameValue(item, b[at]));
  if (Array.isArray(b)) return false;
  if (a instanceof Map || b instanceof Map) return a instanceof Map && b instanceof Map && sameMaps(a, b, sameValue);
  return sameMembers(a as Members, b as Members);
}

type Members = Readonly<Record<string, unknown>>;

function sameMembers(a: Members, b: Members): boolean {
  let left = 0;
  for (const key of Object.keys(b)) if (b[key] !== undefined) left++;
  for (const key of Object.keys(a)) {
    if (a[key] === undefined) continue;
    if (!Object.hasOwn(b, key) || !sameValue(a[key], b[key])) return false;
    left--;
  }
  return left === 0;
}

/** Whether two maps have the same keys with values that are the same by `same`; the order does not matter. */
export function sameMaps<K, V>(
  a: ReadonlyMap<K, V>,
  b: ReadonlyMap<K, V>,
  same: (a: V, b: V) => boolean = Object.is,
): boolean {
  if (a === b) return true;
  if (a.size !== b.size) return false;
  for (const [key, value] of a) if (!b.has(key) || !same(value, b.get(key)!)) return false;
  return true;
}
