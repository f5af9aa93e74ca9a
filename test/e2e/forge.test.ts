import { basename, dirname } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { openDaemon } from '../../src/daemon/open.ts';
import { openLog } from '../../src/daemon/report/log.ts';
import { systemClock } from '../../src/members/clock.ts';
import { openMember } from '../../src/simulator/member.ts';
import { inProcessTransport } from '../../src/simulator/transport.ts';
import { bareHost } from '../forge/git-host.ts';
import { TestForge } from '../forge/test-forge.ts';
import { folder, removeFolders } from '../support/folders.ts';
import { author, bare, elsewhere, gitThere, sh } from '../support/git-repository.ts';
import { startGitServer } from '../support/http-backend-server.ts';
import { member as memberFile, placement } from '../support/paper-fleet.ts';

afterAll(removeFolders);

describe.skipIf(!gitThere)('a daemon on a repository and a forge over HTTP', () => {
  it('asks by a pull request, and goes on when it is merged', async () => {
    const repo = bare();
    sh(repo, 'config', 'http.receivepack', 'true');
    const forge = new TestForge('gitlab', bareHost(repo), Date.now);
    const [git, web] = [await startGitServer(dirname(repo)), await forge.listen()];
    vi.stubEnv('GITFLEET_FORGE_TOKEN', 'right-token');
    vi.stubEnv('GITFLEET_FORGE_HOST', new URL(web.url).host);
    elsewhere(repo, {
      'clusters/eu-1.yaml': memberFile('a'),
      'resources/shop/web.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata: {name: web}\n',
      'web.yaml': placement('web', '{placementType: PickAll}', '{type: External}'),
      'fleet.yaml': `apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: {forge: {kind: gitlab, repository: acme/fleet, baseURL: "${web.url}"}}\n`,
      'strategy.yaml':
        'apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStagedUpdateStrategy\nmetadata: {name: careful}\nspec: {stages: [{name: all, labelSelector: {}, beforeStageTasks: [{type: Approval}]}]}\n',
      'run.yaml':
        'apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStagedUpdateRun\nmetadata: {name: web-1}\nspec: {placementName: web, stagedRolloutStrategyName: careful}\n',
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
    try {
      await vi.waitFor(() => expect(forge.pulls).toHaveLength(1), { timeout: 60_000, interval: 100 });
      expect(forge.pull(1)).toMatchObject({ head: 'gitfleet/approve/web-1-before-all', base: 'main', state: 'open' });
      await vi.waitFor(() => expect(sh(repo, 'show', 'fleet-status:summary.yaml')).toContain('pullRequests:'), {
        timeout: 60_000,
        interval: 200,
      });
      await forge.merge(1, 'squash');
      await vi.waitFor(() => expect(sh(repo, 'show', 'fleet-status:runs/web-1.yaml')).toContain('UpdateRunSucceeded'), {
        timeout: 60_000,
        interval: 200,
      });
    } finally {
      opened.daemon.stop();
      await running;
      await opened.close();
      member.close();
      await web.close();
      await git.close();
      vi.unstubAllEnvs();
    }
  }, 200_000);
});
