import { expect, it } from 'vitest';
import { openApprovals } from '../../../src/cli/demo/settled.ts';
import type { Plan } from '../../../src/engine/plan-document.ts';

it('a request is open until somebody says yes or no', () => {
  const asked = (name: string, namespace: string | undefined, ...conditions: object[]) => ({
    name,
    namespace,
    status: { conditions },
  });
  const approvals = [
    asked('new', undefined, { type: 'ApprovalAccepted', status: 'True' }),
    asked('in-namespace', 'team'),
    asked('yes', undefined, { type: 'Approved', status: 'True' }),
    asked('no', undefined, { type: 'Approved', status: 'False' }),
  ];
  expect(openApprovals({ approvals } as unknown as Plan)).toEqual(['new', 'team.in-namespace']);
});
