import { expect, it } from 'vitest';
import type { UpgradeGate } from '../../../src/api/upgrade-gate.ts';
import { syncApprovals } from '../../../src/daemon/pass/approvals.ts';
import type { RequestedApproval } from '../../../src/engine/plan-document.ts';
import { GitError } from '../../../src/git/git-error.ts';

const approval = (name: string, path: string | undefined): RequestedApproval => ({
  planned: { kind: 'Gate', name, spec: {}, status: {} },
  answer: undefined,
  subject: { kind: 'Gate', name },
  file: { path, object: { kind: 'Gate', metadata: { name } } as UpgradeGate },
  document: undefined,
});

it('an approval of any kind is requested with its own file, in the folder of approvals or at a path of its own', async () => {
  const requested: object[] = [];
  const withdrawn: string[] = [];
  const approvals = [approval('gate', undefined), approval('proposal', 'upgrades/proposal.yaml')];
  const { asked, tips } = await syncApprovals(
    { guard: [], commit: 'c1' },
    { approvals, removalHolds: [], config: undefined },
    {
      // Another daemon asks for the new one, which the record did not say yet.
      list: async () => ({ names: ['old', 'gate', 'new'], others: [], asOfMs: 1 }),
      request: async (request) => {
        requested.push(request);
        if (request.name === 'gate') throw new GitError('push-refused', 'declined by a hook');
        return { commits: [], files: [], isRequested: true, commit: undefined };
      },
      withdraw: async (name) => void withdrawn.push(name),
    },
    new Set(['old', 'gate']),
  );
  // Both stay asked for, although neither tip is known.
  expect([...tips.keys()]).toEqual(['gate', 'proposal']);
  expect({ asked, withdrawn, requested }).toEqual({
    asked: ['proposal'],
    withdrawn: ['old'],
    requested: [
      { name: 'gate', path: 'approvals/gate.yaml', content: 'kind: Gate\nmetadata:\n  name: gate\n' },
      { name: 'proposal', path: 'upgrades/proposal.yaml', content: 'kind: Gate\nmetadata:\n  name: proposal\n' },
    ],
  });
});
