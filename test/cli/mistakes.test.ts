import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { folder, put, removeFolders } from '../support/folders.ts';
import { commit, sh } from '../support/git-repository.ts';
import { member } from '../support/paper-fleet.ts';
import { cli } from '../support/run-cli.ts';
import { shop } from '../support/shop.ts';

afterEach(() => void vi.unstubAllEnvs());
afterEach(() => void vi.restoreAllMocks());
afterAll(removeFolders);

describe('run reports invalid flags', () => {
  it.each([
    [['--log-level', 'loud'], '--log-level loud is not known: use one of trace, debug, info, warn, error, silent'],
    [['--log-format', 'xml'], '--log-format xml is not known: use one of json, pretty'],
    [
      ['--listen', ':99999', '--members', 'simulated', '--simulated-fleet', 'fleet-repo-example/simulated-fleet.yaml'],
      '--listen :99999 is not an address: write for example 127.0.0.1:8080, or off',
    ],
    [
      [
        ...['--branch', 'main', '--status-branch', 'main', '--log-level', 'silent'],
        ...['--members', 'simulated', '--simulated-fleet', 'fleet-repo-example/simulated-fleet.yaml'],
      ],
      '--branch and --status-branch are both main: the status needs a branch of its own',
    ],
  ])('%j', async (args, reported) => {
    expect(await cli('run', ...args)).toEqual({ code: 2, out: '', err: `gitfleet: ${reported}\n` });
  });

  it.each([
    ['nowhere', [], 'nowhere does not exist: name another --repo'],
    ['trunk', [], 'trunk has no branch main, only trunk: commit to it, or name another --branch'],
    ['trunk', ['--branch', 'trnk'], 'trunk has no branch trnk: did you mean trunk?'],
  ])('and a repo %s without the branch (%j)', async (name, args, reported) => {
    const dir = folder();
    sh(dir, 'init', '-q', '-b', 'trunk', 'trunk');
    commit(join(dir, 'trunk'), shop);
    const simulated = ['--members', 'simulated', '--simulated-fleet', 'fleet-repo-example/simulated-fleet.yaml'];
    const ran = await cli('run', '--once', '--log-level', 'silent', '--repo', join(dir, name), ...simulated, ...args);
    expect(ran).toEqual({ code: 3, out: '', err: `gitfleet: ${dir}/${reported}\n` });
  });

  it('and missing members', async () => {
    const kubeconfig = join(folder(), 'none');
    vi.stubEnv('KUBECONFIG', kubeconfig);
    expect(await cli('run', '--repo', folder())).toEqual({
      code: 3,
      out: '',
      err: `gitfleet: --members is not given, and ${kubeconfig} cannot be read: no such file or directory\n`,
    });
  });
});

describe('standing in a folder of a clone', () => {
  const clone = folder();
  const inside = join(clone, 'placements');
  sh(clone, 'init', '-q');
  commit(clone, {
    ...shop,
    'teams/a/clusters/a-1.yaml': member('a-1'),
    'teams/a/fleet.yaml': 'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\n',
  });
  put(clone, { 'new/new-1.yaml': member('new-1') });

  const inFolder = (path: string, ...args: string[]) => {
    vi.spyOn(process, 'cwd').mockReturnValue(join(clone, path));
    return cli(...args);
  };

  it.each([
    ['placements', 'the whole clone', '12 fleet objects and 5 resources', /Commit [0-9a-f]{12}[.,]/],
    [
      'teams/a/clusters',
      'the nearest folder with a fleet.yaml',
      '2 fleet objects and 0 resources',
      /Commit [0-9a-f]{12}[.,]/,
    ],
    ['new', 'that folder, as nothing of it is committed', '1 fleet object and 0 resources', /Commit none/],
  ])('a command without --repo in %s reads %s', async (path, _, objects, commitOfPlan) => {
    expect((await inFolder(path, 'validate')).out).toContain(`${objects} read`);
    expect((await inFolder(path, 'plan')).out).toMatch(commitOfPlan);
  });

  it('only the folder that --repo names is validated, and the note explains how to validate the whole repo', async () => {
    expect(await inFolder('placements', 'validate', '--repo', '.')).toMatchObject({
      out: expect.stringMatching(/^\d+ fleet objects and 0 resources read/),
      err: `note: ${inside} is a folder inside the git repository ${clone}: only its files on disk are read, and no status; --repo ${clone} reads all of it, and with --path placements the fleet of this folder\n`,
    });
  });

  it('files that git ignores are left out, and a kubeconfig that it does not ignore is to be kept out of git', async () => {
    const dir = folder();
    sh(dir, 'init', '-q');
    const config = 'apiVersion: v1\nkind: Config\nusers: []\n';
    put(dir, {
      'fleet/kubeconfigs/eu-1.yaml': config,
      'fleet/eu-2.yaml': config,
      '.gitignore': 'kubeconfigs/\n/out/\n',
    });
    expect((await cli('validate', join(dir, 'fleet'))).out.split('\n').slice(0, -2)).toEqual([
      'eu-2.yaml:1:1: info[not-placed]: this is a kubeconfig',
      '    fix: keep it out of git: add its folder to .gitignore',
    ]);
    // Of a folder that git ignores all of it is read.
    put(dir, { 'out/eu-1.yaml': config });
    expect((await cli('validate', join(dir, 'out'))).out).toContain('this is a kubeconfig');
  });

  it('nothing is noted of a folder that is named, or is in no repository', async () => {
    expect((await cli('validate', inside)).err).toBe('');
    const plain = folder();
    put(plain, shop);
    vi.spyOn(process, 'cwd').mockReturnValue(plain);
    expect((await cli('validate')).err).toBe('');
  });
});

it('documents of explain and version name their kind', async () => {
  const dir = folder();
  put(dir, shop);
  const explained = await cli('explain', 'placement', 'web', '-o', 'json', '--repo', dir);
  const versions = await cli('version', '-o', 'json');
  expect([explained, versions].map(({ out }) => (JSON.parse(out) as { kind: string }).kind)).toEqual([
    'Explanation',
    'Version',
  ]);
});

it('describe offers only kinds that have a page', async () => {
  const dir = folder();
  expect((await cli('describe', 'foo', '--repo', dir)).err).toBe(
    'gitfleet: there is no kind foo: there are placement, binding, cluster, snapshot, policysnapshot, run, approval, gate, eviction, upgrade, version, profile, maintenanceconfiguration, versioncatalog, node, nodepool\n',
  );
});

it('a directory that does not exist is reported as such', async () => {
  const missing = join(folder(), 'missing');
  expect(await cli('get', 'runs', '--repo', missing)).toEqual({
    code: 3,
    out: '',
    err: `gitfleet: ${missing} cannot be read: no such file or directory\n`,
  });
});
