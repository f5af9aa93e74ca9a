import { describe, expect, it } from 'vitest';
import type { Condition } from '../../../../src/api/meta.ts';
import type { StagedUpdateRun, StageStatus, UpdateRunStatus } from '../../../../src/api/staged.ts';
import type { FleetRecord, PlanInput } from '../../../../src/engine/input.ts';
import { memberObservation } from '../../member-observation.ts';
import {
  answer,
  at,
  bound,
  cluster,
  placementOf,
  Rollout,
  runOf,
  stage,
  strategyOf,
  workOf,
} from '../../staged/world.ts';
import { inputOf, members, objects, on, planOf, remembered, rules } from '../world.ts';

const started: Condition = { type: 'Started', status: 'True', reason: 'x' };
const unread = {
  placements: new Map(),
  runs: new Set(['web-1']),
  evictions: new Set<string>(),
  upgrades: new Set<string>(),
};
const ours = { ...objects(1)[0]!, metadata: { name: 'x', labels: { 'gitfleet.dev/placement': 'web' } } };
const shown = { observations: new Map([['c-1', memberObservation({ objects: [ours] })]]) };

describe('update runs', () => {
  const wait = { afterStageTasks: [{ type: 'TimedWait' as const, waitTime: '1h' }, { type: 'Approval' as const }] };
  /** A run in which the first stage is done and soaks, and its approval is asked for. */
  const soaking = () => {
    const rollout = new Rollout(workOf({ bindings: [bound('c-1'), bound('p-1'), bound('p-2')], snapshots: [0] }), {
      strategies: [strategyOf(stage('canary', wait), stage('prod', { beforeStageTasks: [{ type: 'Approval' }] }))],
      clusters: [cluster('c-1', 'canary'), cluster('p-1', 'prod'), cluster('p-2', 'prod')],
    });
    return rollout.plan().ready('c-1').plan(10);
  };
  const judged = (
    rollout: Rollout,
    change: (status: UpdateRunStatus) => UpdateRunStatus,
    files = rollout.input.approvals,
    recorded?: StagedUpdateRun,
    handWritten = true,
  ) => {
    const input = inputOf({
      now: at(rollout.now),
      fleet: {
        members: members('c-1', 'p-1', 'p-2'),
        placements: [placementOf()],
        runs: [runOf()],
        approvals: files,
        config: {
          apiVersion: 'gitfleet.dev/v1alpha1',
          kind: 'FleetConfig',
          spec: { approvals: { path: 'approvals/', handWritten } },
        },
      },
      record: { runs: recorded ? new Map([['web-1', recorded]]) : new Map() },
    });
    const [run] = rollout.outcome.runs;
    return rules(
      input,
      planOf({ runs: [{ ...run!, status: change(run!.status) }], approvals: rollout.outcome.approvals }),
    );
  };
  const yes: Condition = { type: 'Succeeded', status: 'True', reason: 'x', lastTransitionTime: at(10) };
  const edit = (
    status: UpdateRunStatus,
    place: number,
    change: (one: NonNullable<UpdateRunStatus['stagesStatus']>[number]) => object,
  ): UpdateRunStatus => ({
    ...status,
    stagesStatus: status.stagesStatus!.map((one, which) =>
      which === place ? ({ ...one, ...change(one) } as typeof one) : one,
    ),
  });
  const start = (status: UpdateRunStatus, ...which: string[]) =>
    edit(status, 1, (one) => ({
      clusters: one.clusters.map((it) =>
        which.includes(it.clusterName) ? { ...it, conditions: [{ type: 'Started', status: 'True', reason: 'x' }] } : it,
      ),
    }));
  const approve = (status: UpdateRunStatus, place: number, list: 'afterStageTaskStatus' | 'beforeStageTaskStatus') =>
    edit(status, place, (one) => ({
      [list]: one[list]!.map((task) =>
        task.type === 'Approval'
          ? { ...task, conditions: [{ type: 'ApprovalRequestApproved', status: 'True', reason: 'x' }] }
          : task,
      ),
    }));
  const files = [
    answer({ name: 'web-1-after-canary', stage: 'canary' }),
    answer({ name: 'web-1-before-prod', stage: 'prod' }),
  ];

  it('what advanceRuns plans passes at every step', () => {
    const rollout = soaking();
    expect(judged(rollout, (it) => it)).toEqual([]);
    rollout.merge('web-1-after-canary').plan(3700);
    expect(judged(rollout, (it) => it)).toEqual([]);
    rollout.merge('web-1-before-prod').plan(3800);
    expect(judged(rollout, (it) => it)).toEqual([]);
  });
  it('a later stage does not start while an earlier one is not done', () => {
    const opened = (it: UpdateRunStatus) => approve(start(it, 'p-1'), 1, 'beforeStageTaskStatus');
    expect(judged(soaking(), opened, files)).toEqual(['stage-order']);
  });
  it('a fault in the order of stages that the record had before is no finding', () => {
    const rollout = soaking();
    const opened = approve(start(rollout.outcome.runs[0]!.status, 'p-1'), 1, 'beforeStageTaskStatus');
    const recorded = { ...runOf(), status: opened };
    expect(judged(rollout, () => opened, files, recorded)).toEqual([]);
    expect(judged(rollout, () => start(opened, 'p-1', 'p-2'), files, recorded)).not.toContain('stage-order');
  });
  it('a stage is not done before its clusters are', () => {
    expect(judged(soaking(), (it) => edit(it, 1, () => ({ conditions: [yes] })), files)).toContain('stage-order');
  });
  it('a stage with a gate does not start without its approval', () => {
    const rollout = soaking().merge('web-1-after-canary').plan(3700);
    expect(judged(rollout, (it) => start(it, 'p-1'))).toEqual(['gate-not-approved']);
    expect(judged(rollout, (it) => approve(start(it, 'p-1'), 1, 'beforeStageTaskStatus'))).toEqual([
      'gate-not-approved',
    ]);
    expect(judged(rollout, (it) => approve(start(it, 'p-1'), 1, 'beforeStageTaskStatus'), files)).toEqual([]);
  });
  it('a gate counted as passed has an approval of the same review on main', () => {
    const stale = [answer({ name: 'web-1-after-canary', stage: 'canary', review: 'sha256:other' })];
    expect(judged(soaking(), (it) => approve(it, 0, 'afterStageTaskStatus'), stale)).toEqual(['gate-not-approved']);
    expect(
      judged(soaking(), (it) => approve(it, 0, 'afterStageTaskStatus'), [
        answer({ name: 'web-1-after-canary', stage: 'canary', status: 'False' }),
      ]),
    ).toEqual(['gate-not-approved']);
  });
  it('an approval names its review and comes after its run, unless the fleet allows others', () => {
    const rollout = soaking();
    const [asked] = rollout.outcome.approvals;
    const review = asked!.planned.reviewDigest;
    const reviewed = [answer({ name: asked!.planned.name, stage: 'canary', review })];
    const strictly = (approvals: typeof reviewed, status: UpdateRunStatus | undefined) =>
      judged(
        rollout,
        (it) => approve(it, 0, 'afterStageTaskStatus'),
        approvals,
        status && { ...runOf(), status },
        false,
      );
    const initialized = { resourceSnapshotIndexUsed: '1' };
    expect(strictly(reviewed, initialized)).toEqual([]);
    expect(strictly(reviewed, undefined)).toEqual(['gate-not-approved']);
    expect(strictly(reviewed, {})).toEqual(['gate-not-approved']);
    expect(strictly(files, initialized)).toEqual(['gate-not-approved']);
    const early = { ...initialized, earlyApprovals: [{ name: asked!.planned.name, review }] };
    expect(strictly(reviewed, early)).toEqual(['gate-not-approved']);
    expect(
      strictly(reviewed, { ...initialized, earlyApprovals: [{ name: asked!.planned.name, review: 'sha256:other' }] }),
    ).toEqual([]);
  });
  it('a gate passed in an earlier plan needs its file no more', () => {
    const rollout = soaking().merge('web-1-after-canary').plan(20);
    expect(judged(rollout, (it) => it, [])).toEqual(['gate-not-approved']);
    expect(judged(rollout, (it) => it, [], rollout.outcome.recorded[0])).toEqual([]);
  });
  it('a soak is not cut short', () => {
    const rollout = soaking().merge('web-1-after-canary').plan(20);
    expect(judged(rollout, (it) => edit(it, 0, () => ({ conditions: [yes] })))).toEqual(['soak-cut-short']);
  });
  it('no more clusters at once than the stage allows', () => {
    const rollout = soaking().merge('web-1-after-canary').plan(3700);
    expect(judged(rollout, (it) => approve(start(it, 'p-1', 'p-2'), 1, 'beforeStageTaskStatus'), files)).toEqual([
      'stage-concurrency',
    ]);
  });
  it.each<[string, Partial<FleetRecord>, Partial<PlanInput>, readonly string[]]>([
    ['after the record was lost', { exists: false }, shown, ['started-after-loss']],
    ['while its record cannot be read', { unread }, {}, ['started-after-loss']],
    ['where there never was a record', { exists: false }, {}, []],
    ['where the record does not know it', {}, {}, []],
  ])('a run that starts %s', (_, record, more, found) => {
    const input = inputOf({ fleet: { placements: [placementOf()], runs: [runOf()] }, record, ...more });
    const stages = [{ stageName: 's', clusters: [{ clusterName: 'c-1', conditions: [started] }] }];
    const run = { kind: 'ClusterStagedUpdateRun' as const, name: 'web-1', status: { stagesStatus: stages } };
    const judged = (status: UpdateRunStatus) =>
      rules(input, planOf({ runs: [{ ...run, status }] })).filter((rule) => rule === 'started-after-loss');
    expect(judged(run.status)).toEqual(found);
    expect(judged({ stagesStatus: [{ stageName: 's', clusters: [{ clusterName: 'c-1' }] }] })).toEqual([]);
  });
});

describe('update runs that fail', () => {
  const failed: Condition = { type: 'Succeeded', status: 'False', reason: 'ClusterUpdatingFailed' };
  const succeeded: Condition = { type: 'Succeeded', status: 'True', reason: 'x' };
  const asks = (annotations: Record<string, string>) => runOf({ annotations });
  const clusters = (
    ...list: (readonly [name: string, conditions: readonly Condition[], previous?: number])[]
  ): StageStatus['clusters'] =>
    list.map(([clusterName, conditions, index]) => ({
      clusterName,
      conditions: [...conditions],
      ...(index === undefined ? {} : { previous: { resourceSnapshotIndex: index } }),
    }));
  const stages = (canary: StageStatus['clusters'], prod: StageStatus['clusters'] = []): StageStatus[] => [
    { stageName: 'canary', clusters: canary, conditions: [succeeded] },
    { stageName: 'prod', clusters: prod },
  ];
  const frozen = { stages: [stage('canary'), stage('prod', { maxConcurrency: 2 })] };
  const judged = (after: UpdateRunStatus, before: UpdateRunStatus | undefined, file: StagedUpdateRun, had = 0) => {
    const input = inputOf({
      fleet: { members: members('c-1', 'p-1', 'p-2'), placements: [placementOf()], runs: [file] },
      placements: [
        remembered(placementOf(), [on('c-1', had), on('p-1', 0), on('p-2', 0)], { 0: objects(1), 1: objects(1) }),
      ],
      record: { runs: before ? new Map([['web-1', { ...file, status: before }]]) : new Map() },
    });
    const status = { resourceSnapshotIndexUsed: '1', stagedUpdateStrategySnapshot: frozen, ...after };
    return rules(input, planOf({ runs: [{ kind: file.kind, name: 'web-1', status }] }));
  };
  const rollback = { 'gitfleet.dev/on-failure': 'rollback' };
  const begun = stages(
    clusters(['c-1', [started, succeeded], 0]),
    clusters(['p-1', [started, failed], 0], ['p-2', [started, failed], 0]),
  );
  const back = (...of: StageStatus[]): UpdateRunStatus => ({
    stagesStatus: begun,
    rollbackStatus: { reason: 'UpdateRunFailed', message: 'why', stagesStatus: of },
  });

  it.each<[string, Record<string, string>, readonly string[]]>([
    ['none may fail', {}, ['started-after-failure']],
    ['one may fail', { 'gitfleet.dev/max-failures': '1' }, []],
    ['a third may fail', { 'gitfleet.dev/max-failures': '34%' }, []],
    ['fewer may fail', { 'gitfleet.dev/max-failures': '33%' }, ['started-after-failure']],
  ])('start no further cluster after a failure where %s', (_, annotations, found) => {
    const before = stages(clusters(['c-1', [started, failed]]), clusters(['p-1', []], ['p-2', []]));
    const after = stages(clusters(['c-1', [started, failed]]), clusters(['p-1', [started]], ['p-2', []]));
    expect(judged({ stagesStatus: after }, { stagesStatus: before }, asks(annotations))).toEqual(found);
  });
  it('roll back only where their file asks for it', () => {
    const after = back({ stageName: 'prod', clusters: clusters(['p-2', [started]]) });
    expect(judged(after, { stagesStatus: begun }, asks(rollback))).toEqual([]);
    expect(judged(after, { stagesStatus: begun }, asks({}))).toEqual(['rollback-forbidden']);
  });
  it('roll stages back in reverse order, one after the other', () => {
    const canary = { stageName: 'canary', clusters: clusters(['c-1', [started]]) };
    const prod = { stageName: 'prod', clusters: clusters(['p-2', [started]]) };
    expect(judged(back(canary, prod), back(), asks(rollback))).toContain('rollback-forbidden');
    expect(judged(back(prod, canary), back(), asks(rollback))).toEqual(['rollback-forbidden']);
    const done = { ...prod, clusters: clusters(['p-2', [started, succeeded]]) };
    expect(judged(back(done, canary), back(), asks(rollback))).toEqual([]);
  });
  it('roll no more clusters back at once than the stage allows', () => {
    const many = clusters(['p-2', [started]], ['p-1', [started]]);
    expect(judged(back({ stageName: 'prod', clusters: many }), back(), asks(rollback))).toEqual([]);
    const canary = [clusters(['c-1', [started]], ['c-2', [started]])].flat();
    expect(judged(back({ stageName: 'canary', clusters: canary }), back(), asks(rollback))).toContain(
      'stage-concurrency',
    );
  });
  it('update no further cluster while they roll back', () => {
    const before = stages(
      clusters(['c-1', [started, succeeded], 0]),
      clusters(['p-1', [started, failed], 0], ['p-2', []]),
    );
    const after = { ...back(), stagesStatus: begun };
    const found = judged(
      after,
      { ...back(), stagesStatus: before },
      asks({ ...rollback, 'gitfleet.dev/max-failures': '3' }),
    );
    expect(found).toContain('started-after-failure');
  });
  it.each([
    ['had its snapshot', 1, {}, []],
    ['had another one', 0, {}, ['started-after-failure']],
    [
      'had its snapshot with other overrides',
      1,
      { clusterResourceOverrideSnapshots: ['size-1'] },
      ['started-after-failure'],
    ],
  ])('may find that a cluster %s in the plan in which they begin to roll back', (_, had, lists, found) => {
    const canary = (...conditions: readonly Condition[]) =>
      stages(
        clusters(['c-1', conditions, had]).map((of) => ({ ...of, ...lists })),
        [],
      );
    const after: UpdateRunStatus = {
      stagesStatus: canary(started, succeeded),
      rollbackStatus: {
        reason: 'UpdateRunFailed',
        message: 'why',
        stagesStatus: [{ stageName: 'canary', clusters: clusters(['c-1', []]) }],
      },
    };
    expect(judged(after, { stagesStatus: canary() }, asks(rollback), had)).toEqual(found);
  });
  it('record what their clusters had', () => {
    const before = stages(clusters(['c-1', [started, succeeded], 0]), clusters(['p-1', []]));
    const after = stages(clusters(['c-1', [started, succeeded], 0]), clusters(['p-1', [started], 7]));
    expect(judged({ stagesStatus: after }, { stagesStatus: before }, asks(rollback))).toEqual(['rollback-forbidden']);
  });
});
