import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { simulatedMembers } from '../../../src/cli/simulate/members.ts';
import { scaledClock } from '../../../src/simulator/clock.ts';
import { folder, put, removeFolders } from '../../support/folders.ts';
import { gitThere, sh } from '../../support/git-repository.ts';
import { cli } from '../../support/run-cli.ts';

afterAll(removeFolders);

let dir: string;
let repo: string;
let close: () => Promise<void>;
const kubeconfig = (): string => join(dir, 'kubeconfig');
const members = (): string => join(repo, 'kubeconfigs');
const author = ['--git-author', 'Ann <ann@example.com>'];
const joins = (context: string, ...more: string[]) =>
  cli('join', context, '--repo', repo, '--members', members(), '--kubeconfig', kubeconfig(), ...author, ...more);
const checks = (...more: string[]) => cli('check', '--repo', repo, '--members', members(), ...more);

beforeEach(async () => {
  dir = folder({
    'sim.yaml':
      'apiVersion: gitfleet.dev/v1alpha1\nkind: SimulatedFleet\nmetadata: {name: t}\nspec: {members: [{name: kind-eu-1}, {name: us-1}, {name: locked, faults: [{type: Unauthorized, fromSeconds: 0, probability: 1}]}]}\n',
  });
  const simulated = await simulatedMembers(join(dir, 'sim.yaml'), scaledClock(Date.now(), 10));
  await simulated.listen(kubeconfig());
  close = simulated.close;
  repo = join(dir, 'fleet');
  expect((await cli('init', repo)).code).toBe(0);
  sh(repo, 'add', '.');
  sh(repo, 'commit', '-qm', 'First version');
});
afterEach(() => close());

describe.skipIf(!gitThere)('init', () => {
  it('writes a fleet repo without mistakes that places something', async () => {
    const validated = await cli('validate', repo, '--strict');
    expect(validated).toMatchObject({ code: 0, out: expect.stringContaining('0 errors, 0 warnings, 0 notes') });
    const plan = await cli('plan', '--repo', repo);
    expect(plan).toMatchObject({ code: 1, out: expect.stringContaining('1 to add') });
  });

  it('refuses a folder that is not empty, and keeps a repository that was just made', async () => {
    expect(await cli('init', repo)).toMatchObject({ code: 2, err: expect.stringContaining('is not empty') });
    const fresh = folder();
    sh(fresh, 'init', '-q', '-b', 'trunk');
    expect((await cli('init', fresh)).code).toBe(0);
    expect(sh(fresh, 'symbolic-ref', '--short', 'HEAD')).toBe('trunk');
  });
});

describe.skipIf(!gitThere)('join', () => {
  it('creates the account, its kubeconfig and the MemberCluster, and once more changes nothing', async () => {
    const first = await joins('us-1', '--label', 'env=prod');
    expect(first).toMatchObject({ code: 0, out: expect.stringContaining('us-1 joins the fleet: commit') });
    expect(first.err).toContain('is an address of this machine only');
    expect(readFileSync(join(repo, 'clusters/us-1.yaml'), 'utf8')).toContain('env: prod');
    expect(first.out).toContain(`Next: gitfleet check --repo ${repo} --members ${members()}\n`);
    expect(first.err).toContain('clusters/eu-1.yaml is the placeholder of gitfleet init: delete it');
    const path = join(members(), 'us-1.yaml');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const written = readFileSync(path, 'utf8');
    expect(written).toContain('token: simulated-token-of-gitfleet');
    expect(sh(repo, 'status', '--short')).toBe('');
    const tip = sh(repo, 'rev-parse', 'main');
    const second = await joins('us-1', '--label', 'env=prod');
    expect(second).toMatchObject({ code: 0, out: expect.stringContaining('us-1 is in the fleet') });
    expect(second.out).not.toMatch(/created|\bchanged$/m);
    expect(readFileSync(path, 'utf8')).toBe(written);
    expect(sh(repo, 'rev-parse', 'main')).toBe(tip);
  });

  it('prints all of it with --dry-run, and changes nothing', async () => {
    const ran = await joins('kind-eu-1', '--name', 'eu-1', '--label', 'region=west', '--dry-run');
    for (const part of ['kind: ClusterRole\n', 'kind: ServiceAccount', 'current-context: eu-1', '+     region: west'])
      expect(ran.out).toContain(part);
    expect(ran.out).not.toContain('simulated-token');
    expect(existsSync(members())).toBe(false);
    expect(sh(repo, 'log', '--oneline').split('\n')).toHaveLength(1);
    expect((await joins('kind-eu-1', '--name', 'eu-1')).out).toContain(
      'ClusterRole gitfleet-member               created',
    );
  });

  it('keeps the comments of a MemberCluster that is there, and commits to a branch for a pull request', async () => {
    const ran = await joins('kind-eu-1', '--name', 'eu-1', '--label', 'env=prod', '--pull-request');
    expect(ran).toMatchObject({ code: 0, out: expect.stringContaining('on gitfleet/join/eu-1') });
    const file = sh(repo, 'show', 'gitfleet/join/eu-1:clusters/eu-1.yaml');
    expect(file).not.toContain('A placeholder');
    expect(file).toContain('# Placements select clusters by labels.\n    env: prod');
    expect(readFileSync(join(repo, 'clusters/eu-1.yaml'), 'utf8')).toContain('env: dev');
  });

  it.each<[string, string[], string]>([
    ['a context that is not there', ['nowhere'], 'there is no context nowhere'],
    ['a label that is none', ['us-1', '--label', 'prod'], '--label prod is not a label: write for example env=prod'],
    ['a name that no member can have', ['us-1', '--name', 'EU_1'], 'EU_1 cannot be the name of a member'],
  ])('refuses %s', async (_, [context, ...more], reported) => {
    expect(await joins(context!, ...more)).toMatchObject({ code: 2, out: '', err: expect.stringContaining(reported) });
  });

  it('refuses a cluster that is a member already, and a name of another cluster unless that is meant', async () => {
    await joins('us-1', '--label', 'env=prod');
    const path = join(members(), 'us-1.yaml');
    const before = readFileSync(path, 'utf8');
    const tip = sh(repo, 'rev-parse', 'main');
    expect(await joins('us-1', '--name', 'us-2')).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('us-1 is the cluster of member us-1 already'),
    });
    expect(await joins('kind-eu-1', '--name', 'us-1')).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('is of another cluster than kind-eu-1, or of one that does not respond'),
    });
    expect(readFileSync(path, 'utf8')).toBe(before);
    expect(sh(repo, 'rev-parse', 'main')).toBe(tip);
    expect(await joins('kind-eu-1', '--name', 'us-1', '--replace')).toMatchObject({ code: 0 });
    expect(readFileSync(path, 'utf8')).not.toBe(before);
  });

  it('ends with exit code 3 and what to do where the login of the context is not accepted', async () => {
    expect(await joins('locked')).toMatchObject({
      code: 3,
      err: expect.stringMatching(/on locked: 401, Unauthorized: log in again, or name another context\n$/),
    });
  });

  it('refuses to write a token where git would commit it, and over a kubeconfig that it did not write', async () => {
    const open = await joins('us-1', '--members', join(repo, 'clusters'));
    const line = `with a token in it: add the line /clusters/ to ${repo}/.gitignore`;
    expect(open).toMatchObject({ code: 2, err: expect.stringContaining(line) });
    put(repo, { 'kubeconfigs/us-1.yaml': 'mine' });
    expect(await joins('us-1')).toMatchObject({ code: 2, err: expect.stringContaining('did not write it') });
    expect(readFileSync(join(members(), 'us-1.yaml'), 'utf8')).toBe('mine');
  });
});

describe.skipIf(!gitThere)('check', () => {
  it('lists what is well, what is missing and what to do', async () => {
    await joins('us-1', '--label', 'env=prod');
    const ran = await checks('-o', 'json');
    expect(ran.code).toBe(3);
    const { checks: found } = JSON.parse(ran.out) as { checks: { state: string; check: string; name: string }[] };
    expect(found.map(({ state, check, name }) => `${state} ${check} ${name.split('/').at(-1)}`)).toEqual([
      'ok repo fleet',
      'ok push fleet-status',
      'ok forge none',
      'unreachable member eu-1',
      'ok member us-1',
      'ok rights us-1',
      'ok clock us-1',
    ]);
    await joins('kind-eu-1', '--name', 'eu-1');
    const all = await checks();
    expect(all).toMatchObject({ code: 0, err: '' });
    expect(all.out).toContain(', 2 clusters, 1 placement\n');
    expect(all.out).toMatch(/ok +rights +eu-1 +all 19 that are needed/);
  });

  it('reports one cluster under two names, and contexts that have another name than their member', async () => {
    await joins('us-1');
    const path = join(members(), 'us-1.yaml');
    put(repo, { 'kubeconfigs/eu-1.yaml': readFileSync(path, 'utf8') });
    const doubled = await checks();
    expect(doubled.code).toBe(1);
    for (const [name, other] of [
      ['eu-1', 'us-1'],
      ['us-1', 'eu-1'],
    ])
      expect(doubled.out).toMatch(
        new RegExp(`failed +member +${name} +it is the same cluster as ${other}: correct the`),
      );
    const ran = await checks('--members', kubeconfig());
    expect(ran.out).toMatch(
      /warning +contexts +.*the kubeconfig has kind-eu-1, locked, and no MemberCluster of such a name/,
    );
  });

  it('reports files that are invalid', async () => {
    await joins('us-1');
    await joins('kind-eu-1', '--name', 'eu-1');
    put(repo, { 'placements/bad.yaml': 'kind: ClusterResourcePlacement\n' });
    sh(repo, 'add', '.');
    sh(repo, 'commit', '-qm', 'Bad');
    expect(await checks()).toMatchObject({ code: 1, out: expect.stringContaining('gitfleet validate lists them') });
  });
});
