import { describe, expect, it } from 'vitest';
import type { Branches } from '../../src/git/branches.ts';
import { firstParentLine } from '../../src/git/first-parent-line.ts';
import { MemoryRepo } from '../support/memory-repo.ts';

const ref = 'refs/heads/main';

/** A line of commits, oldest first, and how many were read. */
function lineOf(count: number) {
  const repo = new MemoryRepo(() => 0);
  const oids = Array.from({ length: count }, (_, at) => repo.commit('main', { a: `${at}` }));
  const lost = new Set<string>();
  const branches = repo.branches({ lost });
  const reads: number[] = [];
  let deepened = 0;
  const objects: Branches['objects'] = {
    ...branches.objects,
    async firstParents(tip, most) {
      const found = await branches.objects.firstParents(tip, most);
      reads.push(found.length);
      return found;
    },
  };
  const deepen = async (): Promise<boolean> => {
    const had = lost.size > 0;
    deepened++;
    lost.clear();
    return had;
  };
  return { repo, oids, lost, reads, line: firstParentLine({ objects, deepen }, ref), deepened: () => deepened };
}

describe('the first-parent line of a branch', () => {
  it('has what was the tip, in order, and not what a merge brought', async () => {
    const { repo, oids, line } = lineOf(3);
    const base = oids[2]!;
    const inner = repo.commit('change', { a: 'inner' }, 'Inner', [base]);
    const last = repo.commit('change', { a: 'last' }, 'Last', [inner]);
    const merged = repo.commit('main', { a: 'last' }, 'Merge', [base, last]);
    const next = repo.commit('main', { a: 'next' });
    const heights = [];
    for (const oid of [...oids, merged, next]) heights.push(await line.heightOf(oid, next));
    expect(heights).toEqual([-4, -3, -2, -1, 0]);
    for (const oid of [inner, last, '1'.repeat(40)]) expect(await line.heightOf(oid, next)).toBeUndefined();
  });

  it('is read once, and then only what is new', async () => {
    const { repo, oids, line, reads } = lineOf(700);
    const tip = oids.at(-1)!;
    expect(await line.heightOf('1'.repeat(40), tip)).toBeUndefined();
    const whole = reads.splice(0).reduce((a, b) => a + b, 0);
    expect(whole).toBeLessThan(710);
    for (const oid of oids) expect(await line.heightOf(oid, tip)).toBeDefined();
    expect(reads).toEqual([]);
    const next = repo.commit('main', { a: 'next' });
    expect(await line.heightOf(next, next)).toBe(1);
    expect(await line.heightOf(oids[0]!, next)).toBe(-699);
    expect(reads).toHaveLength(1);
  });

  it('does not have commits that a rewind removed', async () => {
    const { repo, oids, line } = lineOf(5);
    expect(await line.heightOf(oids[0]!, oids[4]!)).toBe(-4);
    const other = repo.commit('main', { a: 'other' }, 'Other', [oids[2]!]);
    expect(await line.heightOf(oids[3]!, other)).toBeUndefined();
    expect(await line.heightOf(oids[2]!, other)).toBe(-2);
    expect(await line.heightOf(oids[1]!, oids[2]!)).toBe(-3);
    expect(await line.heightOf(other, oids[2]!)).toBeUndefined();
  });

  it('has no commit of which the history is missing, until it is there', async () => {
    const { oids, lost, line, deepened } = lineOf(5);
    lost.add(oids[1]!);
    expect(await line.heightOf(oids[3]!, oids[4]!)).toBe(-1);
    expect(deepened()).toBe(1);
    expect(await line.heightOf(oids[0]!, oids[4]!)).toBe(-4);
    expect(await line.heightOf(oids[0]!, '1'.repeat(40))).toBeUndefined();
  });
});
