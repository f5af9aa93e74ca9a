import { describe, expect, it } from 'vitest';
import type { Binding } from '../../../../src/api/placement-state.ts';
import type { PlacementWork } from '../../../../src/engine/placement-work.ts';
import { notRolledOut } from '../../../../src/engine/staged/not-rolled-out.ts';
import type { World } from '../../../../src/engine/world.ts';
import { bound, digest, placementOf, scheduled, stage, strategyOf, workOf } from '../world.ts';
import { bindings, type Case, plan } from './setting.ts';

describe('what fails an initialization for good', () => {
  const everywhere = { labelSelector: {} };
  const cases: [string, Case, RegExp][] = [
    [
      'a placement that is not External',
      { work: { placement: placementOf({ type: 'RollingUpdate' }) } },
      /its strategy is RollingUpdate/,
    ],
    [
      'a before-stage task that is no Approval',
      { stages: [stage('a', { beforeStageTasks: [{ type: 'TimedWait', waitTime: '1m' }] })] },
      /strategy careful, stage a: task 0 of type TimedWait is not allowed in beforeStageTasks/,
    ],
    [
      'a before-stage approval with a waitTime',
      { stages: [stage('a', { beforeStageTasks: [{ type: 'Approval', waitTime: '1m' }] })] },
      /must not have a waitTime/,
    ],
    [
      'two after-stage tasks of one type',
      { stages: [stage('a', { afterStageTasks: [{ type: 'Approval' }, { type: 'Approval' }] })] },
      /two tasks of the same type: Approval/,
    ],
    [
      'a TimedWait without waitTime',
      { stages: [stage('a', { afterStageTasks: [{ type: 'TimedWait' }] })] },
      /has no waitTime/,
    ],
    [
      'a TimedWait of 0s',
      { stages: [stage('a', { afterStageTasks: [{ type: 'TimedWait', waitTime: '0s' }] })] },
      /waitTime of 0 or less/,
    ],
    [
      'a selector with In and no values',
      { stages: [stage('a', { labelSelector: { matchExpressions: [{ key: 'env', operator: 'In', values: [] }] } })] },
      /operator In of env needs values/,
    ],
    [
      'a selector with Exists and values',
      {
        stages: [
          stage('a', { labelSelector: { matchExpressions: [{ key: 'env', operator: 'Exists', values: ['x'] }] } }),
        ],
      },
      /must not have values/,
    ],
    [
      'a selector with a bad key',
      { stages: [stage('a', { labelSelector: { matchLabels: { 'a b': 'x' } } })] },
      /is not a valid label key/,
    ],
    [
      'a selector with a bad value',
      { stages: [stage('a', { labelSelector: { matchLabels: { a: '-x' } } })] },
      /is not a valid label value/,
    ],
    [
      'a cluster in two stages',
      { stages: [stage('a', everywhere), stage('b', everywhere)] },
      /cluster eu-1 appears in more than one stages: a and b/,
    ],
    [
      'a cluster in no stage',
      { stages: [stage('canary')] },
      /not placed in any stage, total 1, showing up to 10: us-1/,
    ],
    [
      'a stage without a selector, which selects nothing',
      { stages: [{ name: 'a', maxConcurrency: 1 }] },
      /total 2, showing up to 10: eu-1, us-1/,
    ],
    ['an index that is not a number', { run: { resourceSnapshotIndex: 'x' } }, /invalid resource snapshot index x/],
    ['a negative index', { run: { resourceSnapshotIndex: '-1' } }, /invalid resource snapshot index -1/],
    [
      'an index beyond the next free one',
      { run: { resourceSnapshotIndex: '2' } },
      /no resource snapshot with index 2 found; the next free index is 0/,
    ],
    [
      'an index that is kept no more',
      { work: { snapshots: [3, 4] }, run: { resourceSnapshotIndex: '2' } },
      /no resource snapshot with index 2 found; recorded: 3, 4; the next free index is 5/,
    ],
    [
      'an index of many that are kept',
      { work: { snapshots: [3, 4, 5, 6, 7, 8] }, run: { resourceSnapshotIndex: '2' } },
      /no resource snapshot with index 2 found; recorded: …, 4, 5, 6, 7, 8; the next free index is 9/,
    ],
    [
      'a snapshot without contents',
      { work: { snapshots: [0], more: { contents: new Map() } }, run: { resourceSnapshotIndex: '0' } },
      /are not recorded/,
    ],
    [
      'a selection that fails',
      { work: { more: { selection: { ok: false, message: 'duplicate web', selector: 0 } } } },
      /cannot be selected: duplicate web/,
    ],
    [
      'overrides that fail',
      { input: { overridesFor: () => ({ error: 'missing label' }) } },
      /overrides for eu-1: missing label/,
    ],
  ];
  it.each(cases)('%s', (_, given, message) => {
    const rollout = plan(given);
    expect(rollout.reads).toEqual(['Initialized=False/UpdateRunInitializedFailed']);
    expect(rollout.status.conditions![0]!.message).toMatch(message);
    expect(rollout.outcome.work.bindings.map(({ binding }) => binding)).toEqual(given.work?.bindings ?? bindings);
    expect(rollout.holds).toEqual([]);
  });

  it('its placement is not rolled out, and the cause is named', () => {
    const { selection } = workOf({ selected: '0' });
    const same = {
      bindings: ['eu-1', 'us-1'].map((name) => bound(name)),
      snapshots: [0],
      more: { selection, resourceSnapshots: [{ index: 0, latest: true, hash: selection.ok ? selection.hash : '' }] },
    } as const;
    const whyOf = (given: Case) => {
      const { work, recorded: runs, holds } = plan(given).outcome;
      // Without overrides nothing is rendered.
      const members = new Map(['eu-1', 'us-1'].map((name) => [name, { leaving: false }]));
      const world = { input: { digest }, members, overrides: new Map() } as unknown as World;
      return notRolledOut(work, { runs, holds, world })?.why;
    };
    const missing = 'update run web-1 could not be initialized: no resource snapshot with index 7 found';
    expect(whyOf({ work: same, run: { resourceSnapshotIndex: '7' } })).toMatch(new RegExp(`^${missing}`));
    expect(whyOf({ work: { ...same, more: {} }, stages: [stage('canary')] })).toMatch(
      /^the repo holds other resources than snapshot 0, and update run web-1 could not be initialized: .*: us-1$/,
    );
    expect(whyOf({ work: same })).toBeUndefined();
  });

  it('it is not retried when the cause is gone', () => {
    const rollout = plan({ stages: [stage('canary')] });
    rollout.change({ strategies: [strategyOf(stage('all', { labelSelector: {} }))] }).plan(60);
    expect(rollout.reads).toEqual(['Initialized=False/UpdateRunInitializedFailed']);
  });
});

describe('what an initialization is waiting for', () => {
  const pickN = (count: number) => placementOf({ policy: { placementType: 'PickN', numberOfClusters: count } });
  const older: Binding[] = [
    scheduled('eu-1', { policySnapshotIndex: 0 }),
    scheduled('us-1', { policySnapshotIndex: 1 }),
  ];
  const second: Partial<PlacementWork> = {
    policySnapshots: [
      { index: 0, policy: { placementType: 'PickAll' } },
      { index: 1, latest: true, policy: { placementType: 'PickAll' } },
    ],
  };
  const both: Partial<PlacementWork> = {
    policySnapshots: second.policySnapshots!.map((entry) => ({ ...entry, latest: true })),
  };
  const cases: [string, Case, string][] = [
    ['a policy snapshot', { work: { more: { policySnapshots: [] } } }, 'NotFullyScheduled'],
    ['one latest policy snapshot, not two', { work: { more: both } }, 'NotFullyScheduled'],
    [
      'a number of clusters for PickN',
      { work: { placement: placementOf({ policy: { placementType: 'PickN' } }) } },
      'NotFullyScheduled',
    ],
    ['a placement that is fully scheduled', { work: { scheduled: 'False' } }, 'NotFullyScheduled'],
    ['bindings that follow the latest policy', { work: { bindings: older, more: second } }, 'NotFullyScheduled'],
    ['any binding', { work: { bindings: [] } }, 'NoBindingYet'],
    ['as many clusters as PickN requires', { work: { placement: pickN(3) } }, 'NotFullyScheduled'],
    [
      'as many clusters as PickFixed names',
      { work: { placement: placementOf({ policy: { placementType: 'PickFixed', clusterNames: ['eu-1'] } }) } },
      'NotFullyScheduled',
    ],
    ['its strategy', { input: { strategies: [] } }, 'StrategyNotFound'],
    [
      'a strategy of the right scope',
      { input: { strategies: [{ ...strategyOf(stage('a')), kind: 'StagedUpdateStrategy' }] } },
      'StrategyNotFound',
    ],
  ];
  it.each(cases)('%s', (_, given, reason) => {
    const rollout = plan(given);
    expect(rollout.status).toEqual({});
    expect(rollout.holds).toEqual([reason]);
    expect(rollout.outcome.runs).toHaveLength(1);
  });

  it('and continues by itself when the strategy is added', () => {
    const rollout = plan({ input: { strategies: [] } });
    rollout.change({ strategies: [strategyOf(stage('canary'), stage('prod'))] }).plan(60);
    expect(rollout.reads).toEqual(['Initialized=True/UpdateRunInitializedSuccessfully']);
  });

  it('RollingUpdate is final even while nothing is scheduled', () => {
    expect(
      plan({ work: { placement: placementOf({ type: 'RollingUpdate' }), bindings: [], scheduled: 'False' } }).reads,
    ).toEqual(['Initialized=False/UpdateRunInitializedFailed']);
  });
});
