import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { systemClock } from '../../../src/members/clock.ts';
import { kubeconfigOf } from '../../../src/simulator/kubeconfig.ts';
import { type Listening, listen } from '../../../src/simulator/listen.ts';
import { openMember, type SimulatedMember } from '../../../src/simulator/member.ts';
import { folder, removeFolders } from '../../support/folders.ts';
import { commit, sh } from '../../support/git-repository.ts';
import { deployment, member } from '../../support/paper-fleet.ts';
import { cli } from '../../support/run-cli.ts';
import { place, shop } from '../../support/shop.ts';

/** So that what moves does not depend on what is ready when the record is written. */
const everywhereAtOnce = place('web', {
  policy: { placementType: 'PickFixed', clusterNames: ['eu-1', 'us-1'] },
  strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '100%', maxSurge: '100%' } },
});
const dir = folder();
const kubeconfig = join(folder(), 'kubeconfig');
let members: Map<string, SimulatedMember>;
let listening: Listening;

beforeAll(async () => {
  members = new Map();
  for (const name of ['dev-1', 'eu-1', 'us-1']) members.set(name, await openMember({ name }, systemClock));
  listening = await listen(members);
  writeFileSync(
    kubeconfig,
    kubeconfigOf([...members.keys()], (name) => listening.urlOf(name)),
  );
  sh(dir, 'init', '-q');
  commit(dir, { ...shop, 'placements/web.yaml': everywhereAtOnce }, 'Begin the fleet');
  expect(await daemonPass()).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await listening.close();
  for (const member of members.values()) member.close();
  removeFolders();
});

const daemonPass = () =>
  cli('run', '--once', '--repo', dir, '--members', kubeconfig, '--log-level', 'error', '--cache-dir', folder());
const diff = (...args: string[]) => cli('diff', '--repo', dir, '--members', kubeconfig, ...args);

/** Somebody changes a live object on us-1. */
const scale = (replicas: number) =>
  fetch(`${listening.urlOf('us-1')}/apis/apps/v1/namespaces/web/deployments/web?fieldManager=kubectl`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/merge-patch+json' },
    body: JSON.stringify({ spec: { replicas } }),
  });

/** Runs something while a member does not answer. */
async function without<T>(name: string, run: () => Promise<T>): Promise<T> {
  const member = members.get(name)!;
  member.setFaults([{ type: 'Unreachable', fromSeconds: 0, probability: 1 }]);
  try {
    return await run();
  } finally {
    member.setFaults([]);
  }
}

describe('run --once ends with', () => {
  it.each([
    ['no member could be reached', ['no context of its own'], 3],
    ['one of two could not', ['dev-1', 'no context of its own'], 0],
    ['a fleet without members', [], 0],
  ])('%s: %j is %i', async (_what, names, code) => {
    const fleet = folder();
    sh(fleet, 'init', '-q');
    const files = names.map((name, at) => [`clusters/${at}.yaml`, member(name.replaceAll(' ', '-'))]);
    commit(fleet, { 'README.md': 'Nothing is placed.\n', ...Object.fromEntries(files) });
    const quiet = ['--log-level', 'silent', '--cache-dir', folder()];
    const ran = await cli('run', '--once', '--repo', fleet, '--members', kubeconfig, ...quiet);
    const cause =
      'no-context-of-its-own: no kubeconfig has this member: add a context (or a file) with its name to what --members names';
    expect(ran).toEqual({ code, out: '', err: code === 3 ? `gitfleet: no member could be reached: ${cause}\n` : '' });
    expect(sh(fleet, 'ls-tree', '--name-only', 'fleet-status')).toContain('summary.yaml');
  });

  it('2 when a file is wrong, with its place; what is right was done', async () => {
    const fleet = folder();
    sh(fleet, 'init', '-q');
    commit(fleet, { 'clusters/dev-1.yaml': member('dev-1'), 'clusters/two.yaml': 'apiVersion: v1\nkind: [' });
    const quiet = ['--log-level', 'silent', '--cache-dir', folder()];
    const ran = await cli('run', '--once', '--repo', fleet, '--members', kubeconfig, ...quiet);
    expect(ran).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('clusters/two.yaml:2:8: error[yaml-syntax]'),
    });
    expect(sh(fleet, 'show', 'fleet-status:clusters/dev-1.yaml')).toContain('Joined');
  });
});

describe('diff --members compares with the live objects', () => {
  it('finds nothing where everything was just applied', async () => {
    expect(await diff('--placement', 'web')).toEqual({ code: 0, out: '', err: '' });
  });

  it('shows what someone changed, what a commit changes and what it removes', async () => {
    await scale(5);
    commit(dir, {
      'resources/web.yaml': deployment('web', 'web', 'web:2'),
      'resources/secret.yaml':
        'apiVersion: v1\nkind: Secret\nmetadata: {name: token, namespace: web}\nstringData: {token: hunter2}\n',
    });
    sh(dir, 'rm', '-q', 'resources/settings.yaml');
    commit(dir, {}, 'Remove settings');
    const ran = await diff('--placement', 'web');
    expect(ran).toMatchObject({ code: 1, err: '' });
    expect(ran.out).not.toContain('hunter2');
    expect(ran.out).toMatchInlineSnapshot(`
      "web: Secret web/token on 2 clusters: eu-1, us-1
      + apiVersion: v1
      + kind: Secret
      + metadata:
      +   name: token
      +   namespace: web
      + data:
      +   token: (redacted)
      + type: Opaque

      web: Deployment web/web on eu-1
        …
            spec:
              containers:
                - name: main
      -           image: web:1
      +           image: web:2
                  resources: {}
                  terminationMessagePath: /dev/termination-log
                  terminationMessagePolicy: File

      web: ConfigMap web/settings on 2 clusters: eu-1, us-1
      - apiVersion: v1
      - kind: ConfigMap
      - metadata:
      -   name: settings
      -   namespace: web
      - data:
      -   a: "1"

      web: Deployment web/web on us-1
        …
          annotations:
            deployment.kubernetes.io/revision: "1"
        spec:
      -   replicas: 5
      +   replicas: 2
          selector:
            matchLabels:
              app: web
        …
            spec:
              containers:
                - name: main
      -           image: web:1
      +           image: web:2
                  resources: {}
                  terminationMessagePath: /dev/termination-log
                  terminationMessagePolicy: File

      "
    `);
  });

  it('-o json, one cluster; --exit-code=false ends with 0', async () => {
    const ran = await diff('--cluster', 'us-1', '-o', 'json', '--exit-code', 'false');
    expect(ran.code).toBe(0);
    const { items } = JSON.parse(ran.out) as { items: { object: string; action: string; clusterNames: string[] }[] };
    expect(
      items.map(({ object, action, clusterNames }) => `${object} ${action} ${clusterNames}`),
    ).toMatchInlineSnapshot(`
      [
        "Secret web/token create us-1",
        "Deployment web/web update us-1",
        "ConfigMap web/settings delete us-1",
      ]
    `);
  });

  it('a member that does not respond is named, the others are shown, and the exit code is 3', async () => {
    const ran = await without('eu-1', () => diff('--placement', 'web'));
    expect(ran).toMatchObject({ code: 3, err: expect.stringMatching(/^eu-1: /) });
    expect(ran.out).toContain('Deployment web/web on us-1');
  });

  it.each([
    [['--cluster', 'eu-9'], 2, '--cluster: there is no cluster eu-9: did you mean eu-1?'],
    [['--placement', 'wbe'], 2, '--placement: there is no placement wbe: did you mean web?'],
    [['--timeout', 'soon'], 2, '--timeout soon is not a duration'],
    [['--members', '/nowhere'], 3, '/nowhere cannot be read'],
  ])('%j', async (args, code, message) => {
    const ran = await diff(...args);
    expect({ ...ran, err: ran.err.includes(message) ? message : ran.err }).toEqual({ code, out: '', err: message });
  });
});

describe('plan --members observes them itself', () => {
  const plan = (...args: string[]) => cli('plan', '--repo', dir, '--members', kubeconfig, ...args);

  it('and decides as from files of observe', async () => {
    const out = join(folder(), 'observed');
    await cli('observe', '--repo', dir, '--members', kubeconfig, '--out', out);
    const files = await cli('plan', '--repo', dir, '--observed', out, '-o', 'json');
    const live = await plan('-o', 'json');
    const movesOf = (text: string): readonly string[] =>
      (JSON.parse(text) as { placements: { name: string; bindings: Record<string, string>[] }[] }).placements.flatMap(
        ({ name, bindings }) => bindings.map(({ clusterName, move }) => `${name} ${clusterName} ${move}`),
      );
    expect(movesOf(live.out)).toEqual(movesOf(files.out));
    expect(live).toMatchObject({ code: files.code, err: '' });
  });

  it('names members that do not respond, and ends with 3 when none does', async () => {
    expect((await without('dev-1', () => plan('--timeout', '1s'))).err).toMatch(/^dev-1: /);
    expect(await cli('plan', '--repo', dir, '--members', folder())).toMatchObject({
      code: 3,
      err: expect.stringContaining('gitfleet: no member could be reached: '),
    });
  });

  it('or reads files, not both', async () => {
    expect(await plan('--observed', dir)).toMatchObject({
      code: 2,
      err: expect.stringContaining("option '--members <source>' cannot be used with option '--observed <file|dir>'"),
    });
  });
});

describe('observe', () => {
  it('writes files that plan --observed takes, and that make it see what is there', async () => {
    const out = join(folder(), 'observed');
    expect(await cli('observe', '--repo', dir, '--members', kubeconfig, '--out', out)).toEqual({
      code: 0,
      out: `3 of 3 members observed, written to ${out}\n`,
      err: '',
    });
    expect(readdirSync(out).sort()).toEqual(['dev-1.yaml', 'eu-1.yaml', 'us-1.yaml']);
    const plan = await cli('plan', '--repo', dir, '--observed', out, '-o', 'json');
    expect(plan.err).toBe('');
    const { placements, problems } = JSON.parse(plan.out) as {
      placements: {
        name: string;
        bindings: { clusterName: string; move: string; conditions: { type: string; status: string }[] }[];
      }[];
      problems: { severity: string }[];
    };
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    const web = placements.find(({ name }) => name === 'web')!;
    expect(web.bindings.map(({ clusterName }) => clusterName)).toEqual(['eu-1', 'us-1']);
    expect(web.bindings.map(({ move }) => move)).toContain('update');
  });

  it('names members that do not respond', async () => {
    const out = folder();
    const ran = await without('dev-1', () =>
      cli('observe', '--repo', dir, '--members', kubeconfig, '--out', out, '--timeout', '1s'),
    );
    expect(ran).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^2 of 3 members observed/),
      err: expect.stringMatching(/^dev-1: /),
    });
    // Its last response is unknown, so none is reported.
    expect(parse(readFileSync(join(out, 'dev-1.yaml'), 'utf8'))).toEqual({
      apiVersion: 'gitfleet.dev/v1alpha1',
      kind: 'ClusterObservation',
      metadata: { name: 'dev-1' },
      reachable: false,
      cause: expect.any(String),
    });
    const plan = await cli('plan', '--repo', dir, '--observed', out, '-o', 'json');
    expect(plan.err).toBe('');
  });
});
