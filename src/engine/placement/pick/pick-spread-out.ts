import type { Cycle } from '../rules/cycle.ts';
import { countPick, evaluateSpread, type Spread, type SpreadVerdicts } from '../rules/spread.ts';
import type { Ranked } from './ranking.ts';

export interface SpreadOutInput {
  /** Candidates, ascending. */
  readonly rows: readonly number[];
  /** Affinity score by row. */
  readonly affinity: Int32Array;
  readonly obsolete: ReadonlySet<number>;
  readonly spread: Spread;
  readonly missing: number;
  readonly size: number;
}

/**
 * Picks one cluster per cycle until enough are picked or a cycle finds none, as KubeFleet does with spread constraints, but
 * without running the cycles: within a group of equal domains the order never changes, so each cycle only compares the heads of
 * the groups. The bonus for obsolete bindings exists in the first cycle only, since that one unschedules all others.
 */
export function pickSpreadOut({ rows, affinity, obsolete, spread, missing, size }: SpreadOutInput): {
  readonly cycles: readonly Ranked[];
  readonly last: Cycle;
} {
  const cycles: Ranked[] = [];
  let queues = queueUp({ rows, affinity, obsolete, spread, size }, undefined);
  for (;;) {
    const verdicts = evaluateSpread(spread);
    const bonus = cycles.length === 0 ? obsolete : none;
    const last = { spread: verdicts, obsolete: bonus };
    const group = bestGroup(queues, verdicts);
    if (group < 0) return { cycles, last };
    const key = queues.next(group);
    const row = ((key % size) + size) % size;
    cycles.push({ row, affinity: Math.floor(Math.floor(key / size) / 2), spread: verdicts.scores[group]! });
    countPick(spread, row);
    if (cycles.length === missing) return { cycles, last };
    if (cycles.length === 1 && obsolete.size > 0) {
      queues = queueUp({ rows, affinity, obsolete: none, spread, size }, row);
    }
  }
}

const none: ReadonlySet<number> = new Set();

/** The best group by topology spread score, then by the rank of its head; -1 = no group may get one more. */
function bestGroup(queues: Queues, { scores, forbidden }: SpreadVerdicts): number {
  let best = -1;
  for (const group of queues.open) {
    if (forbidden[group] === 1 || queues.heads[group] === Number.NEGATIVE_INFINITY) continue;
    if (best >= 0) {
      const difference = scores[group]! - scores[best]!;
      if (difference < 0 || (difference === 0 && queues.heads[group]! < queues.heads[best]!)) continue;
    }
    best = group;
  }
  return best;
}

interface Queues {
  /** Groups with candidates at the start. */
  readonly open: readonly number[];
  /** Rank of the best remaining candidate per group; -Infinity = none. */
  readonly heads: Float64Array;
  /** Removes and returns the head of a group. */
  readonly next: (group: number) => number;
}

/**
 * Candidates by group as numbers ((affinity, obsolete), row), so that the greatest name wins ties; each group is a heap, since
 * only few of its candidates are ever taken.
 */
function queueUp(input: Omit<SpreadOutInput, 'missing'>, without: number | undefined): Queues {
  const { rows, affinity, obsolete, size } = input;
  const { groupOf, domains } = input.spread.groups;
  const starts = new Int32Array(domains.length + 1);
  for (const row of rows) if (row !== without) starts[groupOf[row]! + 1]! += 1;
  for (let group = 0; group < domains.length; group++) starts[group + 1]! += starts[group]!;
  const ends = starts.slice(0, domains.length);
  const keys = new Float64Array(rows.length);
  for (const row of rows) {
    if (row === without) continue;
    const bonus = obsolete.size > 0 && obsolete.has(row) ? 1 : 0;
    keys[ends[groupOf[row]!]!++] = (affinity[row]! * 2 + bonus) * size + row;
  }

  const heads = new Float64Array(domains.length).fill(Number.NEGATIVE_INFINITY);
  const open: number[] = [];
  for (let group = 0; group < domains.length; group++) {
    const heap = keys.subarray(starts[group]!, ends[group]!);
    if (heap.length === 0) continue;
    for (let at = (heap.length >>> 1) - 1; at >= 0; at--) sink(heap, at, heap.length);
    heads[group] = heap[0]!;
    open.push(group);
  }
  const next = (group: number): number => {
    const heap = keys.subarray(starts[group]!, ends[group]!--);
    const head = heap[0]!;
    heap[0] = heap[heap.length - 1]!;
    sink(heap, 0, heap.length - 1);
    heads[group] = heap.length > 1 ? heap[0]! : Number.NEGATIVE_INFINITY;
    return head;
  };
  return { open, heads, next };
}

/** Restores the order of a heap, largest first, below `at`. */
function sink(heap: Float64Array, at: number, length: number): void {
  const key = heap[at]!;
  let hole = at;
  for (;;) {
    let child = hole * 2 + 1;
    if (child >= length) break;
    if (child + 1 < length && heap[child + 1]! > heap[child]!) child += 1;
    if (heap[child]! <= key) break;
    heap[hole] = heap[child]!;
    hole = child;
  }
  heap[hole] = key;
}
