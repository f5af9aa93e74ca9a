import { cpSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { smallFleet, web } from '../daemon/small-fleet.ts';
import { type GitServer, refusePushes, startGitServer } from '../git/http-backend-server.ts';
import { folder, gitThere, removeFolders, sh } from '../git/world.ts';
import { endAll, fleetRepo, push, recorded, startClusters, startDaemon, until, wait } from './processes.ts';

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
  }, 90_000);

  it('killed with -9 over and over during a rollout it ends as if nobody had: same objects, same status', async () => {
    const fleet = fleetRepo(smallFleet());
    const { bare } = fleet;
    const other = join(folder(), 'fleet.git');
    const kubeconfigs = [await startClusters('a', 'b', 'c'), await startClusters('a', 'b', 'c')] as const;
    const first = startDaemon(await served(bare), kubeconfigs[0], env);
    await until('version 1 everywhere', () => settled(bare, 3));
    await first.end('SIGKILL');
    push(fleet, web('web:2'));
    cpSync(bare, other, { recursive: true });
    sh(other, 'update-ref', '-d', 'refs/heads/fleet-status');
    const undisturbed = startDaemon(await served(other), kubeconfigs[1], env);
    const repo = await served(bare);
    for (const ms of [600, 900, 1_100, 1_300, 1_000, 1_500]) {
      const one = startDaemon(repo, kubeconfigs[0], env);
      await wait(ms);
      await one.end('SIGKILL');
    }
    startDaemon(repo, kubeconfigs[0], env);
    await until('version 2 everywhere, disturbed', () => settled(bare, 3));
    await until('version 2 everywhere, undisturbed', () => settled(other, 3));
    await undisturbed.end('SIGTERM');
    expect(bindings(bare)).toEqual(bindings(other));
  }, 120_000);
});

/** What is bound where, without dates and numbers that tell how often something was written. */
const bindings = (bare: string): string[] =>
  recorded(bare, 'placements/web/state.yaml')
    .split('\n')
    .filter((line) => line.includes('targetCluster'))
    .map((line) =>
      line
        .replaceAll(/lastTransitionTime: [^,}]+/g, 'lastTransitionTime')
        .replaceAll(/(resourceSnapshotIndex|observedGeneration): \d+/g, '$1'),
    );
