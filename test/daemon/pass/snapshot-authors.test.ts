import { expect, it } from 'vitest';
import { snapshotAuthors } from '../../../src/daemon/pass/snapshot-authors.ts';
import type { FleetRecord } from '../../../src/engine/input.ts';
import { GitError } from '../../../src/git/git-error.ts';

const own = { name: 'gitfleet', email: 'gitfleet@localhost' };
const people = {
  c1: { name: 'Ann @ops', email: 'ann@example.com' },
  c2: own,
  c3: { name: '\n', email: 'x@example.com' },
  c4: { name: 'Not asked', email: 'y@example.com' },
  tip: { name: 'Bob', email: 'bob@example.com' },
};

const record = (states: Readonly<Record<string, object>>): FleetRecord =>
  ({ placements: new Map(Object.entries(states).map(([key, state]) => [key, { state }])) }) as unknown as FleetRecord;

/** A state whose clusters have one snapshot of each commit. */
const of = (...commits: readonly (string | undefined)[]) => ({
  resourceSnapshots: commits.map((commit, index) => ({ commit, index })),
  bindings: commits.map((_, index) => ({ resourceSnapshotIndex: index })),
});

it('authors are known of the planned commit and of the snapshots that clusters of changed placements have', async () => {
  const unchanged = of('c4');
  const pay = of('c1', 'c3', 'gone', 'broken');
  pay.resourceSnapshots.push({ commit: 'c5', index: 4 });
  const asked: string[] = [];
  const authors = await snapshotAuthors(
    {
      before: record({ web: of('c1'), shop: unchanged }),
      after: record({ web: of('c1', 'c2', undefined), shop: unchanged, pay }),
      commit: 'tip',
    },
    {
      author: own,
      desired: {
        authorOf: async (commit) => {
          asked.push(commit);
          if (commit === 'broken') throw new GitError('object-missing', 'not readable');
          const person = people[commit as keyof typeof people];
          return person && { ...person, at: 0 };
        },
      },
    },
  );
  expect(authors).toEqual(
    new Map([
      ['tip', 'Bob'],
      ['c1', 'Ann ops'],
    ]),
  );
  expect(asked).toEqual(['tip', 'c1', 'c2', 'c3', 'gone', 'broken']);
});
