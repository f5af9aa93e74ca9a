import type { CycleView } from './pick-n.ts';
import type { Ranked } from './ranking.ts';
import { countPick, judgeSpread, type Spread, type SpreadVerdicts } from './spread.ts';

export interface SpreadOutInput {
  /** Candidates, ascending. */
  readonly rows: readonly number[];
  readonly affinity: Int32Array;
  readonly obsolete: ReadonlySet<number>;
  readonly spread: Spread;
  readonly missing: number;
  readonly size: number;
}

/**
 * One pick per cycle until enough are picked or a cycle finds nothing, as KubeFleet does with spread constraints, without
 * running the cycles: within a group of equal domains the order never changes, so each cycle only compares the heads of the
 * groups. The bonus for obsolete bindings exists in the first cycle only, since that one unschedules all the others.
 */
export function pickSpreadOut({ rows, affinity, obsolete, spread, missing, size }: SpreadOutInput): {
  readonly cycles: readonly Ranked[];
  readonly last: CycleView;
} {
  const cycles: Ranked[] = [];
  let queues = queueUp({ rows, affinity, obsolete, spread, size }, undefined);
  for (;;) {
    const verdicts = judgeSpread(spread);
    const bonus = cycles.length === 0 ? obsolete : none;
    const last = { verdicts, obsolete: bonus };
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

/** Best group by (topology spread score, then what its head is worth), -1 when no group may take one more. */
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
  /** Groups that had candidates. */
  readonly open: readonly number[];
  /** Worth of the best candidate left per group. */
  readonly heads: Float64Array;
  /** Takes the head of a group. */
  readonly next: (group: number) => number;
}

/**
 * Candidates by group as sortable numbers: ((affinity, obsolete), row), so that the greatest name wins ties. A group is sorted
 * when something is taken from it for the first time; most never are.
 */
function queueUp(input: Omit<SpreadOutInput, 'missing'>, without: number | undefined): Queues {
  const { rows, affinity, obsolete, size } = input;
  const { groupOf, domains } = input.spread.groups;
  const ends = new Int32Array(domains.length + 1);
  for (const row of rows) if (row !== without) ends[groupOf[row]! + 1]! += 1;
  for (let group = 0; group < domains.length; group++) ends[group + 1]! += ends[group]!;
  const starts = ends.slice(0, domains.length);
  const fill = ends.slice(0, domains.length);
  const keys = new Float64Array(rows.length);
  const heads = new Float64Array(domains.length).fill(Number.NEGATIVE_INFINITY);
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at]!;
    if (row === without) continue;
    const group = groupOf[row]!;
    const bonus = obsolete.size > 0 && obsolete.has(row) ? 1 : 0;
    const key = (affinity[at]! * 2 + bonus) * size + row;
    keys[fill[group]!++] = key;
    if (key > heads[group]!) heads[group] = key;
  }
  const open: number[] = [];
  for (let group = 0; group < domains.length; group++) if (fill[group]! > starts[group]!) open.push(group);

  const sorted = new Uint8Array(domains.length);
  const next = (group: number): number => {
    if (sorted[group] === 0) keys.subarray(starts[group], fill[group]).sort();
    sorted[group] = 1;
    const head = keys[--fill[group]!]!;
    heads[group] = fill[group]! > starts[group]! ? keys[fill[group]! - 1]! : Number.NEGATIVE_INFINITY;
    return head;
  };
  return { open, heads, next };
}
