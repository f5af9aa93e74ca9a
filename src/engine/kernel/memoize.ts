/**
 * The function, computed once for each value and remembered for as long as that value is in use. Values are immutable, so
 * the result stays true, provided that it depends on nothing else.
 */
export function memoize<K extends object, V>(compute: (of: K) => V): (of: K) => V {
  const known = new WeakMap<K, { readonly result: V }>();
  return (of) => {
    let entry = known.get(of);
    if (!entry) {
      entry = { result: compute(of) };
      known.set(of, entry);
    }
    return entry.result;
  };
}

/** The same for a function of two values: the result is remembered by the first, as long as the second is the identical one. */
export function memoizePair<K extends object, G, V>(compute: (of: K, given: G) => V): (of: K, given: G) => V {
  const known = new WeakMap<K, { readonly given: G; readonly result: V }>();
  return (of, given) => {
    let entry = known.get(of);
    if (!entry || entry.given !== given) {
      entry = { given, result: compute(of, given) };
      known.set(of, entry);
    }
    return entry.result;
  };
}

/**
 * The same with a limit, for values of which too many may be in use to remember all results. After `most` results all are
 * forgotten. Results for values that are no longer in use are not kept either.
 */
export function memoizeRecent<K extends object, V>(compute: (of: K) => V, most: number): (of: K) => V {
  let known = new WeakMap<K, { readonly result: V }>();
  let count = 0;
  return (of) => {
    let entry = known.get(of);
    if (!entry) {
      if (count >= most) {
        known = new WeakMap();
        count = 0;
      }
      entry = { result: compute(of) };
      known.set(of, entry);
      count++;
    }
    return entry.result;
  };
}
