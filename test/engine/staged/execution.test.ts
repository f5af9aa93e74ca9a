import { describe, expect, it } from 'vitest';
import type { DisruptionBudget } from '../../../src/api/eviction.ts';
import type { StageConfig } from '../../../src/api/staged.ts';
import type { RunsInput } from '../../../src/engine/staged/step.ts';
import {
  applyStrategy,
  at,
  available,
  bound,
  cluster,
  placementOf,
  Rollout,
  runOf,
  scheduled,
  stage,
  strategyOf,
  workOf,
} from './world.ts';

const everywhere: Partial<StageConfig> = { labelSelector: {} };
const names = ['a', 'b', 'c', 'd', 'e'];
/** Five clusters bound to snapshot 0 in one stage, and a run that takes snapshot 1. */
const update = (
  config: Partial<StageConfig> = {},
  input: Partial<RunsInput> = {},
  work: Parameters<typeof workOf>[0] = {},
) =>
  new Rollout(workOf({ bindings: names.map((name) => bound(name)), snapshots: [0], ...work }), {
    strategies: [strategyOf(stage('all', { ...everywhere, ...config }))],
    clusters: names.map((name) => cluster(name, 'x')),
    ...input,
  });
const failing = (reason: string) => [
  available()[0]!,
  { type: 'Applied', status: 'False' as const, reason, lastTransitionTime: at(0) },
];

describe('maxConcurrency', () => {
  it.each<[StageConfig['maxConcurrency'], number]>([
    [1, 1],
    [2, 2],
    [9, 5],
    ['100%', 5],
    ['50%', 2],
    ['1%', 1],
    ['39%', 1],
    ['40%', 2],
  ])('%s of five clusters starts %i', (maxConcurrency, started) => {
    const rollout = update({ maxConcurrency }).plan();
    expect(rollout.moves.filter((move) => move.endsWith('1 update'))).toHaveLength(started);
    expect(rollout.moves.filter((move) => move.endsWith('0 wait'))).toHaveLength(5 - started);
  });

  it('a slot is free once a cluster is available, in recorded order', () => {
    const rollout = update({ maxConcurrency: 2 }).plan().ready('b').plan(30);
    expect(rollout.moves).toEqual([
      'a Bound 1 keep',
      'b Bound 1 keep',
      'c Bound 1 update',
      'd Bound 0 wait',
      'e Bound 0 wait',
    ]);
    expect(rollout.outcome.holds.map(({ reason, message }) => [reason, message])).toEqual([
      ['RolloutBudget', 'stage all updates 2 at a time: a, c now, d, e next'],
    ]);
  });

  it('clusters that have the snapshot already, and are available, pass at once', () => {
    const rollout = update({}, { runs: [runOf({ resourceSnapshotIndex: '0' })] }).plan();
    expect(rollout.reads).toContain('Succeeded=True/UpdateRunSucceeded');
    expect(rollout.moves).toEqual(names.map((name) => `${name} Bound 0 keep`));
  });
});

describe('what a binding is given', () => {
  it('state, snapshot, override lists, apply strategy, and RolloutStarted alone of all conditions', () => {
    const rollout = update(
      {},
      { overridesFor: () => ({ clusterResourceOverrideSnapshots: ['cro-2'], resourceOverrideSnapshots: [] }) },
    ).plan();
    expect(rollout.outcome.work.bindings[0]).toEqual({
      move: 'update',
      binding: {
        targetCluster: 'a',
        state: 'Bound',
        policySnapshotIndex: 0,
        resourceSnapshotIndex: 1,
        clusterResourceOverrideSnapshots: ['cro-2'],
        applyStrategy,
        conditions: [
          {
            type: 'RolloutStarted',
            status: 'True',
            reason: 'RolloutStarted',
            message: 'update run web-1 rolls out resource snapshot 1',
            lastTransitionTime: at(0),
          },
        ],
      },
    });
  });
  it('those that wait read RolloutStarted=False and keep the rest', () => {
    const [, waiting] = update().plan().outcome.work.bindings;
    expect(waiting!.move).toBe('wait');
    expect(waiting!.binding.conditions!.map(({ type, status, reason }) => [type, status, reason])).toEqual([
      ['RolloutStarted', 'False', 'RolloutNotStartedYet'],
      ['Applied', 'True', 'AllWorkHaveBeenApplied'],
      ['Available', 'True', 'AllWorkAreAvailable'],
    ]);
  });
  it('a run that stops lets go of those that waited', () => {
    const rollout = update()
      .plan()
      .change({ runs: [runOf({ state: 'Stop' })] })
      .plan(10);
    expect(rollout.moves.slice(1)).toEqual(['b Bound 0 keep', 'c Bound 0 keep', 'd Bound 0 keep', 'e Bound 0 keep']);
    expect(rollout.outcome.work.bindings[1]!.binding.conditions![0]).toMatchObject({
      type: 'RolloutStarted',
      status: 'True',
    });
  });
  it('a run whose file is gone leaves bindings as they are and is forgotten', () => {
    const rollout = update().plan().change({ runs: [] }).plan(10);
    expect(rollout.outcome.recorded).toEqual([]);
    expect(rollout.outcome.approvals).toEqual([]);
    expect(rollout.moves).toEqual([
      'a Bound 1 keep',
      'b Bound 0 keep',
      'c Bound 0 keep',
      'd Bound 0 keep',
      'e Bound 0 keep',
    ]);
  });
});

describe('when a cluster is done', () => {
  const observed = (conditions: ReturnType<typeof available>, seconds = 60, more: Partial<RunsInput> = {}) => {
    const rollout = update({}, more).plan();
    rollout.bindings((binding) =>
      binding.targetCluster === 'a'
        ? { ...binding, conditions: [binding.conditions![0]!, ...conditions.slice(1)] }
        : binding,
    );
    return rollout.plan(seconds);
  };
  const isDone = (rollout: Rollout) =>
    rollout.stages['all']!.includes('a: Started=True/ClusterUpdatingStarted Succeeded=True');
  it('available', () => expect(isDone(observed(available()))).toBe(true));
  it('DiffReported', () =>
    expect(
      isDone(observed([available()[0]!, { type: 'DiffReported', status: 'True', reason: 'AllWorkHaveDiffReported' }])),
    ).toBe(true));
  it.each(['NotAllWorkAreAvailabilityTrackable', 'WorkNotTrackable'])(
    '%s only after the unavailable period',
    (reason) => {
      const rollout = observed(available(at(10), reason), 20);
      expect(isDone(rollout)).toBe(false);
      expect(rollout.outcome.holds.map(({ reason: so, until }) => [so, until])).toContainEqual([
        'UnavailablePeriod',
        at(70),
      ]);
      expect(rollout.outcome.wakes).toContain(at(70));
      expect(isDone(rollout.plan(69))).toBe(false);
      expect(isDone(rollout.plan(70))).toBe(true);
    },
  );
  it.each(['ApplyInProgress', 'NotAllWorkHaveBeenApplied', 'ApplyPending'])(
    'a cluster with Applied=False/%s never fails the run',
    (reason) => {
      const rollout = observed(failing(reason), 100_000);
      expect(isDone(rollout)).toBe(false);
      expect(rollout.reads).toContain('Progressing=False/UpdateRunStuck');
    },
  );
  it('a condition of an older generation says nothing', () => {
    const rollout = update().plan();
    rollout.bindings((binding) =>
      binding.targetCluster === 'a'
        ? {
            ...binding,
            observedGeneration: 2,
            conditions: available().map((it) => ({ ...it, observedGeneration: it.type === 'Available' ? 1 : 2 })),
          }
        : binding,
    );
    expect(isDone(rollout.plan(10))).toBe(false);
  });
});

describe('stuck', () => {
  it('is told after five minutes, to the second, and is left when the cluster becomes available', () => {
    const rollout = update({ maxConcurrency: '100%' }).plan();
    expect(new Set(rollout.outcome.wakes)).toEqual(new Set([at(300)]));
    expect(rollout.plan(299).reads[1]).toBe('Progressing=True/UpdateRunProgressing');
    expect(rollout.plan(300).reads[1]).toBe('Progressing=False/UpdateRunStuck');
    expect(rollout.status.conditions![1]!.message).toBe(
      'the update run is stuck waiting for 5 cluster(s) in stage all to become available: a, b, c...',
    );
    expect(rollout.outcome.wakes).toEqual([]);
    expect(rollout.ready(...names).plan(400).reads).toContain('Succeeded=True/UpdateRunSucceeded');
  });
});

describe('what ends a run', () => {
  const aborted = (rollout: Rollout) => ({
    reads: rollout.reads.slice(1),
    message: rollout.status.conditions!.at(-1)!.message,
  });
  const failed = ['Progressing=False/UpdateRunFailed', 'Succeeded=False/UpdateRunFailed'];
  it('a binding taken over by somebody else', () => {
    const rollout = update()
      .plan()
      .bindings((binding) => (binding.targetCluster === 'a' ? { ...binding, resourceSnapshotIndex: 0 } : binding))
      .plan(10);
    expect(aborted(rollout).reads).toEqual(failed);
    expect(aborted(rollout).message).toMatch(/cluster a in stage all was preempted/);
    expect(rollout.stages['all']).toContain(
      'Progressing=False/StageUpdatingFailed Succeeded=False/StageUpdatingFailed; a: Started=True/ClusterUpdatingStarted Succeeded=False/ClusterUpdatingFailed',
    );
    expect(rollout.outcome.work.bindings.every(({ move }) => move === 'keep')).toBe(true);
  });
  it('RolloutStarted taken away from a cluster in flight', () => {
    const rollout = update()
      .plan()
      .bindings((binding) => ({
        ...binding,
        conditions: binding.conditions!.map((it) => ({ ...it, status: 'False' as const })),
      }))
      .plan(10);
    expect(aborted(rollout).reads).toEqual(failed);
  });
  const edits: [string, (rollout: Rollout) => void, RegExp][] = [
    [
      'an edited applyStrategy',
      (it) => {
        it.work = {
          ...it.work,
          placement: placementOf({ strategy: { applyStrategy: { ...applyStrategy, whenToApply: 'IfNotDrifted' } } }),
        };
      },
      /applyStrategy of placement web was changed/,
    ],
    [
      'an edited policy',
      (it) => {
        it.work = {
          ...it.work,
          policySnapshots: [
            { index: 0, policy: { placementType: 'PickAll' } },
            { index: 1, latest: true, policy: { placementType: 'PickAll' } },
          ],
        };
      },
      /policy of placement web was changed: policy snapshot 1 instead of 0/,
    ],
    [
      'a placement that is no longer External',
      (it) => {
        it.work = { ...it.work, placement: placementOf({ type: 'RollingUpdate' }) };
      },
      /no longer External but RollingUpdate/,
    ],
    [
      'a placement on its way out',
      (it) => {
        it.work = {
          ...it.work,
          placement: { ...placementOf(), metadata: { name: 'web', deletionTimestamp: at(0) } } as never,
        };
      },
      /is being deleted/,
    ],
  ];
  it.each(edits)('%s', (_, edit, message) => {
    const rollout = update().plan();
    edit(rollout);
    rollout.plan(10);
    expect(aborted(rollout).reads).toEqual(failed);
    expect(aborted(rollout).message).toMatch(message);
    expect(rollout.stages['all']).toContain('Progressing=True/StageUpdatingStarted');
    expect(rollout.plan(20).reads.slice(1)).toEqual(failed);
  });
  it('recorded progress that contradicts itself', () => {
    const rollout = update().plan();
    const [run] = rollout.outcome.recorded;
    const clusters = run!.status!.stagesStatus![0]!.clusters.map((one) => ({
      ...one,
      conditions: [{ type: 'Started', status: 'True' as const, reason: 'ClusterUpdatingStarted' }],
    }));
    const broken = {
      ...run!,
      status: { ...run!.status!, stagesStatus: [{ ...run!.status!.stagesStatus![0]!, clusters }] },
    };
    rollout.change({ recordedRuns: new Map([['web-1', broken]]) }).plan(10);
    expect(aborted(rollout).message).toBe('stage all has 5 clusters in flight, maxConcurrency allows 1');
  });
});

describe('membership is frozen', () => {
  const joined = (input: Partial<RunsInput> = {}) => {
    const rollout = update({}, input).plan();
    rollout.work = { ...rollout.work, bindings: [...rollout.work.bindings, { binding: scheduled('f'), move: 'keep' }] };
    return rollout.change({ clusters: [...rollout.input.clusters, cluster('f', 'x')] }).plan(10);
  };
  it('a cluster that joins is told not to be part of the run', () => {
    const rollout = joined();
    expect(rollout.holds).toContain('NotPartOfRun f');
    expect(rollout.moves.at(-1)).toBe('f Scheduled - keep');
    expect(rollout.reads).toContain('Progressing=True/UpdateRunProgressing');
  });
  const strict = { runs: [runOf({ annotations: { 'gitfleet.dev/on-membership-change': 'abort' } })] };
  it('unless the run asks for KubeFleet’s rule', () => {
    expect(joined(strict).status.conditions!.at(-1)!.message).toBe(
      'the clusters of stage all changed from [a, b, c, d, e] to [a, b, c, d, e, f]',
    );
    expect(update({}, strict).plan().plan(10).reads).toContain('Progressing=True/UpdateRunProgressing');
  });
  it('a cluster that leaves is skipped, in flight or not, and counts as finished', () => {
    const rollout = update().plan();
    rollout.bindings((binding) => binding).change({ clusters: ['c', 'd', 'e'].map((name) => cluster(name, 'x')) });
    rollout.work = {
      ...rollout.work,
      bindings: rollout.work.bindings.filter(({ binding }) => !['a', 'b'].includes(binding.targetCluster)),
    };
    rollout.plan(10);
    expect(rollout.stages['all']).toBe(
      'Progressing=True/StageUpdatingStarted; a: Started=True/ClusterUpdatingStarted Skipped=True/ClusterLeft; b: Skipped=True/ClusterLeft; c: Started=True/ClusterUpdatingStarted; d: ; e: ',
    );
    expect(rollout.holds).toEqual(['RolloutBudget all', 'ClusterLeft all a', 'ClusterLeft all b']);
  });
  it('a relabel changes nothing', () => {
    const rollout = update()
      .plan()
      .change({ clusters: names.map((name) => cluster(name, 'other', { order: name })) })
      .plan(10);
    expect(rollout.reads).toContain('Progressing=True/UpdateRunProgressing');
  });
  it('a cluster that the scheduler dropped is updated in its turn but stays Unscheduled', () => {
    const rollout = update()
      .plan()
      .bindings((binding) =>
        binding.targetCluster === 'b' ? { ...binding, state: 'Unscheduled', previousState: 'Bound' } : binding,
      );
    rollout.ready('a').plan(10);
    expect(rollout.moves.slice(0, 3)).toEqual(['a Bound 1 keep', 'b Unscheduled 1 update', 'c Bound 0 wait']);
  });
  it('a cluster dropped before anything was there, or evicted, is skipped', () => {
    const rollout = update(
      {},
      {},
      { bindings: [bound('a'), scheduled('b'), bound('c'), bound('d'), bound('e')] },
    ).plan();
    rollout
      .bindings((binding) =>
        binding.targetCluster === 'b'
          ? { ...binding, state: 'Unscheduled', previousState: 'Scheduled' }
          : binding.targetCluster === 'c'
            ? { ...binding, deleting: true }
            : binding,
      )
      .ready('a')
      .plan(10);
    expect(rollout.stages['all']).toContain(
      'b: Skipped=True/ClusterNotSelected; c: Skipped=True/ClusterNotSelected; d: Started=True',
    );
  });
  it('a cluster evicted in flight and picked again is started again, after the clean-up', () => {
    const rollout = update()
      .plan()
      .bindings((binding) => (binding.targetCluster === 'a' ? { ...binding, deleting: true } : binding));
    rollout.work = {
      ...rollout.work,
      bindings: [
        rollout.work.bindings[0]!,
        { binding: scheduled('a'), move: 'keep' },
        ...rollout.work.bindings.slice(1),
      ],
    };
    rollout.plan(10);
    expect(rollout.holds).toContain('SameClusterCleanup all a');
    expect(rollout.moves.slice(0, 3)).toEqual(['a Bound 1 remove', 'a Scheduled - wait', 'b Bound 0 wait']);
    expect(rollout.cleaned().plan(20).moves[0]).toBe('a Bound 1 add');
  });
});

describe('conflicts', () => {
  it('two live bindings on one cluster: nothing in the placement moves', () => {
    const rollout = update({}, {}, { bindings: [bound('a'), bound('a'), bound('b')] });
    rollout.outcome = rollout.plan().outcome;
    expect(rollout.outcome.work.holds.map(({ reason }) => reason)).toEqual(['SameClusterConflict']);
    expect(rollout.outcome.work.problems.map(({ severity }) => severity)).toEqual(['warning']);
    expect(rollout.moves).toEqual(['a Bound 0 keep', 'a Bound 0 keep', 'b Bound 0 keep']);
  });
});

describe('a disruption budget with scope all', () => {
  const budget = (spec: DisruptionBudget['spec'], scope?: string): DisruptionBudget => ({
    apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
    kind: 'ClusterResourcePlacementDisruptionBudget',
    metadata: { name: 'web', ...(scope ? { annotations: { 'gitfleet.dev/budget-scope': scope } } : {}) },
    spec,
  });
  it.each<[string, DisruptionBudget, number]>([
    ['keeps minAvailable clusters', budget({ minAvailable: 3 }, 'all'), 2],
    ['binds no run without the annotation', budget({ minAvailable: 3 }), 5],
    ['blocks when it says nothing', budget({}, 'all'), 0],
    ['blocks when it is misconfigured', budget({ maxUnavailable: 2 }, 'all'), 0],
  ])('%s', (_, given, started) => {
    const rollout = update({ maxConcurrency: '100%' }, { budgets: [given] }).plan();
    expect(rollout.moves.filter((move) => move.endsWith('1 update'))).toHaveLength(started);
    expect(rollout.holds.filter((hold) => /^RolloutBudget all [a-e]$/.test(hold))).toHaveLength(5 - started);
  });
  it('blocks while its file is refused: it may have said so', () => {
    const refused = [{ apiVersion: '', kind: 'ClusterResourcePlacementDisruptionBudget', name: 'web' }];
    const rollout = update({ maxConcurrency: '100%' }, { refused }).plan();
    expect(rollout.moves).toEqual(names.map((name) => `${name} Bound 0 wait`));
  });
  it('keeps the delete stage back, cluster by cluster', () => {
    const going = { state: 'Unscheduled', previousState: 'Bound', conditions: available() } as const;
    const rollout = update(
      {},
      { budgets: [budget({ minAvailable: 2 }, 'all')] },
      { bindings: [bound('a'), bound('b', 0, going), bound('c', 0, going)] },
    ).plan();
    rollout.ready('a').plan(10);
    expect(rollout.moves).toEqual(['a Bound 1 keep', 'b Unscheduled 0 remove', 'c Unscheduled 0 wait']);
    expect(rollout.outcome.holds.map(({ subject, reason, message }) => [subject.clusterName, reason, message])).toEqual(
      [['c', 'RolloutBudget', 'c waits for the disruption budget: availablePlacements: 2, totalPlacements: 3']],
    );
    rollout.change({ budgets: [] }).plan(20);
    expect(rollout.moves).toEqual(['a Bound 1 keep', 'b Unscheduled 0 remove', 'c Unscheduled 0 remove']);
  });
  it('a cluster that is not available spends nothing', () => {
    const bindings = names.map((name) =>
      bound(name, 0, { conditions: name < 'c' ? failing('NotAllWorkHaveBeenApplied') : available() }),
    );
    const rollout = update(
      { maxConcurrency: '100%' },
      { budgets: [budget({ minAvailable: 3 }, 'all')] },
      { bindings },
    ).plan();
    expect(rollout.moves.map((move) => move.split(' ')[2])).toEqual(['1', '1', '0', '0', '0']);
  });
});

describe('stages', () => {
  it('an empty one is skipped with its tasks', () => {
    const rollout = update(
      {},
      {
        strategies: [
          strategyOf(
            stage('none', {
              labelSelector: { matchLabels: { env: 'none' } },
              beforeStageTasks: [{ type: 'Approval' }],
              afterStageTasks: [{ type: 'TimedWait', waitTime: '1h' }],
            }),
            stage('all', everywhere),
          ),
        ],
      },
    ).plan();
    expect(rollout.stages['none']).toBe(
      'Progressing=False/StageUpdatingSkippedNoClusters Succeeded=True/StageUpdatingSkippedNoClusters',
    );
    expect(rollout.outcome.approvals).toEqual([]);
    expect(rollout.moves[0]).toBe('a Bound 1 update');
  });
});

describe('the delete stage', () => {
  const leaving = () =>
    update(
      { maxConcurrency: '100%' },
      {},
      {
        bindings: [
          bound('a'),
          bound('b', 0, { state: 'Unscheduled', previousState: 'Bound' }),
          scheduled('c'),
          scheduled('d', { state: 'Unscheduled' }),
        ],
      },
    );
  const name = 'kubernetes-fleet.io/deleteStage';
  it('comes last, removes all at once and ends when nothing is left', () => {
    const rollout = leaving().plan();
    expect(rollout.moves).toEqual([
      'a Bound 1 update',
      'b Unscheduled 0 wait',
      'c Bound 1 add',
      'd Unscheduled - wait',
    ]);
    rollout.ready('a', 'c').plan(10);
    expect(rollout.moves).toEqual([
      'a Bound 1 keep',
      'b Unscheduled 0 remove',
      'c Bound 1 keep',
      'd Unscheduled - remove',
    ]);
    expect(rollout.reads).toContain('Progressing=True/UpdateRunProgressing');
    expect(rollout.stages[name]).toBe(
      'Progressing=True/StageUpdatingStarted; b: Started=True/ClusterUpdatingStarted; d: Started=True/ClusterUpdatingStarted',
    );
    rollout.cleaned().plan(20);
    expect(rollout.reads).toContain('Succeeded=True/UpdateRunSucceeded');
    expect(rollout.stages[name]).toMatch(
      /^Progressing=False\/StageUpdatingSucceeded Succeeded=True\/StageUpdatingSucceeded; b: Started=True\S+ Succeeded=True/,
    );
    expect([rollout.status.deletionStageStatus!.startTime, rollout.status.deletionStageStatus!.endTime]).toEqual([
      at(10),
      at(20),
    ]);
  });
  it('a binding that re-appears ends the run', () => {
    const rollout = leaving()
      .plan()
      .ready('a', 'c')
      .plan(10)
      .bindings(({ deleting: _, ...binding }) => binding)
      .plan(20);
    expect(rollout.reads).toContain('Succeeded=False/UpdateRunFailed');
  });
  it('a cluster that is selected again is left alone', () => {
    const rollout = leaving().plan();
    rollout
      .bindings((binding) => (binding.targetCluster === 'b' ? { ...binding, state: 'Bound' } : binding))
      .ready('a', 'c')
      .plan(10);
    expect(rollout.moves[1]).toBe('b Bound 0 keep');
    expect(rollout.stages[name]).toContain(
      'b: Started=True/ClusterUpdatingStarted Succeeded=True/ClusterUpdatingSucceeded',
    );
  });
  it('is never begun by a stopped run', () => {
    const rollout = leaving()
      .plan()
      .change({ runs: [runOf({ state: 'Stop' })] })
      .ready('a', 'c')
      .plan(10);
    expect(rollout.reads).toContain('Progressing=False/UpdateRunStopped');
    rollout.plan(20);
    expect(rollout.moves[1]).toBe('b Unscheduled 0 keep');
    rollout.change({ runs: [runOf({ state: 'Run' })] }).plan(30);
    expect(rollout.moves[1]).toBe('b Unscheduled 0 remove');
  });
  it('once begun is followed by a stopped run to its end, which the run tells when it runs again', () => {
    const rollout = leaving()
      .plan()
      .ready('a', 'c')
      .plan(10)
      .change({ runs: [runOf({ state: 'Stop' })] })
      .plan(20);
    expect(rollout.reads).toContain('Progressing=Unknown/UpdateRunStopping');
    expect(rollout.stages[name]).toContain('Progressing=Unknown/StageUpdatingStopping');
    expect(rollout.cleaned().plan(30).reads).toContain('Progressing=False/UpdateRunStopped');
    expect(rollout.change({ runs: [runOf()] }).plan(40).reads).toContain('Succeeded=True/UpdateRunSucceeded');
  });
});

describe('stop and resume', () => {
  const stopped = { runs: [runOf({ state: 'Stop' })] };
  it('follows what is in flight, starts nothing, and is stopped when nothing is', () => {
    const rollout = update({ maxConcurrency: 2 }).plan().change(stopped).plan(10);
    expect(rollout.reads[1]).toBe('Progressing=Unknown/UpdateRunStopping');
    expect(rollout.stages['all']).toContain('Progressing=Unknown/StageUpdatingStopping');
    rollout.ready('a').plan(20);
    expect(rollout.stages['all']).toContain(
      'a: Started=True/ClusterUpdatingStarted Succeeded=True/ClusterUpdatingSucceeded; b: Started=True/ClusterUpdatingStarted; c: ;',
    );
    expect(rollout.plan(310).reads[1]).toBe('Progressing=False/UpdateRunStuck');
    rollout.ready('b').plan(320);
    expect(rollout.reads[1]).toBe('Progressing=False/UpdateRunStopped');
    expect(rollout.stages['all']).toContain('Progressing=False/StageUpdatingStopped');
    rollout.change({ runs: [runOf({ state: 'Run' })] }).plan(330);
    expect(rollout.reads[1]).toBe('Progressing=True/UpdateRunProgressing');
    expect(rollout.moves).toEqual([
      'a Bound 1 keep',
      'b Bound 1 keep',
      'c Bound 1 update',
      'd Bound 1 update',
      'e Bound 0 wait',
    ]);
  });
  it('a soak counts real time since the stage finished, stopped or not', () => {
    const rollout = update({ maxConcurrency: '100%', afterStageTasks: [{ type: 'TimedWait', waitTime: '10m' }] })
      .plan()
      .ready(...names)
      .plan(100);
    expect(rollout.outcome.holds.map(({ until }) => until)).toEqual([at(700)]);
    rollout.change(stopped).plan(200);
    expect(rollout.reads[1]).toBe('Progressing=False/UpdateRunStopped');
    rollout.change({ runs: [runOf({ state: 'Run' })] }).plan(650);
    expect(rollout.outcome.holds.map(({ reason, until }) => [reason, until])).toEqual([['WaitingForTime', at(700)]]);
    expect(rollout.plan(700).reads).toContain('Succeeded=True/UpdateRunSucceeded');
  });
});

describe('two runs on one placement', () => {
  const two = [runOf({ name: 'b-run' }), runOf({ name: 'a-run' })];
  it('by name when neither has started, the other is held and moves nothing', () => {
    const rollout = update({ maxConcurrency: '100%' }, { runs: two }).plan();
    expect(rollout.outcome.holds.map(({ reason, subject }) => [reason, subject.name])).toEqual([
      ['OtherRunActive', 'b-run'],
    ]);
    expect(
      rollout.outcome.runs.map(({ name, status }) => [name, status.conditions!.map(({ reason }) => reason).at(-1)]),
    ).toEqual([
      ['a-run', 'UpdateRunProgressing'],
      ['b-run', 'UpdateRunInitializedSuccessfully'],
    ]);
  });
  it('the one that has started goes on although another name comes first', () => {
    const rollout = update({}, { runs: [two[0]!] })
      .plan()
      .change({ runs: two })
      .plan(10);
    expect(
      rollout.outcome.holds.filter(({ reason }) => reason === 'OtherRunActive').map(({ subject }) => subject.name),
    ).toEqual(['a-run']);
  });
  it('the other starts in the plan in which the first ends', () => {
    const rollout = update({ maxConcurrency: '100%' }, { runs: two })
      .plan()
      .ready(...names)
      .plan(10);
    expect(rollout.outcome.runs.map(({ status }) => status.conditions!.at(-1)!.reason)).toEqual([
      'UpdateRunSucceeded',
      'UpdateRunSucceeded',
    ]);
  });
  it('a stopped run does not block, and waits itself when it is resumed meanwhile', () => {
    const [b, a] = two;
    const rollout = update({}, { runs: two })
      .plan()
      .ready('a')
      .change({ runs: [b!, runOf({ name: 'a-run', state: 'Stop' })] })
      .plan(10);
    expect(rollout.outcome.runs[1]!.status.conditions!.at(-1)!.reason).toBe('UpdateRunProgressing');
    rollout.change({ runs: [b!, a!] }).plan(20);
    expect(
      rollout.outcome.holds.filter(({ reason }) => reason === 'OtherRunActive').map(({ subject }) => subject.name),
    ).toEqual(['a-run']);
  });
  it('one in Initialize does not block', () => {
    const rollout = update({}, { runs: [two[0]!, runOf({ name: 'a-run', state: 'Initialize' })] }).plan();
    expect(rollout.outcome.holds.map(({ reason }) => reason)).toEqual(['RolloutBudget']);
  });
});

describe('rollback', () => {
  it('a run with an older index goes back, with the overrides that overridesFor gives for that index', () => {
    const asked: number[] = [];
    const rollout = update(
      { maxConcurrency: '100%' },
      {
        runs: [runOf({ resourceSnapshotIndex: '0' })],
        overridesFor: (_, __, index) => {
          asked.push(index);
          return {};
        },
      },
      { bindings: names.map((name) => bound(name, 1)), snapshots: [0, 1] },
    ).plan();
    expect(rollout.moves).toEqual(names.map((name) => `${name} Bound 0 update`));
    expect(new Set(asked)).toEqual(new Set([0]));
  });
});

describe('a lost record', () => {
  it('holds a run until its file changes', () => {
    const rollout = update({}, { recordLost: true }).plan();
    expect(rollout.holds).toEqual(['RecordLost']);
    expect(rollout.status).toEqual({});
    rollout.change({ recordLost: false }).plan(10);
    expect(rollout.holds).toEqual(['RecordLost']);
    rollout.change({ runs: [runOf({ state: 'Run' })] }).plan(20);
    expect(rollout.reads).toContain('Progressing=True/UpdateRunProgressing');
  });
});
