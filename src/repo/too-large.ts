import { getHeapStatistics } from 'node:v8';
import { recordFileLimits } from '../engine/record/file-limits.ts';

/** Limits for files from outside, in bytes. */
export interface SizeLimits {
  readonly file: number;
  readonly total: number;
}

/**
 * Limits for a fleet. A manifest has at most 4 MiB, see `usualLimits`; larger files are read nevertheless, since they may not be fleet
 * input, such as a lock file. A fleet of 1,000 clusters with a file each has 1 MiB.
 */
export const fleetLimits: SizeLimits = { file: 16 * 1024 ** 2, total: 512 * 1024 ** 2 };

const { heap_size_limit: heap } = getHeapStatistics();

/**
 * Limits for the status branch. The texts may
 * take a quarter of the heap, since their values take as much again, and so does the next record. Of a separator (`separators.ts`) a
 * value of at most 70 bytes is kept.
 */
export const recordLimits = {
  file: recordFileLimits.bytes,
  fileSeparators: recordFileLimits.separators,
  total: Math.min(1024 ** 3, heap / 4),
  files: 200_000,
  separators: heap / 64,
  /**
   * What one member reports may take, of all files of the record: its own file, its nodes and the statuses of its objects. A member of
   * 10,000 nodes has 6 MiB. The files of all members together leave room for the others, which come from the fleet repo.
   */
  ofMember: {
    bytes: Math.min(32 * 1024 ** 2, heap / 32),
    allBytes: Math.min(1024 ** 3, heap / 4) / 2,
    separators: Math.min(recordFileLimits.separators / 2, heap / 512),
  },
};

/** Why files of such sizes are too large together to be read as a record; undefined if they are not. */
export function recordFault(sizes: Iterable<number>): string | undefined {
  let [files, total] = [0, 0];
  for (const size of sizes) {
    files++;
    if (size <= recordLimits.file) total += size;
  }
  if (files > recordLimits.files) return `it has ${files} files, of at most ${recordLimits.files}`;
  if (total > recordLimits.total)
    return `its files have ${total} bytes together, of at most ${Math.floor(recordLimits.total)}`;
  return undefined;
}

/**
 * Files that must not be read, with a reason: those above the file limit, then the largest of the others while they exceed the total
 * limit. Files of equal size are taken by path, so that the result is deterministic.
 */
export function tooLarge(
  sizes: Iterable<readonly [path: string, size: number]>,
  limits: SizeLimits,
): ReadonlyMap<string, string> {
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
