import { describe, expect, it } from 'vitest';
import { broughtBy } from '../../src/git/brought-by.ts';
import { MemoryRepo } from '../support/memory-repo.ts';

const path = 'approvals/web-1.yaml';

/** A branch of ten commits, of which the fourth brings the approval. */
function history() {
  const repo = new MemoryRepo(() => 0);
  const files: Record<string, string> = { 'web.yaml': '0' };
  const commits = Array.from({ length: 10 }, (_, at) => {
    files['web.yaml'] = String(at);
    if (at === 3) files[path] = 'yes';
    return repo.commit('main', files, `Commit ${at}`);
  });
  return { repo, commits, files };
}

const found = async (repo: MemoryRepo, of: Parameters<typeof broughtBy>[1]) => {
  const commit = await broughtBy(repo.objects, of);
  return typeof commit === 'object' ? commit.oid : commit;
};

describe('the commit that brought a file', () => {
  it('is the one that added it', async () => {
    const { repo, commits } = history();
    for (const tip of commits.slice(3)) expect(await found(repo, { tip, path })).toBe(commits[3]);
  });

  it('is the one that changed it last', async () => {
    const { repo, files } = history();
    const changed = repo.commit('main', { ...files, [path]: 'no' });
    expect(await found(repo, { tip: repo.commit('main', { ...files, [path]: 'no', more: '' }), path })).toBe(changed);
  });

  it('of a merge is the merge, not a commit of the merged branch', async () => {
    const repo = new MemoryRepo(() => 0);
    const base = repo.commit('main', { a: '' });
    const asked = repo.commit('request', { a: '', [path]: 'yes' }, 'Approve', [base]);
    const merge = repo.commit('main', { a: '', [path]: 'yes' }, 'Merge', [base, asked]);
    expect(await found(repo, { tip: merge, path })).toBe(merge);
  });

  it('is the first commit where that has the file', async () => {
    const repo = new MemoryRepo(() => 0);
    const first = repo.commit('main', { [path]: 'yes' });
    expect(await found(repo, { tip: repo.commit('main', { [path]: 'yes', b: '' }), path })).toBe(first);
  });

  it('lies before a tip after which the file did not change', async () => {
    const { repo, commits } = history();
    expect(await found(repo, { tip: commits[9]!, path, since: commits[5] })).toBe('before');
    expect(await found(repo, { tip: commits[9]!, path, since: commits[3] })).toBe('before');
    expect(await found(repo, { tip: commits[9]!, path, since: commits[2] })).toBe(commits[3]);
  });

  it('is none where the last change removed the file', async () => {
    const { repo, commits, files } = history();
    const { [path]: _, ...others } = files;
    const tip = repo.commit('main', { ...others, more: '' });
    expect(await found(repo, { tip, path })).toBe('removed');
    expect(await found(repo, { tip, path, since: commits[1] })).toBe('removed');
    expect(await found(repo, { tip: repo.commit('main', others), path, since: tip })).toBe('before');
  });

  it('is unknown where the history ends before it, and found behind many commits', async () => {
    const { repo, commits, files } = history();
    const clone = repo.branches({ lost: new Set([commits[5]!]) });
    expect(await broughtBy(clone.objects, { tip: commits[9]!, path })).toBeUndefined();
    for (let at = 0; at < 80; at++) repo.commit('main', { ...files, 'web.yaml': `later ${at}` });
    expect(await found(repo, { tip: repo.tip('main')!, path })).toBe(commits[3]);
  });
});
