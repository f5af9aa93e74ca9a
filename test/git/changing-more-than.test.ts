import { expect, it } from 'vitest';
import { alwaysAsk } from '../../src/git/ref-poll.ts';
import { gitSource } from '../../src/git/source.ts';
import { MemoryRepo } from '../support/memory-repo.ts';

it('commits that change only files below a folder, and merges of them, are left out', async () => {
  const repo = new MemoryRepo(() => 0);
  const base = repo.commit('main', { 'a.yaml': '1' }, 'First');
  const approval = { 'approvals/web-1.yaml': 'yes' };
  const asked = repo.commit('request', { 'a.yaml': '1', ...approval }, 'Approve', [base]);
  repo.commit('main', { 'a.yaml': '1', ...approval }, 'Merge the approval', [base, asked]);
  const before = repo.commit('main', { 'a.yaml': '2', ...approval }, 'Change');
  const mixed = repo.commit('side', { 'a.yaml': '3' }, 'Change and withdraw', [before]);
  repo.commit('main', { 'a.yaml': '3' }, 'Merge both', [before, mixed]);
  const branches = repo.branches();
  const source = gitSource(branches, { branch: 'main' }, alwaysAsk(branches));
  const commits = await source.commitsBetween(base, repo.tip('main')!);
  const found = await source.changingMoreThan('approvals/', [...commits, await repo.objects.commit(base)]);
  expect(found.map(({ message }) => message).sort()).toEqual(['Change', 'Change and withdraw', 'First', 'Merge both']);
});
