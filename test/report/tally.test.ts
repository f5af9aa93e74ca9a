import { expect, it } from 'vitest';
import type { ClusterName, Condition } from '../../src/api/meta.ts';
import type { PlannedBinding, PlannedPlacement } from '../../src/engine/plan-document.ts';
import { tallyOf } from '../../src/report/tally.ts';

const condition = (type: string, status: Condition['status']): Condition =>
  ({ type, status, reason: 'AsItIs', message: '' }) as Condition;
const binding = (told: Partial<PlannedBinding>): PlannedBinding => ({
  clusterName: 'eu-1' as ClusterName,
  state: 'Bound',
  resourceSnapshotIndex: 2,
  move: 'keep',
  conditions: [],
  ...told,
});
const placement = (bindings: readonly PlannedBinding[]): PlannedPlacement => ({
  kind: 'ClusterResourcePlacement',
  name: 'web',
  resourceSnapshotIndex: 2,
  scheduled: { status: 'True', reason: 'SchedulingPolicyFulfilled', message: '' },
  decisions: [],
  bindings,
  conditions: [],
});
const none = { clusters: 1, available: 0, scheduled: 0, leaving: 0, older: 0 };

it.each<[string, Partial<PlannedBinding>, Partial<typeof none>]>([
  ['available', { conditions: [condition('Applied', 'True'), condition('Available', 'True')] }, { available: 1 }],
  ['compared, under ReportDiff', { conditions: [condition('DiffReported', 'True')] }, { available: 1 }],
  ['not available yet', { conditions: [condition('Available', 'False')] }, {}],
  ['only scheduled', { state: 'Scheduled' }, { scheduled: 1 }],
  ['on its way out', { state: 'Unscheduled', resourceSnapshotIndex: 1 }, { clusters: 0, leaving: 1 }],
  [
    'being removed, whatever it was last',
    { move: 'remove', resourceSnapshotIndex: 1, conditions: [condition('Available', 'True')] },
    { clusters: 0, leaving: 1 },
  ],
  ['on an older snapshot', { resourceSnapshotIndex: 1 }, { older: 1 }],
])('a binding that is %s is counted as that', (_, told, counted) => {
  expect(tallyOf(placement([binding(told)]))).toEqual({ ...none, ...counted });
});

it('every binding is counted', () => {
  const bindings = [
    binding({ state: 'Scheduled' }),
    binding({ resourceSnapshotIndex: 1 }),
    binding({ state: 'Scheduled' }),
  ];
  expect(tallyOf(placement(bindings))).toEqual({ ...none, scheduled: 2, older: 1 });
});

it('a cluster that was evicted and picked again counts once', () => {
  const up = { conditions: [condition('Available', 'True')] };
  const bindings = [binding({ ...up, move: 'remove' }), binding(up), binding({ clusterName: 'us-1' as ClusterName })];
  expect(tallyOf(placement(bindings))).toEqual({ ...none, clusters: 2, available: 1, leaving: 1 });
});
