import { expect, it } from 'vitest';
import { objectEvents } from '../../src/report/object-events.ts';

const gate = (status: object) => ({ kind: 'Gate', metadata: { name: 'k8s-before-two' }, status }) as const;

it('a gate of a cluster update run has an event when it is reached, and when it is answered, with who approved', () => {
  const approvedBy = { commit: '41ab9c0'.padEnd(40, '0'), author: 'Ann' };
  const message = 'approved by Ann in commit 41ab9c0';
  const [pending, completed] = [gate({ state: 'Pending' }), gate({ state: 'Completed', approvedBy })];
  expect(objectEvents(undefined, pending, 1)).toEqual([
    { type: 'Normal', reason: 'GatePending', message: 'the gate is Pending', at: 1 },
  ]);
  expect(objectEvents(pending, completed, 2)).toEqual([{ type: 'Normal', reason: 'GateCompleted', message, at: 2 }]);
  expect(objectEvents(completed, completed, 3)).toEqual([]);
  expect(objectEvents(pending, gate({ state: 'Rejected' }), 4)).toEqual([
    { type: 'Warning', reason: 'GateRejected', message: 'the gate is Rejected', at: 4 },
  ]);
});
