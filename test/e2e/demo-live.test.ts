import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const main = resolve(import.meta.dirname, '../../src/main.ts');

let dir: string;
let demo: ChildProcess;
let told = '';

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gitfleet-e2e-'));
  demo = spawn(process.execPath, [main, 'demo', '--dir', dir, '--speed', '20'], {
    env: { ...process.env, NO_COLOR: '1' },
  });
  for (const stream of [demo.stdout!, demo.stderr!]) stream.on('data', (chunk) => (told += chunk));
  await until('the first rollout is over', () => /shop +✓ prod-us-1/.test(told) && /tools +✓ dev-1/.test(told));
}, 60_000);

afterAll(async () => {
  const closed = new Promise((done) => demo.once('close', done));
  demo.kill('SIGTERM');
  await closed;
  await rm(dir, { recursive: true, force: true });
});

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const limit = Date.now() + 40_000; Date.now() < limit; ) {
    if (await holds()) return;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error(`${what}: not within 40 s\n${told}`);
}

const git = async (...args: readonly string[]): Promise<string> =>
  (await promisify(execFile)('git', ['-C', join(dir, 'fleet'), ...args])).stdout;

interface Deployment {
  readonly metadata: { readonly uid: string };
  readonly spec: {
    readonly template: { readonly spec: { readonly containers: readonly [{ readonly image: string }] } };
  };
}
const imageOf = (deployment: Deployment | undefined) => deployment?.spec.template.spec.containers[0].image;

/** Talks to a member the way kubectl does: over HTTP, to the address in the kubeconfig that the demo wrote. */
async function ask(member: string, method: string, path: string, body?: object): Promise<Deployment | undefined> {
  const config = parse(await readFile(join(dir, 'kubeconfig'), 'utf8')) as {
    readonly clusters: readonly { readonly name: string; readonly cluster: { readonly server: string } }[];
  };
  const { server } = config.clusters.find(({ name }) => name === member)!.cluster;
  const answer = await fetch(`${server}/apis/apps/v1/namespaces/${path}`, {
    method,
    headers: { 'content-type': 'application/merge-patch+json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (answer.status === 404) return undefined;
  expect(answer.ok, `${method} ${path}: ${answer.status}`).toBe(true);
  return (await answer.json()) as Deployment;
}

describe('someone at the running demo', () => {
  const debug = 'tools/deployments/debug';

  it('deletes a deployment on a member: it comes back', async () => {
    const before = await ask('dev-1', 'GET', debug);
    await ask('dev-1', 'DELETE', debug);
    await until('a new deployment is there', async () => {
      const now = await ask('dev-1', 'GET', debug);
      return now !== undefined && now.metadata.uid !== before?.metadata.uid;
    });
    await until('the timeline says so', () =>
      told.includes('Deployment tools/debug was deleted and was created again'),
    );
  });

  it('edits one: it is repaired, and the status names the field, both values and who did it', async () => {
    const wanted = imageOf(await ask('staging-1', 'GET', debug));
    const change = { spec: { template: { spec: { containers: [{ name: 'debug', image: 'mine:1' }] } } } };
    await ask('staging-1', 'PATCH', `${debug}?fieldManager=kubectl-edit`, change);
    await until('the image is as committed', async () => imageOf(await ask('staging-1', 'GET', debug)) === wanted);
    const drift = async () => {
      const { status } = parse(await git('show', 'fleet-status:placements/tools/status.yaml')) as {
        readonly status: {
          readonly placementStatuses: readonly { clusterName: string; driftedPlacements?: unknown }[];
        };
      };
      return status.placementStatuses.find(({ clusterName }) => clusterName === 'staging-1')?.driftedPlacements;
    };
    await until('the drift is on the status branch', async () => (await drift()) !== undefined);
    expect(await drift()).toMatchObject([
      {
        kind: 'Deployment',
        name: 'debug',
        observedDrifts: [
          {
            path: '/spec/template/spec/containers/0/image',
            valueInHub: wanted,
            valueInMember: 'mine:1',
            manager: 'kubectl-edit',
          },
        ],
      },
    ]);
  });

  it('commits a new image: the clusters are updated one after the other, by the strategy', async () => {
    const file = join(dir, 'fleet/resources/shop/web.yaml');
    await writeFile(file, (await readFile(file, 'utf8')).replace('web:1.0.0', 'web:1.1.0'));
    await git('-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', 'commit', '-qam', 'shop 1.1.0');
    const steps = () => [...told.matchAll(/shop +(→|✓) (\S+): (?:updating to )?snapshot 1/g)].map(([, what]) => what);
    await until('all three run it', () => steps().length >= 6);
    expect(steps()).toEqual(['→', '✓', '→', '✓', '→', '✓']);
    const images = ['prod-asia-1', 'prod-eu-1', 'prod-us-1'].map(async (member) =>
      imageOf(await ask(member, 'GET', 'shop/deployments/web')),
    );
    expect(new Set(await Promise.all(images))).toEqual(new Set(['registry.example.com/shop/web:1.1.0']));
  });

  it('reads the story in git, without noise: passes that change nothing commit nothing', async () => {
    const tip = async () => (await git('rev-parse', 'fleet-status')).trim();
    let before = await tip();
    await until('the branch rests for three seconds', async () => {
      await new Promise((done) => setTimeout(done, 3_000));
      const [was, now] = [before, await tip()];
      before = now;
      return was === now;
    });
    const messages = (await git('log', '--reverse', '--format=%B%x00', 'fleet-status')).split('\0\n');
    expect(messages.join('\n')).toMatch(/^monitoring: install snapshot 0 \([0-9a-f]{7}.*\) on dev-1, /m);
    expect(messages.filter((message) => message.includes('shop: update '))).toHaveLength(3);
    expect(messages.filter((message) => /^Update status$/m.test(message))).toEqual([]);
  });
});
