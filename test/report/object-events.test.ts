import { expect, it } from 'vitest';
import { type StagedReason, withReason } from '../../src/engine/staged/run-conditions.ts';
import { objectEvents, type Versioned } from '../../src/report/object-events.ts';

const at = (second: number) => `2026-11-20T10:00:${`${second}`.padStart(2, '0')}Z`;

const gate = (status: object) => ({ kind: 'Gate', metadata: { name: 'k8s-before-two' }, status }) as const;

it('a gate of a cluster update run has an event when it is answered, with who approved, or why not; that it is reached is one of its run', () => {
  const approvedBy = { commit: '41ab9c0'.padEnd(40, '0'), author: 'Ann' };
  const message = 'approved by Ann in commit 41ab9c0';
  const [pending, completed] = [gate({ state: 'Pending' }), gate({ state: 'Completed', approvedBy })];
  expect(objectEvents(undefined, pending, 1)).toEqual([]);
  expect(objectEvents(pending, completed, 2)).toEqual([{ type: 'Normal', reason: 'GateCompleted', message, at: 2 }]);
  expect(objectEvents(completed, completed, 3)).toEqual([]);
  const why = 'approval k8s-before-two was rejected on main: too early';
  expect(objectEvents(pending, gate({ state: 'Rejected', message: why }), 4)).toEqual([
    { type: 'Warning', reason: 'GateRejected', message: why, at: 4 },
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

it('a command for nodes begins, is rolled back, and ends', () => {
  const node = { name: 'n1', pool: 'default', disruptionCost: 1 };
  const command = (phase: string, since: number) => ({
    ...{ id: 'c1', method: 'Drift', reason: 'Drifted', phase, since: at(since) },
    ...{ nodes: [node], replacements: [], priceAfter: 0, pods: [] },
  });
  const nodePlan = (commands: readonly object[], failures: readonly object[] = []): Versioned =>
    ({
      apiVersion: 'gitfleet.dev/v1alpha1',
      kind: 'NodePlan',
      metadata: { name: 'eu-1' },
      mode: 'execute',
      commands,
      failures,
    }) as never;
  const failed = { nodes: ['n1'], times: 1, at: at(3), until: at(8), cause: 'the launch failed' };
  const versions = [
    nodePlan([command('Proposed', 1)]),
    nodePlan([command('Launching', 2)]),
    nodePlan([], [failed]),
    nodePlan([command('Removing', 9)], [failed]),
    nodePlan([], [failed]),
  ];
  const told = versions.flatMap((after, index) => objectEvents(versions[index - 1], after, Date.parse(at(10))));
  expect(
    told.map(({ type, reason, message, at: when }) => [type, reason, message, new Date(when).getUTCSeconds()]),
  ).toEqual([
    ['Normal', 'NodesReplaced', 'launch replacements for n1 (Drifted)', 2],
    [
      'Warning',
      'CommandRolledBack',
      `n1: the launch failed; retried from ${at(8).replace('T', ' ').slice(0, 16)} UTC`,
      3,
    ],
    ['Normal', 'NodesDraining', 'remove n1 (Drifted)', 9],
    ['Normal', 'NodesRemoved', 'n1 removed (Drifted)', 10],
  ]);
  expect(objectEvents(undefined, { kind: 'NodePlan', metadata: { name: 'eu-1' } }, 1)).toEqual([]);
});

it('what a freeze begins to hold is an event once, until it holds nothing', () => {
  const held = (name: string, message: string) => ({
    subject: { kind: 'ClusterResourcePlacement', name },
    reason: 'Freeze',
    message,
  });
  const summary = (...holds: object[]) => ({ kind: 'FleetSummary', branch: 'main', commit: '1'.repeat(40), holds });
  const message = 'is updated once freeze night ends';
  const before = summary(held('web', message));
  const turn = { ...held('other', 'waits for its turn'), reason: 'RolloutBudget' };
  expect(objectEvents(before, summary(held('web', `${message} soon`), held('shop', message), turn), 7)).toEqual([
    { type: 'Normal', reason: 'Held', message: `shop Freeze: ${message}`, at: 7 },
  ]);
  expect(objectEvents(before, summary(), 7)).toEqual([]);
  expect(objectEvents(summary(), before, 7)).toHaveLength(1);
  expect(objectEvents(before, { ...summary(), holds: 'edited by hand' }, 7)).toEqual([]);
});
