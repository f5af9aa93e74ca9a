import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openDaemon } from '../../src/daemon/open.ts';
import type { Connect } from '../../src/daemon/open-members.ts';
import { type Logger, openLog } from '../../src/daemon/report/log.ts';
import { systemClock } from '../../src/members/clock.ts';
import { openMember } from '../../src/simulator/member.ts';
import { inProcessTransport } from '../../src/simulator/transport.ts';
import { folder, removeFolders } from '../support/folders.ts';
import { author, bare, clone, commit, gitThere, sh } from '../support/git-repository.ts';
import { member as memberFile, placement } from '../support/paper-fleet.ts';

afterAll(removeFolders);

async function open(
  repo: string,
  more: {
    branch?: string;
    listen?: { host: string; port: number };
    cacheDir?: string;
    connect?: Connect;
    log?: Logger;
  } = {},
) {
  return openDaemon({
    repo,
    branch: more.branch ?? 'main',
    statusBranch: 'fleet-status',
    watchMembers: 1_000,
    connect: more.connect ?? (async () => undefined),
    cacheDir: more.cacheDir ?? folder(),
    intervalMs: 60_000,
    publishIntervalMs: 60_000,
    once: true,
    listen: more.listen,
    webhookSecret: 'hook',
    acceptRewind: undefined,
    author,
    graceMs: 5_000,
    clock: systemClock,
    pace: systemClock,
    log: more.log ?? (await openLog({ level: 'silent', pretty: false })),
  });
}

async function example(): Promise<string> {
  const dir = clone();
  sh(dir, 'rm', '-qr', 'clusters', 'resources');
  await cp('fleet-repo-example', dir, { recursive: true });
  commit(dir, {}, 'The example');
  return dir;
}

describe.skipIf(!gitThere)('a daemon on a repo', () => {
  it.each(['clone', 'file URL'])('publishes once and then nothing in later passes (%s)', async (kind) => {
    const dir = await example();
    const repo = kind === 'clone' ? dir : `file://${dir}`;
    const first = await open(repo);
    expect((await first.daemon.runOnce()).kind).toBe('published');
    await first.close();
    const published = sh(dir, 'rev-parse', 'fleet-status');
    const reported: string[] = [];
    const to = { write: (line: string) => reported.push((JSON.parse(line) as { msg: string }).msg) };
    const second = await open(repo, { log: await openLog({ pretty: false, to }) });
    expect((await second.daemon.runOnce()).kind).toBe('unchanged');
    expect(reported).toEqual([
      'dev-1, gpu-1, prod-asia-1, prod-eu-1 and 4 more cannot be reached: no kubeconfig has this member: add a context (or a file) with its name to what --members names',
      'nothing to do',
    ]);
    await second.close();
    expect(sh(dir, 'rev-parse', 'fleet-status')).toBe(published);
  });

  it('that runs once ends with the outcome on the status branch', async () => {
    const member = await openMember({ name: 'a' }, systemClock);
    const dir = folder();
    sh(dir, 'init', '-q');
    const config = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: web}\ndata: {a: "1"}\n';
    const files = {
      'clusters/a.yaml': memberFile('a'),
      'web.yaml': placement('web', '{placementType: PickAll}'),
      'resources/web.yaml': `apiVersion: v1\nkind: Namespace\nmetadata: {name: web}\n---\n${config}`,
    };
    commit(dir, files);
    const once = async () => {
      const opened = await open(dir, { connect: async () => inProcessTransport(member) });
      const { kind } = await opened.daemon.runOnce();
      await opened.close();
      const status = sh(dir, 'show', 'fleet-status:placements/web/status.yaml');
      return [kind, status.match(/type: ClusterResourcePlacementAvailable\n +status: "(\w+)"/)?.[1]];
    };
    expect(await once()).toEqual(['published', 'True']);
    expect(await once()).toEqual(['unchanged', 'True']);
    member.close();
  });

  it('runs a pass soon after a commit in a local repo', async () => {
    const dir = await example();
    const passes: string[] = [];
    let wake = () => {};
    const opened = await openDaemon({
      repo: dir,
      branch: 'main',
      statusBranch: 'fleet-status',
      watchMembers: 1_000,
      connect: async () => undefined,
      cacheDir: folder(),
      intervalMs: 600_000,
      publishIntervalMs: 0,
      listen: undefined,
      webhookSecret: undefined,
      acceptRewind: undefined,
      author,
      graceMs: 5_000,
      clock: systemClock,
      pace: systemClock,
      log: await openLog({ level: 'silent', pretty: false }),
      passed(result) {
        if (result.kind !== 'moved') passes.push(result.plan.commit);
        wake();
      },
    });
    const running = opened.daemon.run();
    await new Promise<void>((done) => (wake = done));
    const tip = commit(dir, {
      'resources/more.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: more, namespace: x}\n',
    });
    while (passes.at(-1) !== tip) await new Promise<void>((done) => (wake = done));
    opened.daemon.stop();
    await running;
    await opened.close();
  });

  it('responds on its port', async () => {
    const opened = await open(await example(), { listen: { host: '127.0.0.1', port: 0 } });
    const url = `http://127.0.0.1:${opened.http!.port}`;
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    await opened.daemon.runOnce();
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect((await fetch(`${url}/hooks/git`, { method: 'POST', body: '{}' })).status).toBe(401);
    expect(
      (await fetch(`${url}/hooks/git`, { method: 'POST', body: '{}', headers: { 'x-gitlab-token': 'hook' } })).status,
    ).toBe(202);
    await opened.close();
  });

  it('that cannot be opened leaves nothing locked', async () => {
    const cacheDir = folder();
    const dir = join(bare());
    await expect(open(dir, { branch: 'fleet-status' })).rejects.toThrow('needs a branch of its own');
    await expect(open(join(dir, 'nowhere'), { cacheDir })).rejects.toThrow(
      expect.objectContaining({ code: 'not-found' }),
    );
    await (await open(`file://${dir}`, { cacheDir })).close();
    await (await open(`file://${dir}`, { cacheDir })).close();
  });
});
