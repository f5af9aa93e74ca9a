import { expect, it } from 'vitest';
import { type StagedReason, withReason } from '../../src/engine/staged/run-conditions.ts';
import { objectEvents } from '../../src/report/object-events.ts';

const gate = (status: object) => ({ kind: 'Gate', metadata: { name: 'k8s-before-two' }, status }) as const;

it('a gate of a cluster update run has an event when it is answered, with who approved; that it is reached is one of its run', () => {
  const approvedBy = { commit: '41ab9c0'.padEnd(40, '0'), author: 'Ann' };
  const message = 'approved by Ann in commit 41ab9c0';
  const [pending, completed] = [gate({ state: 'Pending' }), gate({ state: 'Completed', approvedBy })];
  expect(objectEvents(undefined, pending, 1)).toEqual([]);
  expect(objectEvents(pending, completed, 2)).toEqual([{ type: 'Normal', reason: 'GateCompleted', message, at: 2 }]);
  expect(objectEvents(completed, completed, 3)).toEqual([]);
  expect(objectEvents(pending, gate({ state: 'Rejected' }), 4)).toEqual([
    { type: 'Warning', reason: 'GateRejected', message: 'the gate is Rejected', at: 4 },
  ]);
});

it.each([
  ['UpdateRunProgressing', 'UpdateRunSucceeded', 'Normal'],
  ['UpdateRunProgressing', 'UpdateRunFailed', 'Warning'],
  ['UpdateRunWaiting', 'UpdateRunSucceeded', 'Normal'],
  ['UpdateRunWaiting', 'ApprovalRejected', 'Warning'],
  ['StageUpdatingStarted', 'StageUpdatingSucceeded', 'Normal'],
  ['StageUpdatingWaiting', 'StageUpdatingSkippedNoClusters', 'Normal'],
] as const)('the end of a run and of a stage is one event: from %s to %s', (from, reason, type) => {
  const at = (second: number) => `2026-11-20T10:00:0${second}Z`;
  const begun = withReason({}, from, 'begun', at(1));
  const over = withReason(begun, reason satisfies StagedReason, 'over', at(2));
  const run = (conditions: object) => ({
    kind: 'ClusterStagedUpdateRun',
    metadata: { name: 'web-1' },
    status: reason.startsWith('Stage') ? { stagesStatus: [{ stageName: 'all', ...conditions }] } : conditions,
  });
  const message = reason.startsWith('Stage') ? 'stage all: over' : 'over';
  expect(objectEvents(run(begun), run(over), 0)).toEqual([{ type, reason, message, at: Date.parse(at(2)) }]);
});
