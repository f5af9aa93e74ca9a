import { describe, expect, it } from 'vitest';
import type { StageConfig } from '../../../../src/api/staged.ts';
import type { RunsInput } from '../../../../src/engine/staged/step.ts';
import { applyStrategy, at, available, type Rollout, runOf } from '../world.ts';
import { failing, names, update } from './update.ts';

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

  it('clusters that have the snapshot already, and are available, finish at once', () => {
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
        appliedResourceSnapshotIndex: 0,
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
  it('waiting bindings have RolloutStarted=False and keep the rest', () => {
    const [, waiting] = update().plan().outcome.work.bindings;
    expect(waiting!.move).toBe('wait');
    expect(waiting!.binding.conditions!.map(({ type, status, reason }) => [type, status, reason])).toEqual([
      ['RolloutStarted', 'False', 'RolloutNotStartedYet'],
      ['Applied', 'True', 'AllWorkHaveBeenApplied'],
      ['Available', 'True', 'AllWorkAreAvailable'],
    ]);
  });
  it('a run that stops releases waiting bindings', () => {
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
  it('a run whose file is removed leaves bindings as they are and is no longer recorded', () => {
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
  it('a condition of an older generation does not count', () => {
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
  it('is reported after five minutes, to the second, and ends when the cluster becomes available', () => {
    const rollout = update({ maxConcurrency: '100%' }).plan();
    expect(new Set(rollout.outcome.wakes)).toEqual(new Set([at(300)]));
    expect(rollout.plan(299).reads[1]).toBe('Progressing=True/UpdateRunProgressing');
    expect(rollout.plan(300).reads[1]).toBe('Progressing=False/UpdateRunStuck');
    expect(rollout.status.conditions![1]!.message).toBe(
      'the update run is stuck waiting for 5 cluster(s) in stage all to become available: a, b, c...; if they cannot, remove run web-1, which ends it and leaves its clusters as they are',
    );
    expect(rollout.outcome.wakes).toEqual([]);
    expect(rollout.ready(...names).plan(400).reads).toContain('Succeeded=True/UpdateRunSucceeded');
  });
});

describe('a pause that is to come', () => {
  const pause = { kind: 'none', pausesAt: at(120) } as const;
  it.each([
    ['wakes a run with clusters that it would hold', 1, [at(120)]],
    ['does not wake a run with all clusters in flight', '100%', []],
  ])('%s', (_, maxConcurrency, wakes) => {
    const rollout = update({ maxConcurrency }, { pause }).plan();
    expect(rollout.outcome.wakes.filter((wake) => wake === at(120))).toEqual(wakes);
  });
});
