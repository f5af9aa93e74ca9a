import { describe, expect, it } from 'vitest';
import type { RunsInput } from '../../../../src/engine/staged/step.ts';
import { applyStrategy, bound, cluster, placementOf, type Rollout, runOf, scheduled } from '../world.ts';
import { names, update } from './update.ts';

describe('what ends a run', () => {
  const aborted = (rollout: Rollout) => ({
    reads: rollout.reads.slice(1),
    message: rollout.status.conditions!.at(-1)!.message,
  });
  const failed = ['Progressing=False/UpdateRunFailed', 'Succeeded=False/UpdateRunFailed'];
  it('a binding changed by something else', () => {
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
  it('RolloutStarted set to False on a cluster in flight', () => {
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
  it('a cluster that joins is reported as not part of the run', () => {
    const rollout = joined();
    expect(rollout.holds).toContain('NotPartOfRun f');
    expect(rollout.moves.at(-1)).toBe('f Scheduled - keep');
    expect(rollout.reads).toContain('Progressing=True/UpdateRunProgressing');
  });
  const strict = { runs: [runOf({ annotations: { 'gitfleet.dev/on-membership-change': 'abort' } })] };
  it('unless the run opts into KubeFleet’s rule', () => {
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
  it('a changed label changes nothing', () => {
    const rollout = update()
      .plan()
      .change({ clusters: names.map((name) => cluster(name, 'other', { order: name })) })
      .plan(10);
    expect(rollout.reads).toContain('Progressing=True/UpdateRunProgressing');
  });
  it('a cluster that is no longer selected is updated in its turn but stays Unscheduled', () => {
    const rollout = update()
      .plan()
      .bindings((binding) =>
        binding.targetCluster === 'b' ? { ...binding, state: 'Unscheduled', previousState: 'Bound' } : binding,
      );
    rollout.ready('a').plan(10);
    expect(rollout.moves.slice(0, 3)).toEqual(['a Bound 1 keep', 'b Unscheduled 1 update', 'c Bound 0 wait']);
  });
  it('a cluster that is no longer selected before it was Bound, or is evicted, is skipped', () => {
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
  it('a cluster evicted in flight and selected again is started again, after the clean-up', () => {
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
