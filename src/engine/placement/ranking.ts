import { assert } from '../kernel/assert.ts';

/** What one candidate is worth; all in KubeFleet's order of precedence, the name (row) deciding ties. */
export interface Candidates {
  readonly rows: readonly number[];
  readonly affinity: Int32Array;
  /** Topology spread score per candidate; undefined = all zero. */
  readonly spread: Int32Array | undefined;
  /** Rows that hold a binding of an older policy: one point, after all else. */
  readonly obsolete: ReadonlySet<number>;
}

/** One of the best, with the scores that put it there. */
export interface Ranked {
  readonly row: number;
  readonly affinity: number;
  readonly spread: number;
}

/**
 * The best `limit` candidates, best first: by topology spread, affinity and obsolete score, full ties to the greatest name
 * (KubeFleet framework/score.go). `size` is the number of rows of the fleet.
 *
 * All that is compared is packed into one float64, so that selecting and sorting run over plain numbers: 10,000 candidates
 * cost about a tenth of a comparator sort.
 */
export function rankBest({ rows, affinity, spread, obsolete }: Candidates, size: number, limit: number): Ranked[] {
  const levels = spread ? [...new Set(spread)].sort((a, b) => a - b) : [0];
  const levelOf = new Map(levels.map((value, level) => [value, level]));
  const { min, max } = extent(affinity);
  const width = (max - min + 1) * 2;
  assert(levels.length * width * size <= Number.MAX_SAFE_INTEGER, 'scores are too far apart to be ranked');
  const keys = new Float64Array(rows.length);
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at]!;
    const level = spread ? levelOf.get(spread[at]!)! : 0;
    const bonus = obsolete.size > 0 && obsolete.has(row) ? 1 : 0;
    keys[at] = (level * width + (affinity[at]! - min) * 2 + bonus) * size + row;
  }
  return Array.from(largest(keys, Math.min(limit, rows.length)), (key) => {
    const worth = Math.floor(key / size);
    const level = Math.floor(worth / width);
    return { row: key - worth * size, affinity: Math.floor((worth - level * width) / 2) + min, spread: levels[level]! };
  });
}

/** The `count` largest numbers, descending. Reorders `keys`. */
function largest(keys: Float64Array, count: number): Float64Array {
  if (count < keys.length) partition(keys, count);
  return keys.subarray(0, count).sort().reverse();
}

/** Quickselect: moves the `count` largest numbers to the front, in no order. Keys are distinct. */
function partition(keys: Float64Array, count: number): void {
  let from = 0;
  let to = keys.length - 1;
  while (from < to) {
    const pivot = middleOf(keys[from]!, keys[(from + to) >>> 1]!, keys[to]!);
    let left = from;
    let right = to;
    while (left <= right) {
      while (keys[left]! > pivot) left++;
      while (keys[right]! < pivot) right--;
      if (left > right) break;
      const swapped = keys[left]!;
      keys[left] = keys[right]!;
      keys[right] = swapped;
      left++;
      right--;
    }
    if (count <= right) to = right;
    else if (count > left) from = left;
    else return;
  }
}

const middleOf = (a: number, b: number, c: number): number => Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));

function extent(values: Int32Array): { readonly min: number; readonly max: number } {
  let min = values[0] ?? 0;
  let max = min;
  for (const value of values) {
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return { min, max };
}
