/** A small seeded generator (mulberry32), so that simulations are reproducible. Returns numbers in [0, 1). */
export type Random = () => number;

export function seededRandom(seed: string): Random {
  let state = 2166136261;
  for (let at = 0; at < seed.length; at++) state = Math.imul(state ^ seed.charCodeAt(at), 16777619);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const hexDigits = (random: Random, count: number): string =>
  Array.from({ length: count }, () => Math.floor(random() * 16).toString(16)).join('');

export const uuid = (random: Random): string =>
  // Joined, not concatenated: a concatenated string keeps all its pieces in memory.
  [
    hexDigits(random, 8),
    hexDigits(random, 4),
    `4${hexDigits(random, 3)}`,
    `a${hexDigits(random, 3)}`,
    hexDigits(random, 12),
  ].join('-');

/** Kubernetes leaves out vowels and look-alikes in generated names. */
export const letters = 'bcdfghjklmnpqrstvwxz2456789';
export const nameSuffix = (random: Random): string =>
  Array.from({ length: 5 }, () => letters[Math.floor(random() * letters.length)]).join('');
