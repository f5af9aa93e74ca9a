import { describe, expect, it } from 'vitest';
import type { RunsInput } from '../../../../src/engine/staged/step.ts';
import { at, bound, cluster, type Rollout, runOf, scheduled, words } from '../world.ts';
import { rollingBack, threeStages } from './failing-run.ts';
import { names, update } from './update.ts';

const deadline = { 'gitfleet.dev/progress-deadline': '10m' };
const tolerant = (most: string) => ({ ...deadline, 'gitfleet.dev/max-failures': most });
const withAnnotations = (annotations: Record<string, string>) => ({ runs: [runOf({ annotations })] });
const succeeded = (rollout: Rollout) => words(rollout.status.conditions).at(-1);

describe('progress-deadline', () => {
  it('a cluster that is not available by then has failed, and with it the run', () => {
    const rollout = update({ maxConcurrency: 2 }, withAnnotations(deadline)).plan();
    expect(rollout.outcome.wakes).toContain(at(600));
    expect(rollout.ready('b').plan(599).reads).not.toContain('Succeeded=False/UpdateRunFailed');
    rollout.plan(600);
    expect(rollout.reads.slice(1)).toEqual(['Progressing=False/UpdateRunFailed', 'Succeeded=False/UpdateRunFailed']);
    expect(rollout.status.conditions!.at(-1)!.message).toBe('cluster a in stage all was not available within 10m0s');
    expect(rollout.stages['all']).toContain(
      'Progressing=False/StageUpdatingFailed Succeeded=False/StageUpdatingFailed',
    );
    expect(rollout.stages['all']).toContain(
      'a: Started=True/ClusterUpdatingStarted Succeeded=False/ClusterUpdatingFailed',
    );
    expect(rollout.moves.slice(2)).toEqual(['c Bound 1 keep', 'd Bound 0 keep', 'e Bound 0 keep']);
    expect([rollout.holds, rollout.outcome.wakes]).toEqual([[], []]);
  });
  it('counts from the start of each cluster', () => {
    const rollout = update({}, withAnnotations(deadline)).plan();
    rollout.ready('a').plan(400);
    expect(rollout.plan(999).reads).not.toContain('Succeeded=False/UpdateRunFailed');
    expect(succeeded(rollout.plan(1000))).toBe('Succeeded=False/UpdateRunFailed');
  });
  it('without it a cluster may take forever, as in KubeFleet', () => {
    expect(update().plan().plan(100_000).reads).toContain('Progressing=False/UpdateRunStuck');
  });
  it('resources that cannot be tracked do not fail while their period lasts', () => {
    const rollout = update({}, withAnnotations({ 'gitfleet.dev/progress-deadline': '30s' })).plan();
    rollout.now = 25;
    rollout.bindings((binding) =>
      binding.targetCluster === 'a'
        ? {
            ...binding,
            conditions: [
              binding.conditions![0]!,
              { type: 'Available', status: 'True', reason: 'WorkNotTrackable', lastTransitionTime: at(25) },
            ],
          }
        : binding,
    );
    expect(rollout.plan(40).reads).not.toContain('Succeeded=False/UpdateRunFailed');
    expect(rollout.plan(85).stages['all']).toContain('a: Started=True/ClusterUpdatingStarted Succeeded=True');
  });
  it('a run that stops fails too, instead of waiting for the cluster', () => {
    const rollout = update({}, withAnnotations(deadline)).plan();
    rollout.change({ runs: [runOf({ annotations: deadline, state: 'Stop' })] }).plan(10);
    expect(rollout.reads).toContain('Progressing=Unknown/UpdateRunStopping');
    expect(succeeded(rollout.plan(600))).toBe('Succeeded=False/UpdateRunFailed');
  });
});

describe('max-failures', () => {
  it.each<[string, readonly string[], boolean]>([
    ['0', ['a'], true],
    ['1', ['a'], false],
    ['1', ['a', 'b'], true],
    ['2', ['a', 'b'], false],
    ['20%', ['a'], false],
    ['20%', ['a', 'b'], true],
    ['39%', ['a', 'b'], true],
    ['19%', ['a'], true],
    ['100%', names, false],
  ])('%s of five clusters, %j fail: the run fails %s', (most, failed, fails) => {
    const rollout = update({ maxConcurrency: '100%' }, withAnnotations(tolerant(most))).plan();
    rollout.ready(...names.filter((name) => !failed.includes(name))).plan(60);
    rollout.plan(600);
    expect(succeeded(rollout)).toBe(fails ? 'Succeeded=False/UpdateRunFailed' : 'Succeeded=True/UpdateRunSucceeded');
  });
  it('the stage continues without the clusters that failed, and they leave their slots', () => {
    const rollout = update({}, withAnnotations(tolerant('2'))).plan();
    rollout.plan(600);
    expect(rollout.moves).toEqual([
      'a Bound 1 keep',
      'b Bound 1 update',
      'c Bound 0 wait',
      'd Bound 0 wait',
      'e Bound 0 wait',
    ]);
    rollout.plan(1200).plan(1800);
    expect(rollout.status.conditions!.at(-1)!.message).toBe(
      '3 clusters have failed, and max-failures allows 2: a, b, c',
    );
  });
  it('counts over all stages', () => {
    const rollout = threeStages({ ...tolerant('1') }).plan();
    rollout.plan(600);
    expect(rollout.reads).toContain('Progressing=True/UpdateRunProgressing');
    expect(succeeded(rollout.plan(1200))).toBe('Succeeded=False/UpdateRunFailed');
  });
  it('a cluster that failed and became available later stays failed', () => {
    const rollout = update({ maxConcurrency: '100%' }, withAnnotations(tolerant('1'))).plan();
    rollout.ready(...names.slice(1)).plan(60);
    rollout.plan(600).ready('a').plan(700);
    expect(rollout.stages['all']).toContain('a: Started=True/ClusterUpdatingStarted Succeeded=False');
  });
});

describe('on-failure: rollback', () => {
  it('returns the clusters of the last stage first, in reverse order, as many at a time as the stage has', () => {
    const rollout = rollingBack();
    expect(rollout.reads.slice(1)).toEqual(['Progressing=True/UpdateRunRollingBack']);
    expect(rollout.status.conditions![1]!.message).toBe(
      'the update run is rolling back stage prod: cluster p-2 in stage prod was not available within 10m0s',
    );
    expect(rollout.moves).toEqual([
      'c-1 Bound 1 wait',
      'p-1 Bound 0 update',
      'p-2 Bound 0 update',
      'p-3 Bound 0 keep',
      'z-1 Bound 0 keep',
    ]);
    rollout.ready('p-1', 'p-2').plan(1200);
    expect(rollout.moves[0]).toBe('c-1 Bound 0 update');
    expect(rollout.status.conditions![1]!.message).toMatch(/^the update run is rolling back stage canary: /);
    rollout.ready('c-1').plan(1250);
    expect(rollout.reads.slice(1)).toEqual(['Progressing=False/UpdateRunFailed', 'Succeeded=False/UpdateRunFailed']);
    expect(rollout.status.conditions!.at(-1)!.message).toBe(
      'cluster p-2 in stage prod was not available within 10m0s; rolled back 3 of 3 clusters',
    );
    expect(rollout.moves.every((move) => move.endsWith(' Bound 0 keep'))).toBe(true);
    expect([rollout.holds, rollout.outcome.wakes]).toEqual([[], []]);
  });
  it('keeps to the concurrency of the stage', () => {
    const rollout = rollingBack('all of prod');
    expect(rollout.moves.slice(1, 4)).toEqual(['p-1 Bound 1 wait', 'p-2 Bound 0 update', 'p-3 Bound 0 update']);
    rollout.ready('p-3').plan(900);
    expect(rollout.moves.slice(1, 4)).toEqual(['p-1 Bound 0 update', 'p-2 Bound 0 keep', 'p-3 Bound 0 keep']);
  });
  it('records what each cluster had when it is started', () => {
    const [canary] = rollingBack().status.stagesStatus!;
    expect(canary!.clusters[0]!.previous).toMatchObject({ resourceSnapshotIndex: 0, applyStrategy: expect.anything() });
    const kept = update().plan().status.stagesStatus![0]!.clusters[0]!;
    expect(kept.previous).toBeUndefined();
  });
  it('returns override snapshots too', () => {
    const before = { clusterResourceOverrideSnapshots: ['cro-1'] };
    const rollout = update(
      {},
      { ...withAnnotations(back), overridesFor: () => ({ clusterResourceOverrideSnapshots: ['cro-2'] }) },
      { bindings: names.map((name) => bound(name, 0, before)) },
    ).plan();
    expect(rollout.work.bindings[0]!.binding.clusterResourceOverrideSnapshots).toEqual(['cro-2']);
    rollout.plan(600);
    expect(rollout.work.bindings[0]!.binding).toMatchObject({ ...before, resourceSnapshotIndex: 0 });
  });
  it('goes on after the daemon forgot everything but the record', () => {
    const rollout = rollingBack();
    const fresh = rollingBack();
    fresh.input = { ...fresh.input, recordedRuns: structuredClone(rollout.input.recordedRuns) as never };
    fresh.ready('p-1', 'p-2').plan(1200).ready('c-1').plan(1250);
    rollout.ready('p-1', 'p-2').plan(1200).ready('c-1').plan(1250);
    expect(fresh.status).toEqual(rollout.status);
  });
  it('a cluster that had nothing, one that was changed since and one that left keep what they have', () => {
    const rollout = threeStages({ ...back, 'gitfleet.dev/max-failures': '0' }, { first: 'new' }).plan();
    rollout.ready('c-1').plan(10);
    rollout.plan(610);
    expect(rollout.stages['canary']).toContain('c-1: Started=True/ClusterUpdatingStarted Succeeded=True');
    const [, canary] = rollout.status.rollbackStatus!.stagesStatus;
    expect(canary!.stageName).toBe('canary');
    rollout
      .bindings((binding) => (binding.targetCluster === 'p-1' ? { ...binding, resourceSnapshotIndex: 7 } : binding))
      .change({ clusters: rollout.input.clusters.map((it) => ({ ...it, left: it.name === 'p-2' })) })
      .plan(700);
    const conditionOf = (stage: number) =>
      rollout.status.rollbackStatus!.stagesStatus[stage]!.clusters.map(
        ({ clusterName, conditions }) => `${clusterName} ${conditions!.at(-1)!.reason}`,
      );
    expect(conditionOf(0)).toEqual(['p-2 ClusterLeft', 'p-1 ClusterChangedSince']);
    expect(conditionOf(1)).toEqual(['c-1 NoEarlierSnapshot']);
    expect(rollout.status.conditions!.at(-1)!.message).toMatch(/; rolled back 0 of 3 clusters, 3 keep what they have$/);
  });
  it('returns only clusters that started while it was requested, and says so of the others', () => {
    const rollout = threeStages({}, { gate: true }).plan().ready('c-1').plan(10).merge('web-1-after-canary').plan(20);
    rollout
      .change({ runs: [runOf({ annotations: back })] })
      .ready('p-1')
      .plan(30);
    rollout.plan(900);
    const [prod, canary] = rollout.status.rollbackStatus!.stagesStatus;
    expect(prod!.clusters.map(({ clusterName, conditions }) => [clusterName, conditions?.at(-1)?.reason])).toEqual([
      ['p-3', 'ClusterUpdatingStarted'],
      ['p-2', 'NoEarlierSnapshot'],
      ['p-1', 'NoEarlierSnapshot'],
    ]);
    expect(canary!.clusters[0]!.conditions).toBeUndefined();
    expect(prod!.clusters[1]!.conditions!.at(-1)!.message).toBe(
      'cluster p-2 had no snapshot before the run, or on-failure: rollback was not requested yet when it started: it keeps what it has',
    );
  });
  it('a cluster that does not become available again does not hold up the others', () => {
    const rollout = rollingBack();
    rollout.plan(1300);
    expect(rollout.moves[0]).toBe('c-1 Bound 0 update');
    rollout.ready('c-1').plan(1350);
    expect(rollout.status.conditions!.at(-1)!.message).toMatch(
      /; rolled back 1 of 3 clusters, not available after it: p-2, p-1$/,
    );
  });
  it('a stopped run rolls nothing further back until it runs again', () => {
    const rollout = rollingBack('all of prod');
    const state = (to: 'Run' | 'Stop'): Partial<RunsInput> => ({ runs: [runOf({ annotations: back, state: to })] });
    rollout.change(state('Stop')).ready('p-2', 'p-3').plan(900);
    expect(rollout.reads).toContain('Progressing=False/UpdateRunStopped');
    expect(rollout.moves.slice(0, 2)).toEqual(['c-1 Bound 1 keep', 'p-1 Bound 1 keep']);
    rollout.change(state('Run')).plan(950);
    expect(rollout.moves[1]).toBe('p-1 Bound 0 update');
  });
  it('says how to end it where a cluster does not become available again, and that it stops', () => {
    const rollout = rollingBack('all of prod').plan(1001);
    const message = () => rollout.status.conditions!.find(({ type }) => type === 'Progressing')!.message;
    expect(message()).toMatch(
      /^the update run is rolling back stage prod, stuck on p-3, p-2: .*; if p-3, p-2 cannot become available, remove run web-1, which ends it and leaves its clusters as they are$/,
    );
    const [run] = rollout.input.runs;
    rollout.change({ runs: [{ ...run!, spec: { ...run!.spec, state: 'Stop' } }] }).plan(1002);
    expect(message()).toMatch(/^the update run is rolling back stage prod, and stops after that, stuck on p-3, p-2: /);
  });
  it('a pause holds it', () => {
    const rollout = threeStages(back).plan().ready('c-1').plan(10);
    const paused = { kind: 'paused', endsWhen: 'freeze x ends', until: at(9000) } as const;
    rollout.change({ pause: paused }).plan(610);
    expect(rollout.holds).toEqual(['Freeze prod']);
    expect(rollout.moves.filter((move) => move.endsWith('update'))).toEqual([]);
    rollout.change({ pause: { kind: 'none', pausesAt: undefined } }).plan(9000);
    expect(rollout.moves.filter((move) => move.endsWith('update'))).toHaveLength(2);
  });
  it('a disruption budget does not hold it: what the version broke may come last', () => {
    const spec = { minAvailable: 5 };
    const metadata = { name: 'web', annotations: { 'gitfleet.dev/budget-scope': 'all' } };
    const kind = 'ClusterResourcePlacementDisruptionBudget';
    const budget = { apiVersion: 'placement.kubernetes-fleet.io/v1beta1', kind, metadata, spec } as const;
    const ready = rollingBack('all of prod').ready('p-2', 'p-3').plan(900);
    ready
      .change({ budgets: [budget] })
      .ready('p-1')
      .plan(1000);
    expect(ready.holds).toEqual([]);
    expect(ready.moves[0]).toBe('c-1 Bound 0 update');
  });
  it('a rejected run rolls back and ends as rejected; requests that are open are withdrawn', () => {
    const rollout = threeStages(back, { gate: true }).plan().ready('c-1').plan(10);
    rollout.merge('web-1-after-canary');
    const [file] = rollout.input.approvals;
    const no = [{ ...file!.status!.conditions![0]!, status: 'False' as const }];
    rollout.change({ approvals: [{ ...file!, status: { conditions: no } }] }).plan(20);
    expect(rollout.reads).toContain('Progressing=True/UpdateRunRollingBack');
    expect(rollout.moves[0]).toBe('c-1 Bound 0 update');
    rollout.ready('c-1').plan(30);
    expect(rollout.reads.slice(1)).toEqual(['Progressing=False/ApprovalRejected', 'Succeeded=False/ApprovalRejected']);
  });
  it('another run of the placement waits until it is rolled back', () => {
    const rollout = rollingBack();
    rollout.change({ runs: [...rollout.input.runs, runOf({ name: 'web-2' })] }).plan(710);
    expect(rollout.holds).toContain('OtherRunActive');
    rollout.ready('p-1', 'p-2').plan(1200).ready('c-1').plan(1250);
    expect(rollout.holds).not.toContain('OtherRunActive');
  });
  it('a changed policy does not end it, a placement that is no longer External does', () => {
    const rollout = rollingBack();
    rollout.work = {
      ...rollout.work,
      policySnapshots: [{ index: 1, latest: true, policy: { placementType: 'PickAll' } }],
    };
    expect(rollout.plan(720).reads).toContain('Progressing=True/UpdateRunRollingBack');
    const { placement } = rollout.work;
    const strategy = { ...placement.spec.strategy, type: 'RollingUpdate' as const };
    rollout.work = { ...rollout.work, placement: { ...placement, spec: { ...placement.spec, strategy } } as never };
    rollout.plan(730);
    expect(succeeded(rollout)).toBe('Succeeded=False/UpdateRunFailed');
  });
  it('a run that fails before it has reached a cluster has nothing to roll back', () => {
    const rollout = update({ beforeStageTasks: [{ type: 'Approval' }] }, withAnnotations(back)).plan();
    rollout.work = {
      ...rollout.work,
      policySnapshots: [{ index: 1, latest: true, policy: { placementType: 'PickAll' } }],
    };
    rollout.plan(10);
    expect(succeeded(rollout)).toBe('Succeeded=False/UpdateRunFailed');
    expect(rollout.status.rollbackStatus).toBeUndefined();
  });
  it('stop is what happens without it', () => {
    const stays = update({}, withAnnotations({ ...deadline, 'gitfleet.dev/on-failure': 'stop' }))
      .plan()
      .plan(600);
    expect(stays.moves[0]).toBe('a Bound 1 keep');
    expect(stays.status.rollbackStatus).toBeUndefined();
  });
  it('a newly selected cluster is no part of it', () => {
    const rollout = rollingBack();
    rollout.work = {
      ...rollout.work,
      bindings: [...rollout.work.bindings, { binding: scheduled('p-9'), move: 'keep' }],
    };
    rollout.change({ clusters: [...rollout.input.clusters, cluster('p-9', 'prod')] }).plan(710);
    expect(rollout.moves.at(-1)).toBe('p-9 Scheduled - keep');
  });
});

const back = { ...deadline, 'gitfleet.dev/on-failure': 'rollback' };
