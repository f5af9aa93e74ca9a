import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { approvalBranches } from '../../src/git/approval-branches.ts';
import { fleetFolder } from '../../src/git/fleet-folder.ts';
import { mergeTrees } from '../../src/git/merge-trees.ts';
import { openObjects } from '../../src/git/objects/open-objects.ts';
import { openBranches } from '../../src/git/open-branches.ts';
import { alwaysAsk } from '../../src/git/ref-poll.ts';
import { gitSource } from '../../src/git/source.ts';
import { folder, removeFolders } from '../support/folders.ts';
import { commit, gitThere, sh } from '../support/git-repository.ts';

afterAll(removeFolders);

describe('the folder of a fleet', () => {
  it.each([
    ['apps/fleet', 'apps/fleet/'],
    ['./apps//fleet/', 'apps/fleet/'],
    ['.', ''],
    ['', ''],
  ])('%s is %s', (path, expected) => expect(fleetFolder(path)).toBe(expected));

  it.each(['..', '../fleet', 'a/../b', '/etc', 'C:\\fleet', '..\\fleet', '.git', 'a/.git/b', 'a\nb'])(
    '%j is refused',
    (path) => expect(() => fleetFolder(path)).toThrow(/^--path /),
  );
});

describe.skipIf(!gitThere)('a fleet in a folder of a repo', () => {
  function monorepo() {
    const dir = folder();
    sh(dir, 'init', '-q');
    const first = commit(
      dir,
      { 'README.md': 'all', 'fleet.yaml': 'not of the fleet', 'apps/fleet/a.yaml': 'a' },
      'First',
    );
    const other = commit(dir, { 'README.md': 'more', 'apps/fleets/b.yaml': 'b' }, 'Other');
    const own = commit(dir, { 'apps/fleet/approvals/x.yaml': 'x', 'apps/fleet/b/c.yaml': 'c' }, 'Own');
    return { dir, first, other, own };
  }
  const open = async (dir: string, path: string) => {
    const branches = await openBranches({
      address: { kind: 'local', path: dir },
      mirrorDir: '',
      credentials: async () => undefined,
    });
    return gitSource(branches, { branch: 'main', folder: fleetFolder(path) }, alwaysAsk(branches));
  };

  it('has the files of the folder, with paths from there, and none of its neighbours', async () => {
    const { dir, first, own } = monorepo();
    const source = await open(dir, 'apps/fleet');
    expect(await source.poll()).toBe(own);
    const paths = async (id: string) => (await (await source.tree(id)).files()).map(({ path }) => path);
    expect(await paths(own)).toEqual(['a.yaml', 'approvals/x.yaml', 'b/c.yaml']);
    expect(await paths(first)).toEqual(['a.yaml']);
  });

  it('is asked for commits and files by their paths from there', async () => {
    const { dir, first, other, own } = monorepo();
    const source = await open(dir, 'apps/fleet');
    expect(await source.broughtBy({ tip: own, path: 'approvals/x.yaml' })).toMatchObject({ oid: own });
    const commits = await source.commitsBetween(first, own);
    expect(commits.map(({ oid }) => oid)).toEqual([own, other]);
    expect((await source.changingMoreThan('approvals/', commits)).map(({ oid }) => oid)).toEqual([own]);
    expect((await source.changingMoreThan('b/', commits)).map(({ oid }) => oid)).toEqual([own]);
    expect(await source.changingMoreThan('', commits)).toEqual([]);
  });

  it('knows the approval branches of fleets in other folders, also where others added to them', async () => {
    const { dir } = monorepo();
    commit(dir, { 'infra/fleet/a.yaml': 'a' }, 'Another fleet');
    const author = { name: 'gitfleet', email: 'gitfleet@localhost' };
    const approvals = async (path: string) => approvalBranches(await open(dir, path), { author, now: Date.now });
    const [apps, infra] = [await approvals('apps/fleet'), await approvals('infra/fleet')];
    await apps.request({ name: 'a', path: 'approvals/a.yaml', content: 'a' });
    await infra.request({ name: 'b', path: 'approvals/b.yaml', content: 'b' });
    const theirs = sh(dir, 'commit-tree', 'gitfleet/approve/b^{tree}', '-p', 'gitfleet/approve/b', '-m', 'Look at it');
    sh(dir, 'update-ref', 'refs/heads/gitfleet/approve/b', theirs);
    for (const again of [false, true]) {
      const mine = again ? await approvals('apps/fleet') : apps;
      expect(await mine.list()).toMatchObject({ names: ['a'], others: ['b'] });
    }
    expect(await infra.list()).toMatchObject({ names: ['b'], others: ['a'] });
    // The fleet of the whole repo has no neighbours.
    expect(await (await approvals('')).list()).toMatchObject({ names: ['a', 'b'], others: [] });
  });

  it.each(['apps/flet', 'README.md', 'apps/fleet/a.yaml', 'link'])(
    'an error names it where %s is no folder',
    async (path) => {
      const { dir } = monorepo();
      symlinkSync('apps/fleet', join(dir, 'link'));
      commit(dir, {}, 'Link');
      await expect((await open(dir, path)).poll()).rejects.toThrow(`has no folder ${path}/`);
    },
  );

  it('merges only its own files: what others changed crosswise is no conflict', async () => {
    const { dir, first } = monorepo();
    const side = (name: string, files: Record<string, string>) => {
      sh(dir, 'checkout', '-q', '-b', name, first);
      return commit(dir, files, name);
    };
    const ours = side('ours', { 'README.md': 'ours', 'other.yaml': 'ours', 'apps/fleet/a.yaml': 'ours' });
    const theirs = side('theirs', { 'other.yaml': 'theirs', 'apps/fleet/n.yaml': 'theirs' });
    const { tree, conflicts } = await mergeTrees(openObjects(join(dir, '.git'), true), {
      ours,
      theirs,
      folder: 'apps/fleet/',
    });
    expect([conflicts, (await tree.files()).map(({ path }) => path).sort()]).toEqual([[], ['a.yaml', 'n.yaml']]);
  });
});
