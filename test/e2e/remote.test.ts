import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { removeFolders } from '../support/folders.ts';
import { gitThere, sh } from '../support/git-repository.ts';
import { type GitServer, refusePushes, startGitServer } from '../support/http-backend-server.ts';
import { smallFleet, web } from '../support/small-fleet.ts';
import { endAll, fleetRepo, push, recorded, startClusters, startDaemon, until } from './processes.ts';

const token = 'glpat-only-for-this-test';
const env = { GITFLEET_GIT_TOKEN: token };
const servers: GitServer[] = [];

afterEach(async () => {
  await endAll();
  for (const server of servers.splice(0)) await server.close();
});
afterAll(removeFolders);

async function served(bare: string): Promise<string> {
  const server = await startGitServer(dirname(bare), token);
  servers.push(server);
  return server.url(basename(bare));
}

/** All of main is rolled out, as the status branch tells. */
function settled(bare: string, clusters: number): boolean {
  // Before the state: two commits may be read here, and an older summary with a newer state says too little, not too much.
  if (!recorded(bare, 'summary.yaml').includes(sh(bare, 'rev-parse', 'main'))) return false;
  const state = recorded(bare, 'placements/web/state.yaml');
  const latest = /- \{index: (\d+), latest: true/.exec(state.slice(state.indexOf('resourceSnapshots:')))?.[1];
  const there = state
    .split('\n')
    .filter(
      (line) => line.includes(`resourceSnapshotIndex: ${latest},`) && /type: Available, status: "True"/.test(line),
    );
  return there.length === clusters;
}

describe.skipIf(!gitThere)('a daemon of its own process on a remote over smart HTTP', () => {
  it('with a token, a hook that refuses one push and another daemon racing: everything arrives, and no log has the token', async () => {
    const fleet = fleetRepo(smallFleet());
    const { bare } = fleet;
    const [repo, kubeconfig] = [await served(bare), await startClusters('a', 'b', 'c')];
    const both = [startDaemon(repo, kubeconfig, env), startDaemon(repo, kubeconfig, env)];
    await until('version 1 everywhere', () => settled(bare, 3));
    await refusePushes(bare, 1, 'frozen until noon');
    push(fleet, web('web:2'));
    await until('version 2 everywhere', () => settled(bare, 3));
    expect(recorded(bare, 'placements/web/snapshots/1.yaml')).toContain('web:2');
    expect(sh(bare, 'rev-list', '--min-parents=2', '--count', 'fleet-status')).toBe('0');
    for (const one of both) await one.end('SIGTERM');
    const logs = both.map(({ output }) => output).join('');
    expect(logs).toContain('"msg"');
    expect(logs).not.toContain(token);
    expect(logs).not.toContain(Buffer.from(`x-access-token:${token}`).toString('base64'));
    expect(both.map(({ child }) => child.exitCode)).toEqual([0, 0]);
  }, 600_000);

  it('killed with -9 repeatedly during a rollout it ends as without: same objects, same status', async () => {
    const fleets = [fleetRepo(smallFleet()), fleetRepo(smallFleet())] as const;
    const [disturbed, calm] = fleets;
    // Commits of the same files at another second would have other ids.
    sh(calm.bare, 'fetch', '-q', disturbed.bare, '+main:main');
    const clusters = [await startClusters('a', 'b', 'c'), await startClusters('a', 'b', 'c')] as const;
    const start = async (which: 0 | 1) => startDaemon(await served(fleets[which].bare), clusters[which], env);
    const both = [await start(0), await start(1)] as const;
    for (const { bare } of fleets) await until('version 1 everywhere', () => settled(bare, 3));
    await both[0].end('SIGKILL');
    push(disturbed, web('web:2'));
    const repo = await served(disturbed.bare);
    // Ever later in the life of a daemon, whatever it is doing by then and however slow this machine is.
    for (const lines of [1, 2, 4, 7, 11, 16]) {
      const one = startDaemon(repo, clusters[0], env);
      await until(`${lines} lines of log`, () => one.output.split('\n').length > lines);
      await one.end('SIGKILL');
    }
    startDaemon(repo, clusters[0], env);
    sh(calm.bare, 'fetch', '-q', disturbed.bare, 'main:main');
    const outcome = async (which: 0 | 1) => ({
      status: statusFiles(fleets[which].bare),
      objects: await Promise.all(['a', 'b', 'c'].map((name) => deploymentOn(clusters[which], name))),
    });
    for (const { bare } of fleets) await until('version 2 everywhere', () => settled(bare, 3));
    const same = async () => isDeepStrictEqual(await outcome(0), await outcome(1));
    await until('the same outcome', same).catch(async () => expect(await outcome(0)).toEqual(await outcome(1)));
    expect((await outcome(0)).objects[0]).toMatchObject({ metadata: { generation: 2 } });
  }, 600_000);
});

/** Every file of the status branch, without dates and the digest that covers them. */
function statusFiles(bare: string): Record<string, string> {
  const paths = sh(bare, 'ls-tree', '-r', '--name-only', 'fleet-status').split('\n');
  const dates = /\d{4}-\d\d-\d\dT[\d:.]+Z|planDigest: \S+/g;
  return Object.fromEntries(paths.map((path) => [path, recorded(bare, path).replaceAll(dates, '(date)')]));
}

/** The Deployment on a member, without what the member alone decides. */
async function deploymentOn(kubeconfig: string, name: string): Promise<object> {
  const config = parse(readFileSync(kubeconfig, 'utf8')) as {
    readonly clusters: readonly { readonly name: string; readonly cluster: { readonly server: string } }[];
  };
  const { server } = config.clusters.find((cluster) => cluster.name === name)!.cluster;
  const answer = await fetch(`${server}/apis/apps/v1/namespaces/web/deployments/web`);
  const { metadata, spec } = (await answer.json()) as { metadata: Record<string, unknown>; spec: object };
  const { labels, annotations, generation } = metadata;
  return { metadata: { labels, annotations, generation }, spec };
}
