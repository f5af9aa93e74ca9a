import type { Branches } from './branches.ts';

/**
 * Commits that are kept of a line, about 100 bytes each. A fleet with 50 merges a day reaches it after five years; records hardly ever
 * name older commits, and those that do count as lost.
 */
const mostCommits = 100_000;
/** Commits that are read at first, and at most in one call. */
const [fewest, most] = [256, 16_384] as const;

/** Where commits are on the first-parent line of a branch. */
export interface FirstParentLine {
  /**
   * The higher, the later; comparable for the same tip. Undefined for a commit that was never the tip as far as the line shows: it came
   * with a merge, or is beyond what can be read.
   */
  heightOf(commit: string, tip: string): Promise<number | undefined>;
}

/**
 * Reads the line from the tip as far back as commits are asked for, and keeps it. A new tip costs its new commits only. `ref`: its
 * history is fetched where it was left out.
 */
export function firstParentLine(
  { objects, deepen }: Pick<Branches, 'objects' | 'deepen'>,
  ref: string,
): FirstParentLine {
  let heights = new Map<string, number>();
  let top: string | undefined;
  let oldest = '';
  let size: number = fewest;
  /** Nothing more can be read, as of this tip. */
  let ended = false;

  function startAt(tip: string): void {
    heights = new Map([[tip, 0]]);
    oldest = tip;
    size = fewest;
  }

  /** False if the tip cannot be read. */
  async function follow(tip: string): Promise<boolean> {
    if (tip === top) return true;
    if (!(await objects.has(tip))) return false;
    const newer = heights.size === 0 ? [] : await objects.firstParents(tip, fewest);
    const joined = newer.findIndex((commit) => heights.has(commit));
    if (joined < 0 || heights.size + joined > mostCommits) startAt(tip);
    else {
      const base = heights.get(newer[joined]!)!;
      // The branch was rewound, or merged into another line.
      for (const [commit, height] of top === newer[joined] ? [] : heights) if (height > base) heights.delete(commit);
      for (const [at, commit] of newer.slice(0, joined).entries()) heights.set(commit, base + joined - at);
    }
    top = tip;
    ended = false;
    return true;
  }

  async function extend(): Promise<void> {
    const wanted = Math.min(size, mostCommits - heights.size);
    const read = async () => (await objects.firstParents(oldest, wanted + 1)).slice(1);
    let older = wanted > 0 ? await read() : [];
    if (older.length < wanted && (await deepen(ref))) older = await read();
    ended = older.length < wanted || wanted === 0;
    const lowest = heights.get(oldest)!;
    for (const [at, commit] of older.entries()) heights.set(commit, lowest - at - 1);
    oldest = older.at(-1) ?? oldest;
    size = Math.min(2 * size, most);
  }

  async function find(commit: string, tip: string): Promise<number | undefined> {
    if (!(await follow(tip))) return undefined;
    while (!heights.has(commit) && !ended) await extend();
    return heights.get(commit);
  }

  let last: Promise<unknown> = Promise.resolve();
  return {
    heightOf(commit, tip) {
      const found = last.then(() => find(commit, tip));
      last = found.catch(() => {});
      return found;
    },
  };
}
