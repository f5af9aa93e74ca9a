import { expect, it } from 'vitest';
import type { Placement } from '../../../src/api/placement.ts';
import type { PlacementState } from '../../../src/api/placement-state.ts';
import type { StagedUpdateRun } from '../../../src/api/staged.ts';
import { reasonOf, snapshotsOf, upOf } from '../../../src/cli/kinds/placements/reason.ts';
import type { KnownPlacement } from '../../../src/cli/status/known-placements.ts';

const available = [{ type: 'Available', status: 'True' }];
const binding = (targetCluster: string, resourceSnapshotIndex?: number, more: object = { conditions: available }) => ({
  targetCluster,
  state: 'Bound',
  resourceSnapshotIndex,
  ...more,
});
const late = { conditions: [{ type: 'Available', status: 'False', reason: 'WorkNotAvailableYet' }] };

const failing = (cluster: string, cause: string) => {
  const object = { group: 'apps', version: 'v1', kind: 'Deployment', namespace: 'shop', name: 'web' };
  const condition = { type: 'Available', status: 'False', reason: 'ManifestNotAvailableYet' };
  const failedPlacements = [{ ...object, condition: { ...condition, message: `not ready: ${cause}` } }];
  return binding(cluster, 1, { ...late, failedPlacements });
};

function web(
  bindings: readonly object[],
  more: { annotations?: object; type?: string; unmet?: string; of?: string } = {},
) {
  const { annotations, type = 'RollingUpdate', unmet, of = 'X' } = more;
  return {
    kind: 'ClusterResourcePlacement',
    name: 'web',
    title: 'web',
    state: {
      metadata: { name: 'web' },
      policySnapshots: [],
      resourceSnapshots: [{ index: 0 }, { index: 1, latest: true }],
      bindings,
    } as unknown as PlacementState,
    object: {
      metadata: { name: 'web', annotations },
      spec: { strategy: { type } },
      status: { conditions: unmet === undefined ? [] : [{ type: of, status: 'False', reason: unmet }] },
    } as unknown as Placement,
  } as KnownPlacement;
}

const run = {
  kind: 'ClusterStagedUpdateRun',
  metadata: { name: 'web-1' },
  spec: { placementName: 'web' },
  status: { conditions: [{ type: 'Progressing', status: 'True', message: 'the update run is updating stage dev' }] },
} as unknown as StagedUpdateRun;

const shown = (
  placement: KnownPlacement,
  runs: readonly StagedUpdateRun[] = [],
  {
    holds = [],
    down = [],
    why,
  }: { readonly holds?: readonly object[]; readonly down?: readonly string[]; readonly why?: string } = {},
) => {
  const record = { runs: new Map(runs.map((each) => [each.metadata.name, each])) };
  const notRolledOut = why === undefined ? [] : [{ placement: { kind: placement.kind, name: placement.name }, why }];
  const status = { record, notRolledOut, holds, unreachable: new Map(down.map((name) => [name, {}])) } as never;
  return [upOf(placement.state), snapshotsOf(placement, status), reasonOf(placement, status)];
};

it.each([
  ['as desired', web([binding('a', 1), binding('b', 1)]), ['2/2', '1', undefined]],
  ['under way', web([binding('a', 1, late), binding('b', 0)], { unmet: 'NotYet' }), ['1/2', '0 → 1', 'NotYet: a']],
  [
    'being applied where a cluster was lost meanwhile',
    web(
      [
        binding('a', 1),
        binding('b', 1, { conditions: [{ type: 'Applied', status: 'False', reason: 'ApplyInProgress' }] }),
      ],
      {
        unmet: 'ApplyFailed',
        of: 'ClusterResourcePlacementApplied',
      },
    ),
    ['1/2', '1', 'ApplyInProgress: b'],
  ],
  [
    'not available, by its objects',
    web([failing('a', 'ImagePullBackOff nginx:1.27'), failing('b', 'Unschedulable')], {
      unmet: 'RolloutNotStartedYet',
    }),
    ['0/2', '1', 'a: Deployment shop/web: ManifestNotAvailableYet: not ready: ImagePullBackOff nginx:1.27; and 1 more'],
  ],
  ['no cluster is late', web([], { unmet: 'NoClusters' }), ['0/0', '1', 'NoClusters']],
  [
    'suspended',
    web([binding('a', 0)], { annotations: { 'gitfleet.dev/suspended': 'audit' } }),
    ['1/1', '0 → 1', 'suspended (audit)'],
  ],
  ['leaving', web([binding('a', 1), binding('b', 0, { state: 'Unscheduled' })]), ['1/1', '1', undefined]],
  [
    'External without a run',
    web([binding('a', undefined, {})], { type: 'External', unmet: 'RolloutControlledByExternalController' }),
    ['0/1', '1', 'no update run: a'],
  ],
])('get placements shows a placement that is %s', (_, placement, expected) => {
  expect(shown(placement)).toEqual(expected);
});

it('get placements shows what the update run of a placement is doing', () => {
  expect(shown(web([binding('a', 0)], { type: 'External' }), [run])).toEqual([
    '1/1',
    '0 → 1',
    'web-1: updating stage dev',
  ]);
});

it('get placements points to the snapshot that an update run brings, also back, unless clusters return to theirs', () => {
  const placement = web([binding('a', 0), binding('b', 1), binding('c', 1)], { type: 'External' });
  const status = {
    ...run.status,
    resourceSnapshotIndexUsed: '0',
    stagesStatus: [{ stageName: 'all', clusters: [{ clusterName: 'b' }] }],
  };
  const active = ['Initialized', 'Progressing'].map((type) => ({ type, status: 'True', reason: 'x' }));
  expect(shown(placement, [{ ...run, status }])[1]).toBe('1 → 0');
  const going = { ...run, metadata: { name: 'web-2' }, status: { ...status, conditions: active } } as StagedUpdateRun;
  expect(shown(placement, [{ ...run, status: { ...run.status, resourceSnapshotIndexUsed: '1' } }, going])[1]).toBe(
    '1 → 0',
  );
  const rollbackStatus = {} as NonNullable<typeof status.rollbackStatus>;
  expect(shown(placement, [{ ...run, status: { ...status, rollbackStatus } }])[1]).toBe('0, 1');
});

it('get placements names the update run that failed', () => {
  const failed = { ...run, status: { conditions: [{ type: 'Succeeded', status: 'False' }] } } as StagedUpdateRun;
  const placement = web([binding('a', 0)], { type: 'External', unmet: 'RolloutControlledByExternalController' });
  expect(shown(placement, [failed])[2]).toBe('update run web-1 failed');
  const why = 'update run web-1 failed, and 1 of 1 clusters do not have snapshot 1';
  expect(shown(placement, [failed], { why })).toEqual(['1/1', '0 → 1', `needs a staged update run: ${why}`]);
});

it('get placements shows an earlier snapshot without an arrow where an update run brought it', () => {
  expect(shown(web([binding('a', 0)], { type: 'External' }))).toEqual(['1/1', '0', undefined]);
  expect(shown(web([binding('a', 0), binding('b', 1)], { type: 'External' }))[1]).toBe('0, 1');
});

it('get placements shows what no update run brings, also where all clusters are available', () => {
  const needs = 'needs a staged update run: the repo holds other resources';
  const reasonFor = (placement: KnownPlacement, runs: readonly StagedUpdateRun[] = []) =>
    shown(placement, runs, { why: 'the repo holds other resources' })[2];
  expect(reasonFor(web([binding('a', 1)], { type: 'External' }))).toBe(needs);
  expect(reasonFor(web([binding('a', 1)], { type: 'External' }), [run])).toBe(`web-1: updating stage dev; ${needs}`);
  const unmet = 'RolloutControlledByExternalController';
  expect(reasonFor(web([binding('a', undefined, {})], { type: 'External', unmet }))).toBe(needs);
});

it('get placements names the clusters that the reason is about, and apart those that do not respond', () => {
  const of = (RolloutStarted: string, Available: string) => ({
    conditions: Object.entries({ RolloutStarted, Available }).map(([type, status]) => ({ type, status })),
  });
  // us-1 is available with the old snapshot, and waits for eu-2.
  const bindings = [
    binding('eu-1', 1),
    binding('eu-2', 1, of('True', 'False')),
    binding('us-1', 0, of('False', 'True')),
  ];
  const placement = web(bindings);
  placement.object!.status!.conditions = [{ type: 'RolloutStarted', status: 'False', reason: 'RolloutNotStartedYet' }];
  expect(shown(placement)[2]).toBe('RolloutNotStartedYet: us-1');
  expect(shown(placement, [], { down: ['eu-2'] })[2]).toBe('not responding: eu-2; RolloutNotStartedYet: us-1');
});

it('get placements shows what holds the update runs of a placement after a lost record', () => {
  const named = (name: string) => ({ ...run, metadata: { name }, status: undefined }) as StagedUpdateRun;
  const held = (name: string) => ({ subject: { kind: run.kind, name }, reason: 'RecordLost', message: '' });
  const placement = web([binding('a', 0)], { type: 'External' });
  const both = [named('web-1'), named('web-2')];
  expect(shown(placement, both, { holds: [held('web-1'), held('web-2')] })[2]).toBe(
    'web-1: not started: RecordLost; and 1 more',
  );
  // One that is in progress is shown before those that never started.
  const active = { ...run, metadata: { name: 'web-3' } };
  expect(shown(placement, [...both, active], { holds: [held('web-1'), held('web-2')] })[2]).toBe(
    'web-3: updating stage dev; and 2 more',
  );
});
