/** How much is read of files that come from outside, in bytes. */
export interface SizeLimits {
  readonly file: number;
  readonly total: number;
}

/**
 * Of a fleet. A manifest has at most 4 MiB, see `usualLimits`; what is larger is looked into all the same, since it may say that
 * it is none of ours, such as a lock file. A fleet of 1,000 clusters with a file each has 1 MiB.
 */
export const fleetLimits: SizeLimits = { file: 16 * 1024 ** 2, total: 512 * 1024 ** 2 };

/** Of the status branch, which 100,000 bindings fill with 316 MB; a file holds what one placement selects. */
export const recordLimits: SizeLimits = { file: 64 * 1024 ** 2, total: 1024 ** 3 };

/**
 * Those that are not read, with a reason: what is larger than a file may be, and the largest of the others as long as they are
 * too large together. Files of the same size are taken in the order of their paths, so that the answer depends on nothing else.
 */
export function tooLarge(sizes: ReadonlyMap<string, number>, limits: SizeLimits): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let total = 0;
  for (const [path, size] of sizes)
    if (size > limits.file) found.set(path, `the file has ${size} bytes, of at most ${limits.file}`);
    else total += size;
  if (total <= limits.total) return found;
  const order = [...sizes].filter(([path]) => !found.has(path)).sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  for (const [path, size] of order) {
    if (total <= limits.total) break;
    total -= size;
    found.set(path, `the files have more than ${limits.total} bytes together, and this is one of the largest`);
  }
  return found;
}
