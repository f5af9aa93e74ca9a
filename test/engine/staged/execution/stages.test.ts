import { describe, expect, it } from 'vitest';
import type { DisruptionBudget } from '../../../../src/api/disruption-budget.ts';
import { at, available, bound, runOf, scheduled, stage, strategyOf } from '../world.ts';
import { everywhere, failing, names, update } from './update.ts';

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
    ['blocks when it is empty', budget({}, 'all'), 0],
    ['blocks when it is misconfigured', budget({ maxUnavailable: 2 }, 'all'), 0],
  ])('%s', (_, given, started) => {
    const rollout = update({ maxConcurrency: '100%' }, { budgets: [given] }).plan();
    expect(rollout.moves.filter((move) => move.endsWith('1 update'))).toHaveLength(started);
    expect(rollout.holds.filter((hold) => /^RolloutBudget all [a-e]$/.test(hold))).toHaveLength(5 - started);
  });
  it('blocks while its file is invalid: it may have had that scope', () => {
    const refused = [{ apiVersion: '', kind: 'ClusterResourcePlacementDisruptionBudget', name: 'web' }];
    const rollout = update({ maxConcurrency: '100%' }, { refused }).plan();
    expect(rollout.moves).toEqual(names.map((name) => `${name} Bound 0 wait`));
  });
  it('holds the delete stage, cluster by cluster', () => {
    const going = { state: 'Unscheduled', previousState: 'Bound', conditions: available() } as const;
    const rollout = update(
      {},
      { budgets: [budget({ minAvailable: 2 }, 'all')] },
      { bindings: [bound('a'), bound('b', 0, going), bound('c', 0, going)] },
    ).plan();
    rollout.ready('a').plan(10);
    expect(rollout.moves).toEqual(['a Bound 1 keep', 'b Unscheduled 0 remove', 'c Unscheduled 0 wait']);
    expect(rollout.outcome.holds.map(({ subject, reason, message }) => [subject.clusterName, reason, message])).toEqual(
      [['c', 'RolloutBudget', 'c is waiting for the disruption budget: availablePlacements: 2, totalPlacements: 3']],
    );
    rollout.change({ budgets: [] }).plan(20);
    expect(rollout.moves).toEqual(['a Bound 1 keep', 'b Unscheduled 0 remove', 'c Unscheduled 0 remove']);
  });
  it('does not count a cluster that left the fleet, whatever its last condition', () => {
    const left = bound('z', 0, { state: 'Unscheduled', previousState: 'Bound', conditions: available() });
    const rollout = update(
      { maxConcurrency: '100%' },
      { budgets: [budget({ minAvailable: 3 }, 'all')] },
      { bindings: [...names.map((name) => bound(name)), left] },
    ).plan();
    expect(rollout.moves.filter((move) => move.endsWith('1 update'))).toHaveLength(2);
  });
  it('a cluster that is not available spends no budget', () => {
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
  it('a cluster of unknown availability needs budget like an available one', () => {
    const bindings = names.map((name) => bound(name, 0, name < 'c' ? { conditions: [] } : { conditions: available() }));
    const rollout = update(
      { maxConcurrency: '100%' },
      { budgets: [budget({ minAvailable: 3 }, 'all')] },
      { bindings },
    ).plan();
    expect(rollout.moves.map((move) => move.split(' ')[2])).toEqual(['0', '0', '0', '0', '0']);
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
  it('runs last, removes all at once and ends when nothing is left', () => {
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
  it('a binding that reappears fails the run', () => {
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
  it('is not started by a stopped run', () => {
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
  it('once started is followed by a stopped run to its end, which the run reports when it is resumed', () => {
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
