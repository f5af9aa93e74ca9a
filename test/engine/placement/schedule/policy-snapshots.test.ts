import { describe, expect, test } from 'vitest';
import type { PolicySnapshotEntry } from '../../../../src/api/placement-state.ts';
import { cluster, now, placementOf } from '../worlds.ts';
import { clusters, pickN, preferring, required, run, type Setting, snapshotOf } from './setting.ts';

describe('policy snapshots', () => {
  const indexes = (setting: Setting) =>
    run(setting).policySnapshots.map(({ index, latest }) => `${index}${latest ? ' latest' : ''}`);
  const policy = { tolerations: [{ key: 'x', operator: 'Exists' }] };
  const [entry] = snapshotOf(policy);
  const other: PolicySnapshotEntry = { index: 1, latest: true, policy: placementOf({}).spec.policy };

  test.each<[rule: string, snapshots: PolicySnapshotEntry[], expected: string[]]>([
    ['the first has index 0', [], ['0 latest']],
    ['the same policy keeps its snapshot', [entry!], ['0 latest']],
    [
      'another policy makes the next one',
      [
        { ...entry!, latest: false },
        { ...other, index: 4 },
      ],
      ['0', '4', '5 latest'],
    ],
    [
      'a policy that returns makes a third, since only the latest is compared',
      [{ ...entry!, latest: false }, other],
      ['0', '1', '2 latest'],
    ],
    [
      'without a latest the highest index is',
      [
        { ...other, index: 0, latest: false },
        { ...entry!, index: 3, latest: false },
      ],
      ['0', '3 latest'],
    ],
    [
      'of several latest the highest is',
      [
        { ...other, index: 0 },
        { ...entry!, index: 3 },
      ],
      ['0', '3 latest'],
    ],
    [
      'a recorded hash is enough',
      [
        {
          ...entry!,
          policy: placementOf({}).spec.policy,
          policyHash: run({ policy, fleet: [] }).policySnapshots[0]!.policyHash!,
        },
      ],
      ['0 latest'],
    ],
    [
      'an empty list is no change',
      [{ ...entry!, policy: { ...entry!.policy, topologySpreadConstraints: [] } }],
      ['0 latest'],
    ],
  ])('%s', (_, snapshots, expected) => {
    expect(indexes({ policy, fleet: [], snapshots })).toEqual(expected);
  });

  const label = (labelSelector: object) => required({ labelSelector });
  const exists = { key: 'env', operator: 'Exists' };
  test.each<[rule: string, before: object, after: object]>([
    [
      'matchExpressions',
      label({ matchLabels: { env: 'a' } }),
      label({ matchLabels: { env: 'a' }, matchExpressions: [] }),
    ],
    ['matchLabels', label({ matchExpressions: [exists] }), label({ matchLabels: {}, matchExpressions: [exists] })],
    ['values', label({ matchExpressions: [exists] }), label({ matchExpressions: [{ ...exists, values: [] }] })],
    [
      'matchLabels of a preference',
      preferring({ weight: 1, preference: { labelSelector: {} } }),
      preferring({ weight: 1, preference: { labelSelector: { matchLabels: {} } } }),
    ],
  ])('empty %s in a label selector are as if left out', (_, before, after) => {
    const snapshot = (affinity: object) => run({ policy: pickN(1, { affinity }), fleet: [] }).policySnapshots[0]!;
    expect(snapshot(after).policyHash).toBe(snapshot(before).policyHash);
    const { policyHash: _h, ...byHand } = snapshot(before);
    expect(indexes({ policy: pickN(1, { affinity: after }), fleet: [], snapshots: [byHand] })).toEqual(['0 latest']);
  });

  test('history is pruned to its limit when a snapshot is added', () => {
    const snapshots = [0, 1, 2].map((index) => ({ ...other, index, latest: index === 2 }));
    expect(indexes({ policy, fleet: [], snapshots, revisionHistoryLimit: 2 })).toEqual(['2', '3 latest']);
    expect(indexes({ policy, fleet: [], snapshots, revisionHistoryLimit: 1 })).toEqual(['3 latest']);
    expect(indexes({ policy: {}, fleet: [], snapshots, revisionHistoryLimit: 1 })).toEqual(['0', '1', '2 latest']);
  });
  test('the number of clusters is not part of the policy: a new number is no new snapshot', () => {
    const result = run({ policy: pickN(2), fleet: [], snapshots: snapshotOf(pickN(5), { numberOfClusters: 5 }) });
    expect(result.policySnapshots).toMatchObject([{ index: 0, numberOfClusters: 2, policy: { numberOfClusters: 5 } }]);
  });
  test('Scheduled keeps its time while its status does, over snapshots too', () => {
    const first = run({ policy: pickN(1), fleet: clusters('a') });
    const later = {
      at: '2026-11-20T11:00:00Z',
      fleet: clusters('a'),
      bindings: first.bindings,
      snapshots: first.policySnapshots,
    };
    expect(run({ ...later, policy: pickN(1, policy) }).scheduled).toMatchObject({
      status: 'True',
      lastTransitionTime: now,
    });
    expect(run({ ...later, policy: pickN(2) }).scheduled).toMatchObject({
      status: 'False',
      lastTransitionTime: '2026-11-20T11:00:00Z',
    });
  });
});

describe('wakes', () => {
  const seen = (lastReceivedHeartbeat: string) => ({
    status: {
      agentStatus: [
        {
          type: 'MemberAgent',
          conditions: [
            { type: 'Joined', status: 'True' },
            { type: 'Healthy', status: 'True' },
          ],
          lastReceivedHeartbeat,
        },
      ],
    },
  });
  const fleet = [
    cluster('a', seen('2026-11-20T09:58:00Z')),
    cluster('b', seen('2026-11-20T09:59:00Z')),
    cluster('c', seen('2026-11-20T09:57:00Z')),
  ];
  test.each<[rule: string, policy: object, wakes: string[]]>([
    ['the first other cluster that goes stale', pickN(1), ['2026-11-20T10:03:00.001Z']],
    ['never, when all are selected', {}, []],
    [
      'PickFixed: the first named one',
      { placementType: 'PickFixed', clusterNames: ['b'] },
      ['2026-11-20T10:04:00.001Z'],
    ],
  ])('%s', (_, policy, wakes) => {
    expect(run({ policy, fleet }).wakes).toEqual(wakes);
  });
  test('time alone changes the plan at that instant and not before', () => {
    const first = run({ policy: pickN(1), fleet });
    const again = { policy: pickN(1), fleet, bindings: first.bindings, snapshots: first.policySnapshots };
    expect(run({ ...again, at: '2026-11-20T10:03:00Z' }).decisions).toEqual(first.decisions);
    expect(run({ ...again, at: '2026-11-20T10:03:00.001Z' }).decisions).not.toEqual(first.decisions);
  });
});
