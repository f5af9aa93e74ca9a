import { expect, it } from 'vitest';
import { giteaDialect } from '../../src/simulator/forge/gitea-dialect.ts';
import { SimulatedForge } from '../../src/simulator/forge/simulated-forge.ts';

it.each([
  ['merged by git', 'Ann', '#1 Approve web-1 (merged by Ann)\n\nMerging starts prod.\n'],
  ['deleted', undefined, '#1 Approve web-1 (closed)\n\nMerging starts prod.\n'],
])('the page of a pull request whose branch is %s', async (_, merger, expected) => {
  const git = { tips: () => new Map(), merge: async () => {}, mergerOf: async () => merger };
  const forge = new SimulatedForge(giteaDialect, git, () => 0);
  const text = { title: 'Approve web-1', body: 'Merging starts prod.', state: 'open' as const };
  const lists = { comments: [], labels: [], reviewers: [], reviews: [] };
  forge.pulls.push({ number: 1, head: 'approve', base: 'main', headCommit: 'a'.repeat(40), ...text, ...lists });
  const read = async (path: string) => forge.answer({ method: 'GET', path, headers: {} });
  expect((await read('/demo/fleet/pulls/1')).body).toBe(expected);
  const list = `${expected.split('\n')[0]}\n  https://forge.example/acme/fleet/pulls/1\n`;
  for (const path of ['/', '/demo/fleet', '/demo/fleet/pulls', '/demo/fleet/pulls/?state=open'])
    expect(await read(path)).toMatchObject({ status: 200, body: list });
  for (const path of ['/api/v1/repos/demo/fleet/pulls', '/api/v1/user', '/demo/fleet/issues'])
    expect(await read(path)).toMatchObject({ status: 401 });
});
