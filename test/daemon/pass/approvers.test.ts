import { expect, it } from 'vitest';
import { approvalRequest } from '../../../src/api/staged.ts';
import { approverFinder } from '../../../src/daemon/pass/approvers.ts';
import { approvedText } from '../../../src/engine/gate/approver.ts';
import { alwaysAsk } from '../../../src/git/ref-poll.ts';
import { gitSource } from '../../../src/git/source.ts';
import { loadFleet } from '../../../src/repo/fleet/load-fleet.ts';
import { readRecord } from '../../../src/repo/record/read.ts';
import { MemoryRepo } from '../../support/memory-repo.ts';

const own = { name: 'gitfleet', email: 'gitfleet@localhost' };
const approval = JSON.stringify({
  apiVersion: 'placement.kubernetes-fleet.io/v1',
  kind: 'ClusterApprovalRequest',
  metadata: { name: 'web-1-after-canary', annotations: { 'gitfleet.dev/review': 'sha256:1' } },
  spec: { parentStageRollout: 'web-1', targetStage: 'canary' },
  status: { conditions: [{ type: 'Approved', status: 'True', reason: 'Approved' }] },
});
const { status: _, ...asked } = JSON.parse(approval);
const path = 'approvals/web-1-after-canary.yaml';

function world(reviewers: readonly string[] = [], merger?: string) {
  const repo = new MemoryRepo(() => 0);
  repo.commit('main', { 'a.yaml': '' });
  const branches = repo.branches();
  const reads: string[] = [];
  const desired = gitSource(branches, { branch: 'main' }, alwaysAsk(branches));
  const broughtBy = (of: Parameters<typeof desired.broughtBy>[0]) => {
    reads.push(of.tip);
    return desired.broughtBy(of);
  };
  const find = approverFinder({
    desired: { broughtBy },
    author: own,
    reviewersOf: () => reviewers,
    decidedBy: async () => (merger === undefined ? undefined : { merger, reviewers: undefined }),
  });
  const record = readRecord(new Map()).record;
  return {
    repo,
    reads,
    async approver(recorded?: object) {
      const commit = repo.tip('main')!;
      const fleet = await loadFleet(await branches.objects.files(commit));
      const approvals = new Map(recorded ? [['web-1-after-canary', approvalRequest.parse(recorded)]] : []);
      return (await find({ commit, fleet, record: { ...record, approvals } })).get(
        'ClusterApprovalRequest//web-1-after-canary',
      );
    },
  };
}

const withAuthor = (author: { name: string; email: string }) => {
  const it = world();
  const commit = it.repo.commit('main', { [path]: approval }, 'Merge', [it.repo.tip('main')!], author);
  return { ...it, commit };
};

it.each([
  [{ name: 'Ann', email: 'ann@example.com' }, 'Ann'],
  [own, undefined],
  [{ name: 'Ann @octocat\u001b[2J', email: 'a@b' }, 'Ann octocat [2J'],
  [{ name: 'x'.repeat(200), email: 'a@b' }, 'x'.repeat(80)],
])('the commit of %j was made by %j', async (author, name) => {
  const { commit, approver } = withAuthor(author);
  expect(await approver()).toEqual({ commit, author: name, committer: name, signature: undefined });
});

it('is named with those who approved the pull request', async () => {
  const { repo, approver } = world(['ben', '@cara']);
  repo.commit('main', { [path]: approval }, 'Merge');
  expect(await approver()).toMatchObject({ author: 'Ann', reviewers: ['ben', 'cara'] });
});

it('is who merged the pull request, where a forge wrote the commit in the name of who opened it', async () => {
  const { repo, approver } = world([], '@ben');
  repo.commit('main', { [path]: approval }, 'Squash', undefined, { name: 'fleet-bot', email: 'bot@forge' });
  const found = await approver(asked);
  expect(found).toMatchObject({ author: 'fleet-bot', mergedBy: 'ben' });
  expect(approvedText(found)).toBe(`approved by ben in commit ${repo.tip('main')!.slice(0, 7)} (author fleet-bot)`);
});

it('is not asked from the forge for what no run requests', async () => {
  const { repo, approver } = world([], 'ben');
  repo.commit('main', { [path]: approval }, 'Early');
  expect(await approver()).toMatchObject({ author: 'Ann' });
  expect(await approver()).not.toHaveProperty('mergedBy');
});

it('stays known while other commits follow, and each tip is looked at once', async () => {
  const { commit, repo, reads, approver } = withAuthor({ name: 'Ann', email: 'a@b' });
  await approver();
  repo.commit('main', { [path]: approval, 'b.yaml': '' }, 'Later', undefined, { name: 'Bob', email: 'b@c' });
  expect(await approver()).toMatchObject({ commit, author: 'Ann' });
  expect(await approver()).toMatchObject({ commit, author: 'Ann' });
  expect(reads).toHaveLength(2);
});

it('is not looked for once a run has accepted the approval', async () => {
  const { reads, approver } = withAuthor({ name: 'Ann', email: 'a@b' });
  const accepted = { type: 'ApprovalAccepted', status: 'True', reason: 'ApprovalRequestApprovalAccepted' };
  const recorded = { ...JSON.parse(approval), status: { conditions: [accepted] } };
  expect(await approver(recorded)).toBeUndefined();
  expect(reads).toEqual([]);
});
