import { describe, expect, it } from 'vitest';
import { mergeRequest } from '../../../src/cli/change/approve/merge-request.ts';
import { openForge } from '../../../src/forge/open-forge.ts';
import { manualClock } from '../../../src/simulator/clock.ts';
import { memoryHost } from '../../forge/git-host.ts';
import type { DialectName } from '../../forge/test-forge.ts';
import { TestForge } from '../../forge/test-forge.ts';
import { MemoryRepo } from '../../support/memory-repo.ts';

const head = 'gitfleet/approve/web-1-after-all';
const kinds = { github: 'github', gitlab: 'gitlab', gitea: 'gitea', forgejo: 'gitea' } as const;

/** A forge with an approval branch, and a merge of it that is given a minute. */
function world(dialect: DialectName) {
  const clock = manualClock(Date.parse('2026-11-20T10:00:00Z'));
  const repo = new MemoryRepo(() => clock.now());
  const base = repo.commit('main', { 'web.yaml': 'a' });
  const tip = repo.commit(head, { 'web.yaml': 'a', 'approvals/web-1-after-all.yaml': 'b' }, 'Request', [base]);
  const there = new TestForge(dialect, memoryHost(repo), () => clock.now());
  const { forge } = openForge({
    named: { kind: kinds[dialect], repository: 'acme/fleet', baseURL: 'https://forge.example' },
    repo: 'memory',
    env: { GITFLEET_FORGE_TOKEN: 'right-token', GITFLEET_FORGE_HOST: 'forge.example' },
    fetch: there.fetch,
    now: () => clock.now(),
  });
  const waits: string[] = [];
  const begun = clock.now();
  const merge = async (tipSeen = tip): Promise<string> => {
    const wanted = { head, base: 'main', tip: tipSeen, title: 'Approve web-1-after-all', body: '' };
    const patience = { clock, timeoutMs: 60_000, waiting: (why: string) => void waits.push(why) };
    let ended: string | undefined;
    void mergeRequest(forge!, wanted, patience).then(
      ({ number, state }) => (ended = `${number} ${state}`),
      (error: Error) => (ended = error.message),
    );
    for (let turn = 0; ended === undefined; turn++) {
      if (turn % 50 === 49) clock.advance(1_000);
      await new Promise(setImmediate);
    }
    return ended;
  };
  return { there, repo, forge: forge!, merge, waits, seconds: () => (clock.now() - begun) / 1000 };
}

describe.each(['github', 'gitlab', 'gitea', 'forgejo'] as const)('%s', (dialect) => {
  const sign = dialect === 'gitlab' ? '!' : '#';

  it('merges the open pull request, or opens it first', async () => {
    const { there, forge, merge, waits, repo } = world(dialect);
    expect(await merge()).toBe('1 merged');
    expect((await repo.files('main'))['approvals/web-1-after-all.yaml']).toBe('b');
    const other = world(dialect);
    await other.forge.open({ head, base: 'main', title: 'Approve web-1: prod', body: '' });
    expect(await other.merge()).toBe('1 merged');
    expect([there.pulls.length, other.there.pulls.length, waits, forge.repository]).toEqual([1, 1, [], 'acme/fleet']);
  });

  it('waits as long as the forge says not yet, and says once what blocks it', async () => {
    const { there, merge, waits } = world(dialect);
    there.refusedMerges = 4;
    expect(await merge()).toBe('1 merged');
    expect(waits).toEqual([
      expect.stringMatching(
        dialect === 'gitlab'
          ? /^!1 is not merged: 405 Method Not Allowed: not approved$/
          : /^#1 is not merged: 405 At least 1 approving review is required$/,
      ),
    ]);
  });

  it('gives up after the time, with what blocks it and where', async () => {
    const { there, merge, seconds } = world(dialect);
    there.refusedMerges = 1_000;
    expect(await merge()).toMatch(
      new RegExp(`^${sign}1 is not merged: 405 .*: given up after 60 s, see https://forge.example/acme/fleet/`),
    );
    expect(seconds()).toBeLessThanOrEqual(61);
    expect(there.pull(1).state).toBe('open');
  });

  it('finds that it is merged where the answer was lost', async () => {
    const { there, merge } = world(dialect);
    let lost = false;
    there.fault = ({ path }) => {
      if (lost || !path.endsWith('/merge')) return undefined;
      lost = true;
      return 'answer lost';
    };
    expect(await merge()).toBe('1 merged');
    expect(there.requests.filter((request) => /(PUT|POST) .*\/merge$/.test(request))).toHaveLength(1);
  });

  it('does not merge another tip than the one that was looked at', async () => {
    const { there, merge, repo } = world(dialect);
    const tip = repo.tip(head)!;
    repo.commit(head, { 'evil.yaml': 'c' }, 'More', [tip]);
    expect(await merge(tip)).toMatch(/it shows commit [0-9a-f]{12}, but [0-9a-f]{12} was looked at: given up/);
    expect(there.pull(1).state).toBe('open');
  });
});

it('waits as long as a rate limit says, and gives up at once without rights', async () => {
  const limited = world('github');
  let asked = 0;
  limited.there.fault = () => (asked++ === 0 ? { status: 429, headers: { 'retry-after': '30' }, body: '' } : undefined);
  expect(await limited.merge()).toBe('1 merged');
  expect(limited.seconds()).toBeGreaterThanOrEqual(30);
  const refused = world('github');
  refused.there.fault = () => ({ status: 403, body: { message: 'Resource not accessible' } });
  expect(await refused.merge()).toContain('403 Resource not accessible: check the token and its rights');
  expect(refused.seconds()).toBeLessThan(5);
});
