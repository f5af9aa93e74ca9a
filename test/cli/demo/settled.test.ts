import { expect, it } from 'vitest';
import { openApprovals } from '../../../src/cli/demo/settled.ts';
import type { Plan } from '../../../src/engine/plan-document.ts';

it('a request is open until it is approved or rejected', () => {
  const approvals = [
    { planned: { name: 'new' }, answer: undefined },
    { planned: { name: 'in-namespace', namespace: 'team' }, answer: undefined },
    { planned: { name: 'yes' }, answer: 'approved' },
    { planned: { name: 'no' }, answer: 'rejected' },
  ];
  expect(openApprovals({ approvals } as unknown as Plan)).toEqual(['new', 'team.in-namespace']);
});
