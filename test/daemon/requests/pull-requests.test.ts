import { afterEach, describe, expect, it } from 'vitest';
import type { DialectName, TestForge } from '../../forge/test-forge.ts';
import type { VirtualFleet } from '../../support/virtual-fleet.ts';
import { branch, config, forgeFleet, run, web } from './forge-fleet.ts';

let fleet: VirtualFleet;
let forge: TestForge;
afterEach(() => fleet.close());

const open = async (dialect: DialectName) => {
  ({ fleet, forge } = await forgeFleet(dialect));
};

const runsOn = (): string[] =>
  ['a', 'b', 'c'].filter((name) => fleet.stored(name, 'apps/deployments', 'web', 'web') !== undefined);
const summary = async (): Promise<string> => (await fleet.repo.files('fleet-status'))['summary.yaml'] ?? '';
const readme = async (): Promise<string> => (await fleet.repo.files('fleet-status'))['README.md'] ?? '';
const asked = (start: string): number => forge.requests.filter((request) => request.startsWith(start)).length;
const untilOpen = () =>
  fleet.until('a pull request is open', () => forge.pulls.some(({ state }) => state === 'open'), 600);
const finished = () => fleet.until('prod runs it', () => runsOn().length === 3, 900);

describe.each(['github', 'gitlab', 'gitea', 'forgejo'] as const)('%s', (dialect) => {
  it('gets one pull request for a gate, linked from the status, and merging it approves', async () => {
    await open(dialect);
    const { metrics } = fleet.start({ forge });
    await untilOpen();
    await fleet.until('the status links it', async () => (await summary()).includes('pullRequests:'), 60);
    expect(forge.pull(1)).toMatchObject({
      head: branch,
      base: 'main',
      title: expect.stringMatching(/^Approve web-1: prod \(2 clusters\) after dev/),
    });
    expect(await readme()).toMatch(/\[Pull request\]\(https:\/\/forge.example\/acme\/fleet\/\S+\/1\)/);
    expect(metrics.render()).toContain('gitfleet_pull_requests 1');
    await fleet.run(600);
    expect([runsOn(), forge.pulls.length]).toEqual([['a'], 1]);
    await forge.merge(1, dialect === 'gitlab' ? 'squash' : dialect === 'gitea' ? 'rebase' : 'merge commit');
    await finished();
    await fleet.run(120);
    expect(await summary()).not.toContain('pullRequests:');
    expect(forge.pulls.map(({ state }) => state)).toEqual(['merged']);
    const { body } = forge.pull(1);
    expect(body).toMatch(
      /^✅ Approved by \S+.* in commit \w{7}.*, \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\. Nothing is left to decide here/,
    );
    expect(body).toContain('### Commits');
    expect(body).not.toMatch(/Closing this request|--reject/);
    const edits = asked('PATCH') + asked('PUT');
    await fleet.run(600);
    expect(asked('PATCH') + asked('PUT')).toBe(edits);
  });

  it('whose text says that it was approved, also where no daemon ran as it was merged', async () => {
    await open(dialect);
    const one = fleet.start({ forge });
    await fleet.until('the status links it', async () => (await summary()).includes('pullRequests:'), 900);
    one.kill();
    await forge.merge(1, 'squash');
    fleet.start({ forge });
    await fleet.until('it says so', () => forge.pull(1).body.startsWith('✅ Approved'), 300);
    expect(forge.pull(1).body).not.toContain('Closing this request');
  });

  it('shows a closed one as not now, opens no other, and asks again when it is reopened', async () => {
    await open(dialect);
    fleet.start({ forge });
    await untilOpen();
    forge.pull(1).state = 'closed';
    await fleet.until('the dashboard says so', async () => (await readme()).includes('not now'), 150);
    expect(await summary()).toContain('state: closed');
    await fleet.run(1800);
    expect([runsOn(), forge.pulls.length]).toEqual([['a'], 1]);
    forge.pull(1).state = 'open';
    await fleet.until('it is asked again', async () => (await summary()).includes('state: open'), 150);
    await forge.merge(1, 'squash');
    await finished();
    expect(forge.pulls).toHaveLength(1);
  });

  it('opens no second one when answers are lost', async () => {
    await open(dialect);
    let lost = 0;
    forge.fault = ({ method }) => (method === 'POST' && lost++ < 2 ? 'answer lost' : undefined);
    fleet.start({ forge });
    await fleet.until('the status links it', async () => (await summary()).includes('pullRequests:'), 900);
    expect(forge.pulls).toHaveLength(1);
    expect(asked('POST')).toBe(1);
  });

  it('opens no second one for two daemons', async () => {
    await open(dialect);
    fleet.start({ forge });
    fleet.start({ forge });
    await untilOpen();
    await fleet.run(300);
    expect(forge.pulls).toHaveLength(1);
    expect(await summary()).toContain('pullRequests:');
    const commits = (await fleet.repo.log('fleet-status')).length;
    await fleet.run(600);
    expect((await fleet.repo.log('fleet-status')).length).toBe(commits);
  });
});

it.each(['github', 'gitlab', 'gitea', 'forgejo'] as const)('sets labels and reviewers once: %s', async (dialect) => {
  await labelled(dialect);
  let lost = 0;
  forge.fault = ({ method, path }) =>
    (path.endsWith('/labels') || method === 'PUT') && lost++ === 0 ? 'not sent' : undefined;
  fleet.start({ forge });
  await untilOpen();
  await fleet.until('it has them', () => forge.pull(1).reviewers.length === 2, 60);
  expect(forge.pull(1)).toMatchObject({ labels: ['fleet'], reviewers: ['ann', 'ben'] });
  forge.pull(1).labels.splice(0);
  forge.pull(1).reviewers.splice(0);
  await fleet.run(600);
  expect(forge.pull(1)).toMatchObject({ labels: [], reviewers: [] });
});

const labelled = async (dialect: DialectName) => {
  await open(dialect);
  fleet.commit({ 'fleet.yaml': config(dialect, 'labels: [fleet], reviewers: [ann, ben]') });
};

it.each(['github', 'gitlab', 'gitea', 'forgejo'] as const)(
  'sets labels and reviewers also where the daemon was killed before, and no more once that is recorded: %s',
  async (dialect) => {
    await labelled(dialect);
    const victim = fleet.start({ forge });
    forge.fault = ({ method, path }) => {
      if (!path.endsWith('/labels') && method !== 'PUT') return undefined;
      victim.kill();
      return 'not sent';
    };
    await untilOpen();
    await fleet.run(60);
    expect(forge.pull(1)).toMatchObject({ labels: [], reviewers: [] });
    forge.fault = () => undefined;
    // Someone asked for a review meanwhile.
    forge.pull(1).reviewers.push('ben');
    const next = fleet.start({ forge });
    await fleet.until('it is recorded', async () => (await summary()).includes('assigned: true'), 120);
    expect(forge.pull(1).labels).toEqual(['fleet']);
    expect(new Set(forge.pull(1).reviewers)).toEqual(new Set(['ann', 'ben']));
    next.kill();
    forge.pull(1).labels.splice(0);
    forge.pull(1).reviewers.splice(0);
    fleet.start({ forge });
    await fleet.run(300);
    expect(forge.pull(1)).toMatchObject({ labels: [], reviewers: [] });
    expect(await summary()).toContain('assigned: true');
  },
);

it('sets reviewers of an open one where those of before were refused', async () => {
  await open('github');
  fleet.commit({ 'fleet.yaml': config('github', 'reviewers: [nobody]') });
  fleet.start({ forge });
  await untilOpen();
  await fleet.until('it is reported', async () => (await summary()).includes('from collaborators'), 60);
  expect(await summary()).not.toContain('assigned: true');
  fleet.commit({ 'fleet.yaml': config('github', 'reviewers: [ann]') });
  await fleet.until('she is asked', () => forge.pull(1).reviewers.includes('ann'), 120);
  await fleet.until('the problem is gone', async () => !(await summary()).includes('from collaborators'), 60);
});

it.each(['github', 'gitlab', 'gitea', 'forgejo'] as const)(
  'records who approved the pull request besides who merged it: %s',
  async (dialect) => {
    await open(dialect);
    fleet.start({ forge });
    await untilOpen();
    forge.pull(1).reviews.push({ user: 'ben', state: 'APPROVED' });
    await fleet.run(90);
    await forge.merge(1, 'merge commit');
    await finished();
    const subjects = await fleet.repo.log('fleet-status');
    expect(subjects.join('\n')).toMatch(/web-1-after-dev: approved by Ann in commit [0-9a-f]{7} \(/);
    const { 'runs/web-1.yaml': status } = await fleet.repo.files('fleet-status');
    expect(status).toContain('pull request approved by ben');
    expect(status).toMatch(/reviewers:\s+- ben/);
  },
);

it.each(['github', 'gitlab', 'gitea', 'forgejo'] as const)(
  'names who merged a squashed one, and who approved it just before: %s',
  async (dialect) => {
    await open(dialect);
    fleet.start({ forge });
    await untilOpen();
    await fleet.run(75);
    forge.pull(1).reviews.push({ user: 'ben', state: 'APPROVED' });
    forge.pull(1).mergedBy = 'cara';
    await forge.merge(1, 'squash');
    await finished();
    const { 'runs/web-1.yaml': status } = await fleet.repo.files('fleet-status');
    expect(status).toContain('mergedBy: cara');
    expect(status).toMatch(/reviewers:\s+- ben/);
    expect((await fleet.repo.log('fleet-status')).join('\n')).toMatch(/web-1-after-dev: approved by cara in commit/);
  },
);

it('records nobody whose approval was withdrawn before the merge', async () => {
  await open('github');
  fleet.start({ forge });
  await untilOpen();
  forge.pull(1).reviews.push({ user: 'ben', state: 'APPROVED' });
  await fleet.run(135);
  forge.pull(1).reviews.length = 0;
  forge.pull(1).mergedBy = 'cara';
  await forge.merge(1, 'squash');
  await finished();
  const { 'runs/web-1.yaml': status } = await fleet.repo.files('fleet-status');
  expect(status).toContain('mergedBy: cara');
  expect(status).not.toContain('reviewers:');
});

it('names who merged also where reviews are slow to come', async () => {
  await open('github');
  fleet.start({ forge });
  await untilOpen();
  await fleet.run(75);
  forge.fault = ({ path }) => (path.endsWith('/reviews') ? 'hangs' : undefined);
  forge.pull(1).mergedBy = 'cara';
  await forge.merge(1, 'squash');
  await finished();
  expect((await fleet.repo.files('fleet-status'))['runs/web-1.yaml']).toContain('mergedBy: cara');
});

it('names who merged one while no daemon ran', async () => {
  await open('github');
  const first = fleet.start({ forge });
  await untilOpen();
  first.kill();
  forge.pull(1).mergedBy = 'cara';
  await forge.merge(1, 'squash');
  fleet.start({ forge });
  await finished();
  expect((await fleet.repo.log('fleet-status')).join('\n')).toMatch(/web-1-after-dev: approved by cara in commit/);
});

it('counts one that a merge queue merged with another in one push, by a committer of its own', async () => {
  await open('github');
  fleet.start({ forge });
  await untilOpen();
  const [main, approval] = [fleet.repo.tip('main')!, fleet.repo.tip(branch)!];
  const queue = { name: 'GitHub', email: 'noreply@github.com' };
  const merged = { ...(await fleet.repo.files('main')), ...(await fleet.repo.files(branch)) };
  Object.assign(forge.pull(1), { state: 'merged', mergedBy: 'cara' });
  const commit = fleet.repo.commit('main', merged, 'Merge pull request #1', [main, approval], queue);
  fleet.repo.commit('main', { ...merged, 'notes.md': '' }, 'Merge pull request #2', undefined, queue);
  await finished();
  expect((await fleet.repo.log('fleet-status')).join('\n')).toContain(
    `web-1-after-dev: approved by cara in commit ${commit.slice(0, 7)} (author GitHub)`,
  );
});

it('accepts an approval without that name where the forge does not answer in time', async () => {
  await open('github');
  fleet.start({ forge });
  await untilOpen();
  forge.fault = ({ method, path }) => (method === 'GET' && path.endsWith('/pulls/1') ? 'hangs' : undefined);
  await forge.merge(1, 'squash');
  await finished();
  expect((await fleet.repo.log('fleet-status')).join('\n')).toMatch(/web-1-after-dev: approved by Ann in commit/);
});

it('asks nothing more where the forge does not tell who approved', async () => {
  await open('github');
  forge.fault = ({ path }) => (path.endsWith('/reviews') ? { status: 403, body: { message: 'no' } } : undefined);
  fleet.start({ forge });
  await untilOpen();
  await fleet.run(180);
  expect(await summary()).not.toContain('code: forge');
  await forge.merge(1, 'squash');
  await finished();
});

it.each(['github', 'gitlab', 'gitea', 'forgejo'] as const)(
  'opens one also where a reviewer is unknown, asks the others, and reports that: %s',
  async (dialect) => {
    await open(dialect);
    fleet.commit({ 'fleet.yaml': config(dialect, 'reviewers: [ann, nobody]') });
    fleet.start({ forge });
    await untilOpen();
    const why = 'nobody of forge.reviewers in fleet.yaml cannot be asked to review: ';
    await fleet.until('it is reported', async () => (await summary()).includes(why), 60);
    expect(forge.pull(1).reviewers).toEqual(['ann']);
    await forge.merge(1, 'squash');
    await finished();
  },
);

it('works without the forge while it is down, reports that after a minute, and catches up', async () => {
  await open('github');
  forge.fault = () => 'not sent';
  const { metrics } = fleet.start({ forge });
  await fleet.until('the gate asks', () => fleet.repo.tip(branch) !== undefined, 600);
  await fleet.run(40);
  expect(await summary()).not.toContain('code: forge');
  await fleet.run(120);
  expect(await summary()).toContain('code: forge');
  expect(await summary()).toContain('ECONNREFUSED');
  expect(metrics.render()).toContain('gitfleet_forge_requests_total{result="unreachable"}');
  forge.fault = () => undefined;
  await untilOpen();
  await fleet.until('the problem is gone', async () => !(await summary()).includes('code: forge'), 60);
});

it('hangs on no answer: the gate opens by a merge of its branch', async () => {
  await open('gitea');
  forge.fault = () => 'hangs';
  fleet.start({ forge });
  await fleet.until('the gate asks', () => fleet.repo.tip(branch) !== undefined, 600);
  await forge.git.merge(branch, 'main', 'squash');
  await finished();
});

it('waits as long as a rate limit says', async () => {
  await open('github');
  forge.fault = () => ({ status: 429, headers: { 'retry-after': '600' }, body: '' });
  fleet.start({ forge });
  await fleet.until('the gate asks', () => fleet.repo.tip(branch) !== undefined, 600);
  await fleet.run(590);
  expect(forge.requests.length).toBeLessThanOrEqual(2);
  forge.fault = () => undefined;
  await untilOpen();
});

it('adopts the open one of a killed daemon, whenever it was killed', async () => {
  await open('github');
  let calls = 0;
  for (const at of [1, 2, 3, 4, 5]) {
    const one = fleet.start({ forge });
    forge.fault = () => {
      if (++calls < at) return undefined;
      one.kill();
      return 'answer lost';
    };
    await fleet.run(200);
    one.kill();
    calls = 0;
  }
  forge.fault = () => undefined;
  fleet.start({ forge });
  await untilOpen();
  await fleet.run(120);
  expect(forge.pulls).toHaveLength(1);
});

it('edits the text in place when facts change, at most once a minute, and puts back what others wrote', async () => {
  await open('github');
  fleet.start({ forge });
  await untilOpen();
  await fleet.run(130);
  const { body } = forge.pull(1);
  expect(body).toContain('Merging starts stage prod, 2 clusters, at most 1 at once: b, c.');
  const edits = asked('PATCH');
  await fleet.run(600);
  expect(asked('PATCH')).toBe(edits);
  forge.pull(1).body = 'Nothing to see here.';
  await fleet.run(130);
  expect(forge.pull(1).body).toBe(body);
  expect(asked('PATCH')).toBe(edits + 1);
});

it('says that no approval counts as long as fleet.yaml is not valid', async () => {
  await open('github');
  fleet.start({ forge });
  await untilOpen();
  const text =
    'No approval counts while fleet.yaml is not valid: correct what is reported for it first.\n\nMerging starts ';
  expect(forge.pull(1).body).not.toContain(text);
  fleet.commit({ 'fleet.yaml': config('github', 'reviewer: [ann]') });
  await fleet.until('it says so', () => forge.pull(1).body.startsWith(text), 180);
  fleet.commit({ 'fleet.yaml': config('github') });
  await fleet.until('it no longer says so', () => forge.pull(1).body.startsWith('Merging starts '), 180);
});

it('shows what others changed on clusters that are done', async () => {
  await open('github');
  fleet.start({ forge });
  await untilOpen();
  expect(forge.pull(1).body).toContain('clusters updated and available (a); no restarts; no drift');
  const path = '/apis/apps/v1/namespaces/web/deployments/web';
  await fleet.ask('a', 'PATCH', path, { spec: { replicas: 7 } }, 'application/merge-patch+json');
  const drift = /; drift: Deployment web\/web \(\/spec\/replicas by \S+, repaired\) on a/;
  await fleet.until('it says so', () => drift.test(forge.pull(1).body), 180);
});

it('closes the pull request of an approval that is no longer wanted, also where the forge does not', async () => {
  await open('gitlab');
  fleet.start({ forge });
  await untilOpen();
  fleet.commit({ 'runs/web-1.yaml': undefined });
  await fleet.until('it is closed', () => forge.pull(1).state === 'closed', 120);
});

it.each(['github', 'gitlab', 'gitea', 'forgejo'] as const)(
  'whose text says that it is no longer requested, also where no daemon ran as its run was removed: %s',
  async (dialect) => {
    await open(dialect);
    const one = fleet.start({ forge });
    await fleet.until('the status links it', async () => (await summary()).includes('pullRequests:'), 900);
    one.kill();
    fleet.commit({ 'runs/web-1.yaml': undefined });
    fleet.start({ forge });
    await fleet.until('it is closed', () => forge.pull(1).state === 'closed', 300);
    await fleet.until('it says so', () => /^🚫 No longer requested, 2026-/.test(forge.pull(1).body), 60);
    expect(forge.pull(1).body).not.toContain('Closing this request');
  },
);

it.each(['github', 'gitlab'] as const)(
  'whose text says so, also where the daemon that opened it was killed before the status listed it: %s',
  async (dialect) => {
    await open(dialect);
    const one = fleet.start({ forge });
    const isOpen = (): boolean => {
      if (forge.pulls.length === 1) one.kill();
      return forge.pulls.length === 1;
    };
    await fleet.until('it is open', isOpen, 900);
    expect(await summary()).not.toContain('pullRequests:');
    fleet.commit({ 'runs/web-1.yaml': undefined });
    fleet.start({ forge });
    await fleet.until('it is closed', () => forge.pull(1).state === 'closed', 300);
    await fleet.until('it says so', () => /^🚫 No longer requested, 2026-/.test(forge.pull(1).body), 60);
  },
);

it.each(['github', 'gitlab', 'gitea', 'forgejo'] as const)(
  'whose text says who rejected it, and why: %s',
  async (dialect) => {
    await open(dialect);
    fleet.start({ forge });
    await fleet.until('the status links it', async () => (await summary()).includes('pullRequests:'), 900);
    const path = 'approvals/web-1-after-dev.yaml';
    const text = (await fleet.repo.files(branch))[path]!.replace('status: "True"', 'status: "False"');
    fleet.commit({ [path]: text.replace(/message: .*/, 'message: too slow') }, 'Reject');
    await fleet.until('it is closed', () => forge.pull(1).state === 'closed', 300);
    const said =
      /^❌ Approval web-1-after-dev was rejected on main by Ann in commit \w{7}: too slow, 2026-\S+Z\. Nothing is left to decide here/;
    await fleet.until('it says so', () => said.test(forge.pull(1).body), 60);
    expect(forge.pull(1).body).not.toMatch(/Closing this request|--reject/);
  },
);

it('opens another one where another version is asked for', async () => {
  await open('github');
  fleet.start({ forge });
  await untilOpen();
  forge.pull(1).state = 'closed';
  await fleet.run(120);
  fleet.commit({ 'runs/web-1.yaml': undefined });
  await fleet.until('its branch is gone', () => fleet.repo.tip(branch) === undefined, 120);
  fleet.commit({ 'runs/web-1.yaml': run('web-1') });
  await fleet.until('it is open', () => forge.pulls.some(({ state }) => state === 'open'), 600);
  expect(forge.pulls.map(({ state }) => state)).toEqual(['closed', 'open']);
});

it('shows who decides what is new, what merging does and how it went so far', async () => {
  await open('github');
  fleet.start({ forge });
  await untilOpen();
  await forge.merge(1, 'squash');
  await finished();
  await fleet.run(300);
  fleet.commit(
    { 'resources/web.yaml': web('web:2'), 'runs/web-2.yaml': run('web-2') },
    'web 2, closes #12 for @all <img src=x>',
  );
  await fleet.until('it asks again', () => forge.pulls.length === 2, 900);
  await fleet.run(200);
  const { title, body } = forge.pull(2);
  await expect(`${title}\n\n${body}\n`).toMatchFileSnapshot('approval.golden.md');
});

it('reports a token without rights at once, and never the token', async () => {
  await open('gitlab');
  forge.fault = () => ({ status: 401, body: { message: '401 Unauthorized right-token' } });
  fleet.start({ forge });
  await fleet.until('it is reported', async () => (await summary()).includes('code: forge'), 600);
  await fleet.run(60);
  const files = await fleet.repo.files('fleet-status');
  expect(Object.values(files).join('')).not.toContain('right-token');
  expect(fleet.logged.join('')).not.toContain('right-token');
});
