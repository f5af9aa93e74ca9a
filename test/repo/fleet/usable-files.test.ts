import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openRepo } from '../../../src/cli/fleet-repo/open-repo.ts';
import { openDirectory } from '../../../src/repo/directory-tree.ts';
import { memoryCache } from '../../../src/repo/fleet/load-cache.ts';
import { loadFleet } from '../../../src/repo/fleet/load-fleet.ts';
import { usableFiles } from '../../../src/repo/fleet/usable-files.ts';
import type { RepoTree } from '../../../src/repo/tree.ts';
import { folder, put, removeFolders } from '../../support/folders.ts';
import { commit, gitThere, sh } from '../../support/git-repository.ts';
import { member } from '../../support/paper-fleet.ts';

afterEach(removeFolders);

interface Entry {
  readonly mode?: string;
  readonly text: string;
}

function treeOf(entries: Readonly<Record<string, Entry | string>>): RepoTree {
  const all = Object.entries(entries).map(([path, entry]) => ({
    path,
    oid: `oid of ${path}`,
    mode: '100644',
    ...(typeof entry === 'string' ? { text: entry } : entry),
  }));
  const contents = new Map(all.map(({ oid, text }) => [oid, new TextEncoder().encode(text)]));
  return {
    id: 'tree',
    files: async () => all.map(({ path, oid, mode }) => ({ path, oid, mode })),
    read: async (oids) =>
      new Map(oids.flatMap((oid) => (contents.has(oid) ? [[oid, contents.get(oid)!] as const] : []))),
  };
}

async function load(tree: RepoTree): Promise<{ members: string[]; said: string[]; unreadable: readonly string[] }> {
  const { members, problems, unreadable } = await loadFleet(tree, memoryCache());
  return {
    members: members.map(({ metadata }) => metadata.name),
    said: problems.map(({ severity, code, file }) => `${severity} ${code} ${file}`),
    unreadable,
  };
}

const link = (text: string): Entry => ({ mode: '120000', text });
const submodule: Entry = { mode: '160000', text: '' };

it('what is below resources/ of another folder is shown --path', async () => {
  const { problems } = await loadFleet(
    treeOf({ 'sub/resources/a.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n' }),
  );
  expect(problems.map(({ fix }) => fix)).toEqual(['move it under resources/ to place it, or use --path sub']);
});

describe('skipped files of a tree are reported, and the others are read', () => {
  it.each<
    [what: string, entries: Readonly<Record<string, Entry | string>>, said: readonly string[], held: readonly string[]]
  >([
    ['a link beside the repo', { 'b.yaml': link('../other/b.yaml') }, ['error escaping-symlink b.yaml'], ['b.yaml']],
    ['a link out of the repo', { 'b.yaml': link('../../etc/passwd') }, ['error escaping-symlink b.yaml'], ['b.yaml']],
    ['an absolute link', { 'x/b.yaml': link('/etc/passwd') }, ['error escaping-symlink x/b.yaml'], ['x/b.yaml']],
    ['a link inside the repo', { 'x/b.yaml': link('../a.yaml') }, ['warning symlink x/b.yaml'], []],
    ['a submodule', { vendor: submodule }, ['warning submodule vendor'], []],
    ['a submodule of resources', { 'resources/x': submodule }, ['error submodule resources/x'], ['resources/x']],
    ['a path that climbs', { 'x/../../b.yaml': member('b') }, ['error unsafe-path x/../../b.yaml'], ['x/../../b.yaml']],
    ['a path with a backslash', { 'x\\b.yaml': member('b') }, ['error unsafe-path x\\b.yaml'], ['x\\b.yaml']],
    [
      'paths that are one to some file systems',
      { 'B.yaml': member('b'), 'b.yaml': member('c') },
      ['error case-collision B.yaml', 'error case-collision b.yaml'],
      [],
    ],
    [
      'an LFS pointer',
      { 'b.yaml': 'version https://git-lfs.github.com/spec/v1\n' },
      ['error lfs-pointer b.yaml'],
      ['b.yaml'],
    ],
    [
      'what is not UTF-8',
      { 'resources/b.yaml': 'a: \uFFFD' },
      ['error not-utf-8 resources/b.yaml'],
      ['resources/b.yaml'],
    ],
    [
      'input of Kustomize',
      { 'resources/kustomization.yaml': 'a: 1' },
      ['info not-rendered resources/kustomization.yaml'],
      [],
    ],
    [
      'input of Kustomize in a file of another name',
      {
        'resources/web.yaml': 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [a.yaml]\n',
      },
      ['info not-rendered resources/web.yaml'],
      [],
    ],
    [
      'a chart, once',
      {
        'resources/web/Chart.yaml': 'name: web',
        'resources/web/templates/a.yaml': '{{ x }}',
        'resources/web/values.yaml': 'a: 1',
      },
      ['info not-rendered resources/web/Chart.yaml'],
      [],
    ],
    ['a folder that begins with a dot', { '.github/workflows/ci.yaml': 'on: [push]' }, [], []],
    [
      'what names a YAML version',
      { 'resources/b.yaml': '%YAML 1.1\n---\na: 1\n' },
      ['error yaml-directive resources/b.yaml'],
      ['resources/b.yaml'],
    ],
    [
      'more documents than anybody writes',
      { 'resources/b.yaml': '---\na: 1\n'.repeat(20_001) },
      ['error too-many-documents resources/b.yaml'],
      ['resources/b.yaml'],
    ],
  ])('%s', async (_, entries, said, held) => {
    const found = await load(treeOf({ 'a.yaml': member('a'), ...entries }));
    expect(found).toEqual({ members: ['a'], said, unreadable: held });
  });

  it('a file whose contents are not there', async () => {
    const tree = treeOf({ 'a.yaml': member('a'), 'b.yaml': member('b') });
    const partly = {
      ...tree,
      read: (oids: readonly string[]) => tree.read(oids.filter((oid) => !oid.endsWith('b.yaml'))),
    };
    expect(await load(partly)).toEqual({
      members: ['a'],
      said: ['error contents-missing b.yaml'],
      unreadable: ['b.yaml'],
    });
  });
});

describe.skipIf(!gitThere)('a clone and a plain folder of the same files', () => {
  it('are read alike: links and submodules are not followed, files that begin with a dot are files', async () => {
    const outside = folder();
    put(outside, { 'secret.yaml': member('outside') });
    const dir = folder();
    sh(dir, 'init', '-q');
    put(dir, { 'a.yaml': member('a'), '.b.yaml': member('b'), '.hidden/c.yaml': member('c') });
    symlinkSync(join(outside, 'secret.yaml'), join(dir, 'link.yaml'));
    symlinkSync(outside, join(dir, 'folder'));
    commit(dir, {});
    const plain = folder();
    mkdirSync(join(plain, 'fleet'));
    execFileSync('cp', [
      '-a',
      ...['a.yaml', '.b.yaml', '.hidden', 'link.yaml', 'folder'].map((file) => join(dir, file)),
      join(plain, 'fleet'),
    ]);

    const said = ['error escaping-symlink folder', 'error escaping-symlink link.yaml'];
    const expected = { members: ['a', 'b'], said, unreadable: ['folder', 'link.yaml'] };
    expect(await load(await openDirectory(join(plain, 'fleet')))).toEqual(expected);

    const head = sh(dir, 'rev-parse', 'HEAD');
    sh(dir, 'update-index', '--add', '--cacheinfo', `160000,${head},vendor`);
    sh(dir, 'commit', '-qm', 'Add a submodule');
    const repo = await openRepo(dir);
    expect(await load(repo.tree)).toEqual({ ...expected, said: [...said, 'warning submodule vendor'] });
    await repo.close();
  });
});

it('files whose sizes are known count towards the limit of all, too', async () => {
  const names = Array.from({ length: 40 }, (_, at) => `${at}.yaml`);
  const { files, refused } = await usableFiles(
    treeOf(Object.fromEntries(names.map((name) => [name, '']))),
    () => 2 ** 24,
  );
  expect([files.length, refused.length]).toEqual([32, 8]);
});
