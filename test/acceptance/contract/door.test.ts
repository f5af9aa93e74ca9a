import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { type Document, type Files, filesOf, folder, removeFolders } from '../../support/folders.ts';
import { cli } from '../../support/run-cli.ts';
import { app, members, placement, T0 } from '../rollout/world.ts';

afterEach(removeFolders);

const shop: Files = {
  ...members('a b'),
  'web.yaml': placement('{placementType: PickAll}'),
  'resources/web.yaml': app('web:1'),
};
const git = (cwd: string, ...args: string[]) =>
  promisify(execFile)('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', '-C', cwd, ...args]);

describe('exit code of plan', () => {
  const code = async (files: Files, ...flags: string[]): Promise<number> =>
    (await cli('plan', '--repo', folder(files), '--now', T0, ...flags)).code;

  it('0: nothing to do', async () => {
    expect(await code({})).toBe(0);
    const recorded = folder();
    await code(shop, '--out-recorded', recorded);
    expect(await code(shop, '--recorded', recorded)).toBe(0);
  });

  it('1: something to do', async () => {
    expect(await code(shop)).toBe(1);
  });

  it('0: warnings never count', async () => {
    expect(await code({ 'odd.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n' })).toBe(0);
  });

  it('2: any problem of severity error, whatever else there is to do', async () => {
    const { code: exitCode, out } = await cli(
      ...['plan', '--repo', folder({ ...shop, 'bad.yaml': '{' }), '--now', T0, '-o', 'json'],
    );
    expect(exitCode).toBe(2);
    expect(JSON.parse(out).targets).toHaveLength(2);
  });

  it('4: refused by the guard; the document and the record are there all the same', async () => {
    const recorded = folder();
    await code(shop, '--out-recorded', recorded);
    const out = folder();
    const refused = await cli(
      ...['plan', '--repo', folder(members('a b')), '--recorded', recorded, '--out-recorded', out],
      ...['--now', T0, '-o', 'json'],
    );
    expect(refused.code).toBe(4);
    const document = JSON.parse(refused.out);
    expect(document.guard[0]).toMatchObject({ rule: expect.any(String), removalDigest: expect.any(String) });
    expect(document.targets.map(({ clusterName, remove }: Document) => [clusterName, remove])).toEqual([
      ['a', true],
      ['b', true],
    ]);
    expect(filesOf(out)).toEqual(document.record);
  });

  it('2 goes before 4', async () => {
    const recorded = folder();
    await code(shop, '--out-recorded', recorded);
    expect(await code({ ...members('a b'), 'bad.yaml': 'kind: Nope\napiVersion: gitfleet.dev/v1alpha1\n' })).toBe(2);
  });

  it.each([
    ['--repo that is not there', ['--repo', '/nowhere/at/all']],
    ['--observed that is not there', ['--observed', '/nowhere/at/all']],
    ['--recorded that is not there', ['--recorded', '/nowhere/at/all']],
    ['--ref of a folder without git', ['--ref', 'main']],
  ])('3: a %s', async (_, flags) => {
    const { code: exitCode, err } = await cli('plan', '--repo', folder(shop), '--now', T0, ...flags);
    expect([exitCode, err]).toEqual([3, expect.stringContaining('cannot be read')]);
  });

  it('not 3: a member that could not be reached', async () => {
    const observed = `{apiVersion: gitfleet.dev/v1alpha1, kind: ClusterObservation, metadata: {name: a}, observedAt: "2026-11-20T09:00:00Z", reachable: false, cause: refused}`;
    expect(await code(shop, '--observed', join(folder({ 'a.yaml': observed }), 'a.yaml'))).toBe(0);
  });

  it('2: a --now that is not an instant', async () => {
    expect(await code(shop, '--now', 'tomorrow')).toBe(2);
  });
});

it('--now is an instant, in whatever zone it is given', async () => {
  const planned = async (now: string) =>
    JSON.parse((await cli('plan', '--repo', folder(shop), '--now', now, '-o', 'json')).out);
  expect(await planned('2026-11-20T12:00:00.000+02:00')).toEqual(await planned('2026-11-20T10:00:00Z'));
});

describe('--repo', () => {
  it('reads a plain folder as it is on disk; its commit changes with its files and with nothing else', async () => {
    const commit = async (files: Files): Promise<string> =>
      JSON.parse((await cli('plan', '--repo', folder(files), '--now', T0, '-o', 'json')).out).commit;
    expect(await commit(shop)).toBe(await commit(shop));
    expect(await commit(shop)).not.toBe(await commit({ ...shop, 'resources/web.yaml': app('web:2') }));
  });

  it('reads a commit of a git repository, HEAD unless --ref names another', async () => {
    const repo = folder(shop);
    await git(repo, 'init', '-q', '-b', 'main');
    await git(repo, 'add', '.');
    await git(repo, 'commit', '-qm', 'one');
    await git(repo, 'tag', 'one');
    await writeFile(join(repo, 'clusters/c.yaml'), members('c')['clusters/c.yaml']!);
    await git(repo, 'add', '.');
    await git(repo, 'commit', '-qm', 'two');
    await writeFile(join(repo, 'clusters/d.yaml'), members('d')['clusters/d.yaml']!);
    const plan = async (...flags: string[]): Promise<Document> =>
      JSON.parse((await cli('plan', '--repo', repo, '--now', T0, '-o', 'json', ...flags)).out);
    const names = ({ placements }: Document) =>
      placements[0].bindings.map(({ clusterName }: Document) => clusterName).join(' ');
    expect(names(await plan())).toBe('a b c');
    expect(names(await plan('--ref', 'one'))).toBe('a b');
    const { stdout } = await git(repo, 'rev-parse', 'one');
    const first = stdout.trim();
    expect((await plan('--ref', first)).commit).toBe(first);
    expect((await plan('--ref', 'one')).commit).toBe(first);
    expect((await cli('plan', '--repo', repo, '--ref', 'nothing', '--now', T0)).code).toBe(3);
  });

  it('takes its record from the status branch unless --recorded names another', async () => {
    const repo = folder(shop);
    const recorded = folder();
    await git(repo, 'init', '-q', '-b', 'main');
    await git(repo, 'add', '.');
    await git(repo, 'commit', '-qm', 'one');
    const plan = async (...flags: string[]) => cli('plan', '--repo', repo, '--now', T0, ...flags);
    expect((await plan('--out-recorded', recorded)).code).toBe(1);
    await git(repo, 'checkout', '-q', '--orphan', 'fleet-status');
    await git(repo, 'rm', '-rqf', '.');
    for (const [path, text] of Object.entries(filesOf(recorded))) {
      await promisify(execFile)('mkdir', ['-p', join(repo, path, '..')]);
      await writeFile(join(repo, path), text);
    }
    await git(repo, 'add', '.');
    await git(repo, 'commit', '-qm', 'status');
    await git(repo, 'checkout', '-q', 'main');
    expect((await plan()).code).toBe(0);
    expect((await plan('--recorded', folder())).code).toBe(1);
  });
});

describe('the fleet repo', () => {
  const decisions = async (files: Files): Promise<Document> => {
    const { out } = await cli('plan', '--repo', folder(files), '--now', T0, '-o', 'json');
    const { placements, targets, problems } = JSON.parse(out);
    return { placements, targets, problems };
  };
  it('reports problems of items of a List at their fields, also those that only planning finds', async () => {
    const list = [
      'apiVersion: v1',
      'kind: List',
      'items:',
      '  - apiVersion: cluster.kubernetes-fleet.io/v1',
      '    kind: MemberCluster',
      '    metadata: {name: b}',
      '    spec: {heartbeatPeriodSeconds: 0}',
      '  - apiVersion: placement.kubernetes-fleet.io/v1beta1',
      '    kind: ClusterResourcePlacementEviction',
      '    metadata: {name: out}',
      '    spec: {placementName: web, clusterName: a}',
      '',
    ].join('\n');
    const fixed = placement('{placementType: PickFixed, clusterNames: [a]}');
    const { problems } = await decisions({ ...members('a'), 'all.yaml': list, 'web.yaml': fixed });
    expect(problems.map(({ code, line, column, path }: Document) => [code, line, column, path])).toEqual([
      ['out-of-range', 7, 12, 'spec.heartbeatPeriodSeconds'],
      ['dangling-reference', 7, 49, 'spec.resourceSelectors.0.name'],
      ['eviction-refused', 11, 5, 'spec'],
    ]);
    expect(problems.some((problem: Document) => 'inside' in problem)).toBe(false);
  });

  const plain = Object.values(members('a b'));
  const web = placement('{placementType: PickAll}');

  it.each<[string, Files]>([
    ['in one file', { 'fleet.yml': [...plain, web].join('\n---\n'), 'resources/all.yaml': app('web:1') }],
    [
      'deep in folders of any name',
      { 'a/b/c/d.yaml': plain[0]!, 'x.yaml': plain[1]!, 'teams/web/p.yaml': web, 'resources/q/r/s.yaml': app('web:1') },
    ],
    ['under resources/, too', { 'resources/fleet.yaml': [...plain, web, app('web:1')].join('\n---\n') }],
  ])('is read in any layout: %s', async (_, files) => {
    expect(await decisions(files)).toEqual(await decisions(shop));
  });

  it('is read from JSON and from Lists', async () => {
    const { parseAllDocuments } = await import('yaml');
    const values = (text: string): object[] =>
      (parseAllDocuments(text) as { toJS(): object }[]).map((document) => document.toJS());
    const files = {
      'fleet.json': JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [...plain, web].flatMap(values) }),
      'resources/list.yaml': JSON.stringify({ apiVersion: 'v1', kind: 'List', items: values(app('web:1')) }),
    };
    expect(await decisions(files)).toEqual(await decisions(shop));
  });

  it('is read in KubeFleet v1 as in v1beta1', async () => {
    const older = (text: string): string => text.replaceAll('fleet.io/v1\n', 'fleet.io/v1beta1\n');
    const newer = (text: string): string => text.replaceAll('fleet.io/v1beta1\n', 'fleet.io/v1\n');
    const all = (change: (text: string) => string): Files =>
      Object.fromEntries(Object.entries(shop).map(([path, text]) => [path, change(text)]));
    expect(await decisions(all(older))).toEqual(await decisions(all(newer)));
  });

  it('leaves out folders that start with a dot, and documents that are no objects', async () => {
    const odd = { '.github/workflows/ci.yaml': 'on: push\njobs: {}\n', 'values.yaml': 'a: 1\n', 'notes.yaml': '- x\n' };
    expect(await decisions({ ...shop, ...odd })).toEqual(await decisions(shop));
  });
});
