import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Placement, StatusInNamespace } from '../../../src/api/placement.ts';
import {
  bindings,
  carriedOut,
  conditionLines,
  member,
  type Planned,
  placement,
  plan,
  seen,
  shop,
} from '../../support/plan-command.ts';

const pickN = (number: number, rest = ''): string =>
  placement(`placementType: PickN\nnumberOfClusters: ${number}`, rest);
const repo = (web: string, names: readonly string[] = ['a', 'b']) => ({
  'clusters.yaml': names.map((name) => member(name)),
  'resources/shop.yaml': shop,
  'web.yaml': web,
});
const statusOf = ({ recorded }: Planned) => (parse(recorded['placements/web/status.yaml']!) as Placement).status!;
const per = (planned: Planned): string[][] =>
  statusOf(planned).placementStatuses!.map(({ clusterName = '', observedResourceIndex, conditions }) => [
    `${clusterName} ${observedResourceIndex ?? '-'}`,
    ...conditionLines(conditions as { type: string; status: string; reason: string }[]),
  ]);

const started = ['Scheduled True Scheduled', 'RolloutStarted True RolloutStarted'];
const done = [
  'Overridden True NoOverrideSpecified',
  'WorkSynchronized True AllWorkSynced',
  'Applied True AllWorkHaveBeenApplied',
  'Available True AllWorkAreAvailable',
];

it('conditions follow the rollout, in order, up to the first that is not True', async () => {
  const web = pickN(2);
  const first = await plan({ repo: repo(web), observed: [seen('a'), seen('b')] });
  expect(conditionLines(first.placement().conditions)).toEqual([
    'Scheduled True SchedulingPolicyFulfilled',
    'RolloutStarted True RolloutStarted',
    'Overridden True NoOverrideSpecified',
    'WorkSynchronized Unknown WorkSynchronizedUnknown',
  ]);
  expect(per(first)).toEqual([
    ['b 0', ...started, 'Overridden True NoOverrideSpecified', 'WorkSynchronized Unknown WorkSynchronizedUnknown'],
    ['a 0', ...started, 'Overridden True NoOverrideSpecified', 'WorkSynchronized Unknown WorkSynchronizedUnknown'],
  ]);
  const [b] = carriedOut(first, ['b']);
  const half = await plan({
    repo: repo(web),
    recorded: first.recorded,
    now: '2026-11-20T10:01:00Z',
    observed: [
      b!,
      seen('a', {
        objects: [
          {
            apiVersion: 'v1',
            kind: 'Namespace',
            metadata: { name: 'shop', labels: { 'gitfleet.dev/placement': 'web' } },
          },
        ],
        placements: [
          {
            placement: { kind: 'ClusterResourcePlacement', name: 'web' },
            resourceSnapshotIndex: 0,
            done: true,
            results: [
              {
                object: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'prices' },
                result: 'FailedToApply',
                message: 'quota',
              },
            ],
          },
        ],
      }),
    ],
  });
  expect(conditionLines(half.placement().conditions)).toEqual([
    'Scheduled True SchedulingPolicyFulfilled',
    'RolloutStarted True RolloutStarted',
    'Overridden True NoOverrideSpecified',
    'WorkSynchronized True WorkSynchronized',
    'Applied False ApplyFailed',
  ]);
  expect(half.placement().conditions.at(-1)!.message).toContain('1 cluster(s)');
  expect(per(half)).toEqual([
    ['b 0', ...started, ...done],
    ['a 0', ...started, ...done.slice(0, 2), 'Applied False NotAllWorkHaveBeenApplied'],
  ]);
  expect(statusOf(half).placementStatuses![1]!.failedPlacements).toEqual([
    expect.objectContaining({ version: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'prices' }),
  ]);
  // what did not change keeps its instant
  expect(half.placement().conditions.map(({ lastTransitionTime }) => lastTransitionTime)).toEqual([
    '2026-11-20T10:00:00Z',
    '2026-11-20T10:00:00Z',
    '2026-11-20T10:00:00Z',
    '2026-11-20T10:01:00Z',
    '2026-11-20T10:01:00Z',
  ]);
  const all = await plan({
    repo: repo(web),
    recorded: half.recorded,
    observed: carriedOut(half, ['a', 'b']),
    now: '2026-11-20T10:02:00Z',
  });
  expect(conditionLines(all.placement().conditions)).toEqual([
    'Scheduled True SchedulingPolicyFulfilled',
    'RolloutStarted True RolloutStarted',
    'Overridden True NoOverrideSpecified',
    'WorkSynchronized True WorkSynchronized',
    'Applied True ApplySucceeded',
    'Available True ResourceAvailable',
  ]);
  expect(statusOf(all)).toMatchObject({
    observedResourceIndex: '0',
    selectedResources: [
      { version: 'v1', kind: 'Namespace', name: 'shop' },
      { version: 'v1', kind: 'ConfigMap', name: 'prices', namespace: 'shop' },
    ],
  });
  expect(all.code).toBe(0);
});

it('slots that no cluster fills have no name and say why, the best of the unselected first', async () => {
  const planned = await plan({ repo: repo(pickN(4), ['a', 'b', 'c']), observed: [seen('a')] });
  expect(per(planned).map(([first, second]) => [first, second])).toEqual([
    ['a 0', 'Scheduled True Scheduled'],
    [' -', 'Scheduled False ScheduleFailed'],
    [' -', 'Scheduled False ScheduleFailed'],
  ]);
  const messages = statusOf(planned).placementStatuses!.map(({ conditions }) => conditions![0]!.message);
  expect(messages.slice(1)).toEqual(
    planned
      .placement()
      .decisions.slice(1)
      .map(({ reason }) => reason),
  );
  // slots do not count for what comes after Scheduled
  expect(conditionLines(planned.placement().conditions).slice(0, 2)).toEqual([
    'Scheduled False SchedulingPolicyUnfulfilled',
    'RolloutStarted True RolloutStarted',
  ]);
  expect(planned.placement().conditions[1]!.message).toContain('1 cluster(s)');
});

it('PickFixed: a slot for each name that is missing or not eligible, in their order', async () => {
  const planned = await plan({
    repo: repo(placement('placementType: PickFixed\nclusterNames: [nowhere, b, a]')),
    observed: [seen('a')],
  });
  const messages = statusOf(planned).placementStatuses!.map(({ clusterName, conditions }) => [
    clusterName,
    conditions![0]!.message,
  ]);
  expect(messages).toEqual([
    ['a', expect.stringContaining('"a"')],
    [undefined, expect.stringContaining('"nowhere" is not found')],
    [undefined, expect.stringContaining('"b" is not eligible')],
  ]);
});

it('PickAll never lists clusters that are not selected', async () => {
  const planned = await plan({ repo: repo(placement('placementType: PickAll')), observed: [seen('a')] });
  expect(per(planned).map(([first]) => first)).toEqual(['a 0']);
});

it('a cluster that waits for its turn shows RolloutStarted False, and the placement with it', async () => {
  const web = pickN(2, 'strategy: {rollingUpdate: {maxUnavailable: 1, maxSurge: 0}}');
  const first = await plan({ repo: repo(web), observed: [seen('a'), seen('b')] });
  const next = await plan({
    repo: { ...repo(web), 'resources/shop.yaml': shop.replace('"1"', '"2"') },
    recorded: first.recorded,
    observed: carriedOut(first, ['a', 'b']),
  });
  expect(bindings(next.placement())).toEqual(['a Bound update', 'b Bound wait']);
  expect(conditionLines(next.placement().conditions)).toEqual([
    'Scheduled True SchedulingPolicyFulfilled',
    'RolloutStarted False RolloutNotStartedYet',
  ]);
  expect(per(next)).toEqual([
    ['b 1', 'Scheduled True Scheduled', 'RolloutStarted False RolloutNotStartedYet'],
    ['a 1', ...started, 'Overridden True NoOverrideSpecified', 'WorkSynchronized Unknown WorkSynchronizedUnknown'],
  ]);
  expect(next.plan.holds).toEqual([
    expect.objectContaining({
      subject: { kind: 'ClusterResourcePlacement', name: 'web', clusterName: 'b' },
      reason: 'RolloutBudget',
    }),
  ]);
});

it('ReportDiff ends in DiffReported in place of Applied and Available', async () => {
  const web = pickN(1, 'strategy: {applyStrategy: {type: ReportDiff}}');
  const first = await plan({ repo: repo(web, ['a']), observed: [seen('a')] });
  const next = await plan({ repo: repo(web, ['a']), recorded: first.recorded, observed: carriedOut(first, ['a']) });
  expect(conditionLines(next.placement().conditions).slice(3)).toEqual([
    'WorkSynchronized True WorkSynchronized',
    'DiffReported True DiffReportingCompleted',
  ]);
});

it('External without a run: nothing rolls out, the controller of the rollout is someone else', async () => {
  const planned = await plan({ repo: repo(pickN(1, 'strategy: {type: External}'), ['a']), observed: [seen('a')] });
  expect(bindings(planned.placement())).toEqual(['a Scheduled keep']);
  expect(conditionLines(planned.placement().conditions)).toEqual([
    'Scheduled True SchedulingPolicyFulfilled',
    'RolloutStarted Unknown RolloutControlledByExternalController',
  ]);
  expect(planned.placement().resourceSnapshotIndex).toBeUndefined();
  expect(statusOf(planned).selectedResources ?? []).toEqual([]);
  expect(statusOf(planned).observedResourceIndex).toBeUndefined();
});

it('the generation counts changes of the spec, and every condition carries it', async () => {
  const first = await plan({ repo: repo(pickN(1)) });
  const next = await plan({ repo: repo(pickN(2)), recorded: first.recorded });
  const same = await plan({ repo: repo(pickN(2)), recorded: next.recorded });
  const generations = [first, next, same].map(({ placement: of }) => [
    ...new Set(of().conditions.map(({ observedGeneration }) => observedGeneration)),
  ]);
  expect(generations).toEqual([[1], [2], [2]]);
});

describe('statusReportingScope NamespaceAccessible', () => {
  const web = placement('placementType: PickAll', 'statusReportingScope: NamespaceAccessible');
  const reported = ({ recorded }: Planned) =>
    parse(recorded['placements/web/namespace-status.yaml'] ?? 'null') as StatusInNamespace | null;

  it('reports the status in the namespace, without the condition about that', async () => {
    const first = await plan({ repo: repo(web, ['a']), observed: [seen('a')] });
    expect(conditionLines(first.placement().conditions)).toEqual([
      'Scheduled True SchedulingPolicyFulfilled',
      'RolloutStarted True RolloutStarted',
      'Overridden True NoOverrideSpecified',
      'WorkSynchronized Unknown WorkSynchronizedUnknown',
      'StatusSynced True StatusSyncSucceeded',
    ]);
    const { conditions = [], ...rest } = statusOf(first);
    expect(reported(first)).toEqual({
      apiVersion: 'placement.kubernetes-fleet.io/v1',
      kind: 'ClusterResourcePlacementStatus',
      metadata: { name: 'web', namespace: 'shop' },
      sourceStatus: { ...rest, conditions: conditions.slice(0, -1) },
      lastUpdatedTime: '2026-11-20T10:00:00Z',
    });
    const again = await plan({
      repo: repo(web, ['a']),
      observed: [seen('a')],
      recorded: first.recorded,
      now: '2026-11-20T10:01:00Z',
    });
    expect(reported(again)).toEqual(reported(first));
    const applied = await plan({
      repo: repo(web, ['a']),
      observed: carriedOut(again, ['a']),
      recorded: again.recorded,
      now: '2026-11-20T10:02:00Z',
    });
    expect(reported(applied)!.lastUpdatedTime).toBe('2026-11-20T10:02:00Z');
    expect(conditionLines(applied.placement().conditions).at(-1)).toBe('StatusSynced True StatusSyncSucceeded');
  });

  it('fails where the namespace is not there', async () => {
    const planned = await plan({ repo: { ...repo(web, ['a']), 'resources/shop.yaml': '' } });
    expect(conditionLines(planned.placement().conditions).at(-1)).toBe('StatusSynced False StatusSyncFailed');
    expect(reported(planned)).toBeNull();
  });
});
