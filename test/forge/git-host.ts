import type { GitHost } from '../../src/simulator/forge/simulated-forge.ts';
import { sh } from '../support/git-repository.ts';
import type { MemoryRepo } from '../support/memory-repo.ts';

/** Its tips are there at once, also between requests. */
export interface TestHost extends GitHost {
  tips(): ReadonlyMap<string, string>;
}

/** A bare repository, by git itself. */
export const bareHost = (bare: string): TestHost => ({
  tips: () =>
    new Map(
      sh(bare, 'for-each-ref', '--format=%(refname:lstrip=2) %(objectname)', 'refs/heads')
        .split('\n')
        .map((line) => line.split(' ') as [string, string]),
    ),
  async merge(head, base, how, title = `${how} of ${head}`) {
    if (how === 'fast-forward') {
      sh(bare, 'merge-base', '--is-ancestor', base, head);
      sh(bare, 'update-ref', `refs/heads/${base}`, head);
      return;
    }
    const tree = sh(bare, 'merge-tree', '--write-tree', base, head).split('\n')[0]!;
    const parents = how === 'merge commit' ? ['-p', base, '-p', head] : ['-p', base];
    const message = how === 'rebase' ? sh(bare, 'log', '-1', '--format=%B', head) : title;
    const commit = sh(bare, 'commit-tree', tree, ...parents, '-m', message);
    sh(bare, 'update-ref', `refs/heads/${base}`, commit);
  },
});

/** A repository in memory. Branches that change other files than `base` did since are all that it can merge. */
export const memoryHost = (repo: MemoryRepo): TestHost => ({
  tips: () => new Map([...repo.refs].map(([ref, oid]) => [ref.slice('refs/heads/'.length), oid])),
  async merge(head, base, how, title = `${how} of ${head}`) {
    const [tip, target] = [repo.tip(head)!, repo.tip(base)!];
    if (await repo.objects.isAncestor(tip, target)) return;
    if (how === 'fast-forward') return void repo.refs.set(`refs/heads/${base}`, tip);
    const files = { ...(await repo.files(base)), ...(await repo.files(head)) };
    repo.commit(base, files, title, how === 'merge commit' ? [target, tip] : [target]);
  },
});
