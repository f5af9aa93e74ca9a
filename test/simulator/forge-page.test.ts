import { expect, it } from 'vitest';
import { giteaDialect } from '../../src/simulator/forge/gitea-dialect.ts';
import { SimulatedForge } from '../../src/simulator/forge/simulated-forge.ts';

it.each([
  ['merged by git', 'Ann', '#1 Approve web-1 (merged by Ann)\n\nAs it was requested:\n\nMerging starts prod.\n'],
  ['deleted', undefined, '#1 Approve web-1 (closed)\n\nAs it was requested:\n\nMerging starts prod.\n'],
])('the page of a pull request whose branch is %s', async (_, merger, expected) => {
  const git = { tips: () => new Map(), merge: async () => {}, mergerOf: async () => merger };
  const forge = new SimulatedForge(giteaDialect, git, () => 0);
  const text = { title: 'Approve web-1', body: 'Merging starts prod.', state: 'open' as const };
  const lists = { comments: [], labels: [], reviewers: [], reviews: [] };
  forge.pulls.push({ number: 1, head: 'approve', base: 'main', headCommit: 'a'.repeat(40), ...text, ...lists });
  const { body } = await forge.answer({ method: 'GET', path: '/demo/fleet/pulls/1', headers: {} });
  expect(body).toBe(expected);
});
