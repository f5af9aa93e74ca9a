import { basename, dirname } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { openDaemon } from '../../src/daemon/open.ts';
import { openLog } from '../../src/daemon/report/log.ts';
import { type Clock, systemClock } from '../../src/members/clock.ts';
import { scaledClock } from '../../src/simulator/clock.ts';
import { type MergeMethod, openPull, type StoredPull, type StoredStatus } from '../../src/simulator/forge/dialect.ts';
import { openMember } from '../../src/simulator/member.ts';
import { inProcessTransport } from '../../src/simulator/transport.ts';
import { bareHost } from '../forge/git-host.ts';
import { type DialectName, TestForge } from '../forge/test-forge.ts';
import { folder, removeFolders } from '../support/folders.ts';
import { author, bare, elsewhere, gitThere, sh } from '../support/git-repository.ts';
import { startGitServer } from '../support/http-backend-server.ts';
import { member as memberFile, placement } from '../support/paper-fleet.ts';

afterAll(removeFolders);

interface Setting {
  readonly dialect: DialectName;
  /** Further fields of the forge in fleet.yaml. */
  readonly more?: string;
  readonly members?: readonly string[];
  readonly daemons?: number;
  readonly clock?: Clock;
  /** Before the daemons start. */
  readonly prepared?: (forge: TestForge) => void;
}

/** Daemons of one fleet, on a repository and a forge that they reach over HTTP. */
async function world(files: Readonly<Record<string, string>>, setting: Setting) {
  const { dialect, more = '', members: names = ['a'], daemons = 1, clock = systemClock } = setting;
  const repo = bare();
  sh(repo, 'config', 'http.receivepack', 'true');
  const forge = new TestForge(dialect, bareHost(repo), () => clock.now());
  const [git, web] = [await startGitServer(dirname(repo)), await forge.listen()];
  vi.stubEnv('GITFLEET_FORGE_TOKEN', 'right-token');
  vi.stubEnv('GITFLEET_FORGE_HOST', new URL(web.url).host);
  const kind = dialect === 'forgejo' ? 'gitea' : dialect;
  elsewhere(repo, {
    'clusters/eu-1.yaml': '# Nothing.\n',
    ...Object.fromEntries(names.map((name) => [`clusters/${name}.yaml`, memberFile(name, { order: name })])),
    'resources/shop/web.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata: {name: web}\n',
    'fleet.yaml': `apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: {forge: {kind: ${kind}, repository: acme/fleet, baseURL: "${web.url}"${more}}}\n`,
    ...files,
  });
  setting.prepared?.(forge);
  const members = new Map(
    await Promise.all(names.map(async (name) => [name, await openMember({ name }, clock)] as const)),
  );
  const log = await openLog({ level: 'silent', pretty: false });
  const running = await Promise.all(
    Array.from({ length: daemons }, async () => {
      const opened = await openDaemon({
        repo: git.url(basename(repo)),
        branch: 'main',
        statusBranch: 'fleet-status',
        watchMembers: 1_000,
        connect: async (name) => inProcessTransport(members.get(name)!),
        cacheDir: folder(),
        intervalMs: clock === systemClock ? 500 : 10_000,
        publishIntervalMs: 0,
        listen: undefined,
        webhookSecret: undefined,
        acceptRewind: undefined,
        author,
        graceMs: 5_000,
        clock,
        pace: clock,
        log,
      });
      return { opened, ended: opened.daemon.run() };
    }),
  );
  return {
    repo,
    forge,
    url: web.url,
    async close() {
      for (const { opened } of running) opened.daemon.stop();
      for (const { opened, ended } of running) {
        await ended;
        await opened.close();
      }
      for (const member of members.values()) member.close();
      await web.close();
      await git.close();
      vi.unstubAllEnvs();
    },
  };
}

const patiently = { timeout: 60_000, interval: 200 };

const stages = ['a', 'b', 'c', 'd'];
const careful = `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterStagedUpdateStrategy
metadata: {name: careful}
spec:
  stages:
${stages.map((name) => `  - {name: ${name}, labelSelector: {matchLabels: {order: ${name}}}, beforeStageTasks: [{type: Approval}]}\n`).join('')}`;
const run = `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterStagedUpdateRun
metadata: {name: web-1}
spec: {placementName: web, stagedRolloutStrategyName: careful}
`;

describe.skipIf(!gitThere)('a daemon on a repository and a forge over HTTP', () => {
  it.each(['github', 'gitlab', 'gitea', 'forgejo'] as const)(
    'asks by pull requests that are merged in every way, with two daemons and a forge that fails: %s',
    async (dialect) => {
      const clock = scaledClock(Date.parse('2026-11-20T10:00:00Z'), 20);
      const { repo, forge, close } = await world(
        {
          'web.yaml': placement('web', '{placementType: PickAll}', '{type: External}'),
          'strategy.yaml': careful,
          'run.yaml': run,
        },
        { dialect, members: stages, daemons: 2, clock, prepared: (of) => (of.fault = () => 'not sent') },
      );
      const gate = (stage: string): string => `gitfleet/approve/web-1-before-${stage}`;
      const status = (path: string): string => sh(repo, 'show', `fleet-status:${path}`);
      const asked = async (stage: string): Promise<StoredPull> => {
        const open = () => forge.pulls.filter(({ head, state }) => head === gate(stage) && state === 'open');
        await vi.waitFor(() => expect(open()).toHaveLength(1), patiently);
        await vi.waitFor(() => expect(status('summary.yaml')).toContain('state: open'), patiently);
        return open()[0]!;
      };
      const button = async ({ number }: StoredPull, how: MergeMethod): Promise<void> => {
        forge.refusedMerges = 1;
        expect([await forge.merge(number, how), await forge.merge(number, how)]).toEqual([false, true]);
      };
      /** GitHub's merge queue: main moves at once by a group of merges that the forge made on a branch of its own. */
      const queue = async (pull: StoredPull): Promise<void> => {
        const group = `gh-readonly-queue/main/pr-${pull.number}`;
        const by = ['-c', 'user.name=GitHub', '-c', 'user.email=noreply@github.com'];
        const merged = (base: string, tree: string, ...parents: string[]): string =>
          sh(
            repo,
            ...by,
            'commit-tree',
            tree,
            '-p',
            base,
            ...parents.flatMap((parent) => ['-p', parent]),
            '-m',
            'Merge',
          );
        const base = sh(repo, 'rev-parse', 'main').trim();
        const head = sh(repo, 'rev-parse', pull.head).trim();
        const other = merged(base, sh(repo, 'rev-parse', `${base}^{tree}`).trim()).trim();
        const tree = sh(repo, 'merge-tree', '--write-tree', other, head).split('\n')[0]!;
        sh(repo, 'update-ref', `refs/heads/${group}`, merged(other, tree, head).trim());
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        expect(sh(repo, 'rev-parse', 'main').trim()).toBe(base);
        pull.state = 'merged';
        sh(repo, 'update-ref', 'refs/heads/main', group);
        sh(repo, 'branch', '-D', group);
      };
      try {
        // Down for more than a minute: the branch is there all the same. Then it limits requests.
        await vi.waitFor(() => expect(sh(repo, 'branch', '--list', gate('a'))).not.toBe(''), patiently);
        await vi.waitFor(() => expect(status('summary.yaml')).toContain('code: forge'), patiently);
        const limited = { status: 429, headers: { 'retry-after': '30' }, body: 'Retry later' };
        const before = forge.requests.length;
        let over = Number.POSITIVE_INFINITY;
        forge.fault = () => {
          if (clock.now() >= over) return undefined;
          over = Math.min(over, clock.now() + 30_000);
          return limited;
        };
        const first = await asked('a');
        expect(forge.requests.slice(before).length).toBeGreaterThan(0);
        // Edited in place.
        const { body } = first;
        expect(body).toContain('Merging starts stage a, 1 cluster');
        first.body = 'Nothing to see here.';
        await vi.waitFor(() => expect(first.body).toBe(body), patiently);
        const own = ({ commit, context }: StoredStatus) => commit === first.headCommit && context === 'gitfleet/plan';
        await vi.waitFor(() => expect(forge.statuses.filter(own).at(-1)?.state).toBe('success'), patiently);
        await button(first, 'merge commit');

        const second = await asked('b');
        second.state = 'closed';
        await vi.waitFor(() => expect(status('README.md')).toContain('not now'), patiently);
        second.state = 'open';
        await vi.waitFor(() => expect(status('summary.yaml')).toContain('state: open'), patiently);
        await button(second, 'squash');

        await button(await asked('c'), 'rebase');
        const last = await asked('d');
        await (dialect === 'github' ? queue(last) : button(last, 'fast-forward'));
        await vi.waitFor(() => expect(status('runs/web-1.yaml')).toContain('UpdateRunSucceeded'), patiently);
        await vi.waitFor(() => expect(sh(repo, 'branch', '--list', 'gitfleet/approve/*')).toBe(''), patiently);
        expect(forge.pulls.map(({ head, state }) => `${head} ${state}`)).toEqual(
          stages.map((stage) => `${gate(stage)} merged`),
        );
        await vi.waitFor(() => expect(status('summary.yaml')).not.toContain('code: forge'), patiently);
      } finally {
        await close();
      }
    },
    300_000,
  );

  it('previews pull requests of its own branches, and of forks where fleet.yaml says so', async () => {
    const extra = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: extra, namespace: web}\ndata: {v: "1"}\n';
    const { repo, forge, close } = await world(
      { 'web.yaml': placement('web', '{placementType: PickAll}'), 'resources/extra.yaml': extra },
      { dialect: 'gitlab', more: ', previewForks: true' },
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
