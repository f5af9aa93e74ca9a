/**
 * The function, worked out once for each value of which it tells something and remembered for as long as that value is in use.
 * Values never change, so the answer stays true, provided that it depends on nothing else.
 */
export function onceFor<K extends object, V>(tell: (of: K) => V): (of: K) => V {
  const known = new WeakMap<K, { readonly told: V }>();
  return (of) => {
    let answer = known.get(of);
    if (!answer) {
      answer = { told: tell(of) };
      known.set(of, answer);
    }
    return answer.told;
  };
}

/** The same for a function of two values: what was told of the first stands as long as the second is the identical one. */
export function onceForPair<K extends object, G, V>(tell: (of: K, given: G) => V): (of: K, given: G) => V {
  const known = new WeakMap<K, { readonly given: G; readonly told: V }>();
  return (of, given) => {
    let answer = known.get(of);
    if (!answer || answer.given !== given) {
      answer = { given, told: tell(of, given) };
      known.set(of, answer);
    }
    return answer.told;
  };
}

/**
 * The same for values of which most come again soon and too many may be in use to remember what was told of each: all is
 * forgotten when `most` were told. What is not in use any more is not kept either.
 */
export function onceLately<K extends object, V>(tell: (of: K) => V, most: number): (of: K) => V {
  let known = new WeakMap<K, { readonly told: V }>();
  let count = 0;
  return (of) => {
    let answer = known.get(of);
    if (!answer) {
      if (count >= most) {
        known = new WeakMap();
        count = 0;
      }
      answer = { told: tell(of) };
      known.set(of, answer);
      count++;
    }
    return answer.told;
  };
}
