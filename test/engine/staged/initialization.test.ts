import { describe, expect, it } from 'vitest';
import type { Binding } from '../../../src/api/placement-state.ts';
import type { StageConfig, StagedUpdateRun } from '../../../src/api/staged.ts';
import type { RunsInput } from '../../../src/engine/staged/step.ts';
import type { PlacementWork } from '../../../src/engine/working.ts';
import { bound, cluster, placementOf, Rollout, runOf, scheduled, stage, strategyOf, words, workOf } from './world.ts';

const clusters = [cluster('eu-1', 'canary'), cluster('us-1', 'prod'), cluster('us-2', 'prod')];
const bindings = [scheduled('eu-1'), scheduled('us-1')];

interface Case {
  readonly work?: Parameters<typeof workOf>[0];
  readonly input?: Partial<RunsInput>;
  readonly stages?: StageConfig[];
  readonly run?: Parameters<typeof runOf>[0];
}

const plan = ({ work = {}, input = {}, stages = [stage('canary'), stage('prod')], run = {} }: Case): Rollout =>
  new Rollout(workOf({ bindings, ...work }), {
    runs: [runOf({ state: 'Initialize', ...run })],
    strategies: [strategyOf(...stages)],
    clusters,
    ...input,
  }).plan();

describe('what ends an initialization for good', () => {
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
      /is no label key/,
    ],
    [
      'a selector with a bad value',
      { stages: [stage('a', { labelSelector: { matchLabels: { a: '-x' } } })] },
      /is no label value/,
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
    ['an index that is no number', { run: { resourceSnapshotIndex: 'x' } }, /invalid resource snapshot index x/],
    ['a negative index', { run: { resourceSnapshotIndex: '-1' } }, /invalid resource snapshot index -1/],
    [
      'an index beyond the next free one',
      { run: { resourceSnapshotIndex: '2' } },
      /no resource snapshot with index 2 found; the next free index is 0/,
    ],
    [
      'a snapshot without contents',
      { work: { snapshots: [0], more: { contents: new Map() } }, run: { resourceSnapshotIndex: '0' } },
      /has no contents/,
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

  it('it is not tried again when the cause is gone', () => {
    const rollout = plan({ stages: [stage('canary')] });
    rollout.change({ strategies: [strategyOf(stage('all', { labelSelector: {} }))] }).plan(60);
    expect(rollout.reads).toEqual(['Initialized=False/UpdateRunInitializedFailed']);
  });
});

describe('what an initialization waits for', () => {
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
    ['as many clusters as PickN asks for', { work: { placement: pickN(3) } }, 'NotFullyScheduled'],
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

  it('and goes on by itself when the strategy comes', () => {
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

describe('membership', () => {
  it('an Unscheduled binding goes to the delete stage, of whatever policy; those on their way out take no part', () => {
    const rollout = plan({
      work: {
        bindings: [
          bound('eu-1', 0, { deleting: true }),
          scheduled('us-1'),
          bound('us-2', 0, { state: 'Unscheduled', previousState: 'Bound', policySnapshotIndex: 7 }),
        ],
      },
    });
    expect(rollout.status).toMatchObject({
      policyObservedClusterCount: 1,
      stagesStatus: [{ clusters: [] }, { clusters: [{ clusterName: 'us-1' }] }],
      deletionStageStatus: { clusters: [{ clusterName: 'us-2' }] },
    });
  });

  it('a run with nothing but clusters to leave is valid', () => {
    const rollout = plan({ work: { bindings: [bound('us-2', 0, { state: 'Unscheduled', previousState: 'Bound' })] } });
    expect(rollout.reads).toEqual(['Initialized=True/UpdateRunInitializedSuccessfully']);
  });

  const order = (labels: Record<string, Record<string, string>>, sortingLabelKey = 'order') => {
    const names = Object.keys(labels);
    const rollout = plan({
      work: { bindings: names.map((name) => scheduled(name)) },
      stages: [stage('all', { labelSelector: {}, sortingLabelKey })],
      input: { clusters: names.map((name) => cluster(name, 'x', labels[name])) },
    });
    return { names: rollout.status.stagesStatus![0]!.clusters.map(({ clusterName }) => clusterName), rollout };
  };
  it('is ordered by name without a sorting label', () => {
    expect(order({ c: {}, a: {}, b: {} }, '').names).toEqual(['a', 'b', 'c']);
  });
  it('is ordered as numbers when every label is an integer, ties by name', () => {
    expect(order({ c: { order: '10' }, b: { order: '9' }, a: { order: '10' }, d: { order: '-1' } }).names).toEqual([
      'd',
      'b',
      'a',
      'c',
    ]);
  });
  it('is ordered as text when one label is no integer', () => {
    expect(order({ a: { order: '10' }, b: { order: '9' }, c: { order: 'x' } }).names).toEqual(['a', 'b', 'c']);
  });
  it('integers beyond 2^53 are compared exactly', () => {
    expect(order({ a: { order: '9007199254740993' }, b: { order: '9007199254740992' } }).names).toEqual(['b', 'a']);
  });
  it('clusters without the label come last, by name, with a warning', () => {
    const { names, rollout } = order({ d: {}, a: {}, b: { order: '2' }, c: { order: '1' } });
    expect(names).toEqual(['c', 'b', 'a', 'd']);
    expect(rollout.outcome.problems).toEqual([
      {
        severity: 'warning',
        code: 'sorting-label',
        path: 'spec.stages.0.sortingLabelKey',
        message: 'ClusterStagedUpdateRun web-1: stage all: a, d without the sorting label order come last, by name',
      },
    ]);
    expect(rollout.status.conditions![0]!.message).toContain('a, d without the sorting label order');
  });
});

describe('the snapshot of a run', () => {
  const indexOf = (given: Case) => {
    const rollout = plan(given);
    return [
      rollout.status.resourceSnapshotIndexUsed,
      rollout.outcome.work.resourceSnapshots.map(({ index, latest }) => (latest ? `${index}!` : `${index}`)).join(' '),
    ];
  };
  const latestHash = (work: PlacementWork): PlacementWork => ({
    ...work,
    resourceSnapshots: work.resourceSnapshots.map((entry) =>
      entry.latest && work.selection.ok ? { ...entry, hash: work.selection.hash } : entry,
    ),
  });
  it.each<[string, Case, [string, string]]>([
    ['without an index is taken now', {}, ['0', '0!']],
    ['without an index is a new one when contents changed', { work: { snapshots: [0, 1] } }, ['2', '0 1 2!']],
    ['an empty index is none', { run: { resourceSnapshotIndex: '' } }, ['0', '0!']],
    ['a known index is that one', { work: { snapshots: [0, 1] }, run: { resourceSnapshotIndex: '0' } }, ['0', '0 1!']],
    [
      'the next free index is taken now',
      { work: { snapshots: [0, 1] }, run: { resourceSnapshotIndex: '2' } },
      ['2', '0 1 2!'],
    ],
    ['index 0 on a fresh placement is taken now', { run: { resourceSnapshotIndex: '0' } }, ['0', '0!']],
    [
      'the next free index exists even when nothing changed',
      { work: latestHash(workOf({ bindings, snapshots: [0] })) as never, run: { resourceSnapshotIndex: '1' } },
      ['1', '0 1!'],
    ],
  ])('%s', (name, given, expected) => {
    if (name.startsWith('the next free index exists')) {
      const rollout = new Rollout(latestHash(workOf({ bindings, snapshots: [0] })), {
        runs: [runOf({ state: 'Initialize', resourceSnapshotIndex: '1' })],
        strategies: [strategyOf(stage('canary'), stage('prod'))],
        clusters,
      }).plan();
      expect(rollout.status.resourceSnapshotIndexUsed).toBe('1');
      expect(rollout.outcome.work.contents.get(1)).toEqual(rollout.outcome.work.contents.get(0));
    } else expect(indexOf(given)).toEqual(expected);
  });

  it('is the latest again when contents are the same', () => {
    const rollout = new Rollout(latestHash(workOf({ bindings, snapshots: [0] })), {
      runs: [runOf({ state: 'Initialize' })],
      strategies: [strategyOf(stage('canary'), stage('prod'))],
      clusters,
    }).plan();
    expect(rollout.status.resourceSnapshotIndexUsed).toBe('0');
  });

  it('remembers which override snapshots went with it, and freezes them by cluster', () => {
    const rollout = plan({
      input: {
        overridesFor: (_, name) =>
          name === 'eu-1'
            ? {
                clusterResourceOverrideSnapshots: ['cro-1'],
                resourceOverrideSnapshots: [{ namespace: 'web', name: 'ro-0' }],
              }
            : { clusterResourceOverrideSnapshots: [], resourceOverrideSnapshots: [] },
      },
    });
    expect(rollout.status.stagesStatus!.map(({ clusters: list }) => list)).toEqual([
      [
        {
          clusterName: 'eu-1',
          clusterResourceOverrideSnapshots: ['cro-1'],
          resourceOverrideSnapshots: [{ namespace: 'web', name: 'ro-0' }],
        },
      ],
      [{ clusterName: 'us-1' }],
    ]);
    expect(rollout.outcome.work.resourceSnapshots[0]!.overrides).toEqual(['cro-1', 'web/ro-0']);
  });
});

describe('state', () => {
  const steps = (...states: (StagedUpdateRun['spec']['state'] | undefined)[]) => {
    const [first, ...rest] = states;
    const rollout = plan({ run: { state: first } });
    let second = 0;
    for (const state of rest) {
      second += 10;
      rollout.change({ runs: [runOf({ state })] }).plan(second);
    }
    return rollout;
  };
  it('Initialize initializes and no more', () => {
    const rollout = steps('Initialize');
    expect(rollout.reads).toEqual(['Initialized=True/UpdateRunInitializedSuccessfully']);
    expect(rollout.moves).toEqual(['eu-1 Scheduled - keep', 'us-1 Scheduled - keep']);
  });
  it('no state is Run', () => {
    expect(steps(undefined).reads).toContain('Progressing=True/UpdateRunProgressing');
  });
  it('a run may be created with Stop', () => {
    expect(steps('Stop').reads).toEqual([
      'Initialized=True/UpdateRunInitializedSuccessfully',
      'Progressing=False/UpdateRunStopped',
    ]);
  });
  it.each<[StagedUpdateRun['spec']['state'] | undefined, StagedUpdateRun['spec']['state'] | undefined, string]>([
    ['Initialize', 'Stop', 'Initialize'],
    ['Run', 'Initialize', 'Run'],
    [undefined, 'Initialize', 'Run'],
    ['Stop', 'Initialize', 'Stop'],
  ])('%s to %s is denied, again and again', (from, to, kept) => {
    const rollout = steps(from, to, to);
    expect(rollout.holds).toContain('StateTransitionDenied');
    expect(rollout.outcome.problems.map(({ severity, code }) => [severity, code])).toEqual([
      ['error', 'state-transition'],
    ]);
    expect(rollout.outcome.recorded[0]!.spec.state).toBe(kept);
  });
  it.each<[StagedUpdateRun['spec']['state'] | undefined, StagedUpdateRun['spec']['state'] | undefined]>([
    ['Initialize', 'Run'],
    ['Initialize', undefined],
    ['Run', 'Stop'],
    ['Stop', 'Run'],
    [undefined, 'Stop'],
  ])('%s to %s is allowed', (from, to) => {
    const rollout = steps(from, to);
    expect(rollout.holds).not.toContain('StateTransitionDenied');
    expect(rollout.outcome.recorded[0]!.spec.state).toBe(to);
  });
  it('conditions speak of the present generation where the file names one', () => {
    const run = runOf();
    const rollout = plan({ input: { runs: [{ ...run, metadata: { ...run.metadata, generation: 3 } }] } });
    expect(rollout.status.conditions!.map(({ observedGeneration }) => observedGeneration)).toEqual([3, 3]);
    expect(words(rollout.status.stagesStatus![0]!.conditions)).toEqual(['Progressing=True/StageUpdatingStarted']);
  });
});
