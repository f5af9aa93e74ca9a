import { basename, dirname } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { openDaemon } from '../../src/daemon/open.ts';
import { openLog } from '../../src/daemon/report/log.ts';
import { systemClock } from '../../src/members/clock.ts';
import { openPull } from '../../src/simulator/forge/dialect.ts';
import { openMember } from '../../src/simulator/member.ts';
import { inProcessTransport } from '../../src/simulator/transport.ts';
import { bareHost } from '../forge/git-host.ts';
import { TestForge } from '../forge/test-forge.ts';
import { folder, removeFolders } from '../support/folders.ts';
import { author, bare, elsewhere, gitThere, sh } from '../support/git-repository.ts';
import { startGitServer } from '../support/http-backend-server.ts';
import { member as memberFile, placement } from '../support/paper-fleet.ts';

afterAll(removeFolders);

/** A daemon with one cluster, on a repository and a forge that it reaches over HTTP. */
async function world(files: Readonly<Record<string, string>>, more = '') {
  const repo = bare();
  sh(repo, 'config', 'http.receivepack', 'true');
  const forge = new TestForge('gitlab', bareHost(repo), Date.now);
  const [git, web] = [await startGitServer(dirname(repo)), await forge.listen()];
  vi.stubEnv('GITFLEET_FORGE_TOKEN', 'right-token');
  vi.stubEnv('GITFLEET_FORGE_HOST', new URL(web.url).host);
  elsewhere(repo, {
    'clusters/eu-1.yaml': memberFile('a'),
    'resources/shop/web.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata: {name: web}\n',
    'fleet.yaml': `apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: {forge: {kind: gitlab, repository: acme/fleet, baseURL: "${web.url}"${more}}}\n`,
    ...files,
  });
  const member = await openMember({ name: 'a' }, systemClock);
  const opened = await openDaemon({
    repo: git.url(basename(repo)),
    branch: 'main',
    statusBranch: 'fleet-status',
    watchMembers: 1_000,
    connect: async () => inProcessTransport(member),
    cacheDir: folder(),
    intervalMs: 500,
    publishIntervalMs: 0,
    listen: undefined,
    webhookSecret: undefined,
    acceptRewind: undefined,
    author,
    graceMs: 5_000,
    clock: systemClock,
    pace: systemClock,
    log: await openLog({ level: 'silent', pretty: false }),
  });
  const running = opened.daemon.run();
  return {
    repo,
    forge,
    async close() {
      opened.daemon.stop();
      await running;
      await opened.close();
      member.close();
      await web.close();
      await git.close();
      vi.unstubAllEnvs();
    },
  };
}

const patiently = { timeout: 60_000, interval: 200 };

describe.skipIf(!gitThere)('a daemon on a repository and a forge over HTTP', () => {
  it('asks by a pull request, and goes on when it is merged', async () => {
    const { repo, forge, close } = await world({
      'web.yaml': placement('web', '{placementType: PickAll}', '{type: External}'),
      'strategy.yaml':
        'apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStagedUpdateStrategy\nmetadata: {name: careful}\nspec: {stages: [{name: all, labelSelector: {}, beforeStageTasks: [{type: Approval}]}]}\n',
      'run.yaml':
        'apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStagedUpdateRun\nmetadata: {name: web-1}\nspec: {placementName: web, stagedRolloutStrategyName: careful}\n',
    });
    try {
      await vi.waitFor(() => expect(forge.pulls).toHaveLength(1), patiently);
      expect(forge.pull(1)).toMatchObject({ head: 'gitfleet/approve/web-1-before-all', base: 'main', state: 'open' });
      await vi.waitFor(
        () => expect(sh(repo, 'show', 'fleet-status:summary.yaml')).toContain('pullRequests:'),
        patiently,
      );
      await forge.merge(1, 'squash');
      await vi.waitFor(
        () => expect(sh(repo, 'show', 'fleet-status:runs/web-1.yaml')).toContain('UpdateRunSucceeded'),
        patiently,
      );
    } finally {
      await close();
    }
  }, 200_000);

  it('previews pull requests of its own branches, and of forks where fleet.yaml says so', async () => {
    const extra = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: extra, namespace: web}\ndata: {v: "1"}\n';
    const { repo, forge, close } = await world(
      { 'web.yaml': placement('web', '{placementType: PickAll}'), 'resources/extra.yaml': extra },
      ', previewForks: true',
    );
    try {
      const tip = sh(repo, 'rev-parse', 'main');
      elsewhere(repo, { 'resources/extra.yaml': '# Nothing.\n' });
      sh(repo, 'update-ref', 'refs/heads/drop', 'main');
      elsewhere(repo, { 'resources/more.yaml': extra.replace('extra', 'more') });
      sh(repo, 'update-ref', 'refs/merge-requests/2/head', 'main');
      sh(repo, 'update-ref', 'refs/heads/main', tip);
      openPull(forge, { head: 'drop', base: 'main', title: 'Drop', body: '' });
      Object.assign(openPull(forge, { head: 'main', base: 'main', title: 'More', body: '' }), {
        fork: true,
        headCommit: sh(repo, 'rev-parse', 'refs/merge-requests/2/head'),
      });
      const title = (number: number) => forge.pull(number).comments[0]?.body.split('\n')[1];
      await vi.waitFor(() => {
        expect(title(1)).toBe('### gitfleet plan: removes 1 object · 1 of 1 clusters');
        expect(title(2)).toBe('### gitfleet plan: removes 1 object, adds 1 · 1 of 1 clusters');
      }, patiently);
    } finally {
      await close();
    }
  }, 200_000);
});
