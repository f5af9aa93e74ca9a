import { describe, expect, it } from 'vitest';
import type { Document } from '../../support/folders.ts';
import { app, at, member, moves } from '../rollout/world.ts';
import {
  canary,
  clusters,
  everywhere,
  external,
  held,
  initialized,
  problems,
  prod,
  progressing,
  run,
  runWords,
  saidOf,
  staged,
  statusOf,
  strategy,
} from './world.ts';

const failed = 'Initialized=False/UpdateRunInitializedFailed';

describe('a run that is initialized', () => {
  it('freezes snapshot, policy, strategy, stages and order, and nothing more', async () => {
    const story = staged([canary, `${prod}, sortingLabelKey: order, maxConcurrency: 50%`], {
      'run.yaml': run('web-1', ', state: Initialize', '', 'v1'),
    });
    const step = await story.plan();
    expect([step.code, step.plan.wakeAt, held(step)]).toEqual([0, undefined, []]);
    expect(moves(step)).toEqual(['eu-1', 'us-1', 'us-2', 'us-3'].map((name) => `${name} Scheduled - keep`));
    expect(step.plan.placements[0]).toMatchObject({ policySnapshotIndex: 0, resourceSnapshotIndex: 0 });
    expect(step.plan.runs).toEqual([
      {
        kind: 'ClusterStagedUpdateRun',
        name: 'web-1',
        status: {
          policySnapshotIndexUsed: '0',
          policyObservedClusterCount: 4,
          resourceSnapshotIndexUsed: '0',
          appliedStrategy: {
            type: 'ClientSideApply',
            comparisonOption: 'PartialComparison',
            whenToApply: 'Always',
            whenToTakeOver: 'Always',
            allowCoOwnership: false,
          },
          stagedUpdateStrategySnapshot: {
            stages: [
              { name: 'canary', labelSelector: { matchLabels: { env: 'canary' } }, maxConcurrency: 1 },
              {
                name: 'prod',
                labelSelector: { matchLabels: { env: 'prod' } },
                sortingLabelKey: 'order',
                maxConcurrency: '50%',
              },
            ],
          },
          stagesStatus: [
            { stageName: 'canary', clusters: [{ clusterName: 'eu-1' }] },
            // -1, 9, 10: by number, not by text.
            {
              stageName: 'prod',
              clusters: [{ clusterName: 'us-3' }, { clusterName: 'us-2' }, { clusterName: 'us-1' }],
            },
          ],
          deletionStageStatus: { stageName: 'kubernetes-fleet.io/deleteStage', clusters: [] },
          conditions: [
            {
              type: 'Initialized',
              status: 'True',
              reason: 'UpdateRunInitializedSuccessfully',
              message: expect.any(String),
              lastTransitionTime: at(0),
            },
          ],
        },
      },
    ]);
    expect(step.file('runs/web-1.yaml')).toMatchObject({ spec: { state: 'Initialize' }, status: statusOf(step) });
  });

  it('without a state runs at once: committing it is the intent', async () => {
    const step = await staged([canary, prod]).plan();
    expect([step.code, runWords(step)]).toEqual([1, progressing]);
    expect(moves(step)[0]).toBe('eu-1 Bound 0 add');
  });

  it('takes a snapshot of what the repo holds now, and none while no run needs one', async () => {
    const story = staged([canary, prod], {});
    const before = await story.plan();
    expect(before.plan.placements[0].resourceSnapshotIndex).toBeUndefined();
    story.files['run.yaml'] = run();
    expect(statusOf(await story.plan(10)).resourceSnapshotIndexUsed).toBe('0');
  });

  it.each([
    ['text labels in byte order', { a: 'v10', b: 'v9', c: 'V1' }, ['c', 'a', 'b'], 0],
    ['one text among integers makes all text', { a: '10', b: '9', c: 'x' }, ['a', 'b', 'c'], 0],
    ['integers by value, ties by name', { a: '10', b: '9', c: '09' }, ['b', 'c', 'a'], 0],
    [
      'those without the label last, by name, with a warning',
      { c: '2', b: undefined, a: undefined },
      ['c', 'a', 'b'],
      1,
    ],
  ])('sorts %s', async (_, labels: Record<string, string | undefined>, order, warnings) => {
    const story = staged([`${everywhere}, sortingLabelKey: rank`], { 'run.yaml': run('web-1', ', state: Initialize') });
    for (const path of Object.keys(story.files)) if (path.startsWith('clusters/')) delete story.files[path];
    for (const [name, rank] of Object.entries(labels))
      story.files[`clusters/${name}.yaml`] = member(name, rank === undefined ? {} : { rank });
    const step = await story.plan();
    expect(clusters(step, 'all')).toEqual(order);
    expect(problems(step)).toEqual(warnings ? ['warning strategy.yaml:7 spec.stages.0.sortingLabelKey'] : []);
    if (warnings) expect(saidOf(step, 'Initialized')).toContain('a, b without the sorting label rank');
  });

  it('requires as many clusters as the policy: PickN and PickFixed by their number', async () => {
    const pickN = staged([everywhere], { 'run.yaml': run('web-1', ', state: Initialize') });
    pickN.files['web.yaml'] = external('{placementType: PickN, numberOfClusters: 2}');
    expect(statusOf(await pickN.plan())).toMatchObject({ policyObservedClusterCount: 2 });
    const fixed = staged([everywhere], { 'run.yaml': run('web-1', ', state: Initialize') });
    fixed.files['web.yaml'] = external('{placementType: PickFixed, clusterNames: [us-3, eu-1]}');
    expect(statusOf(await fixed.plan())).toMatchObject({ policyObservedClusterCount: 2 });
  });
});

describe('an initialization that fails for good', () => {
  const cases: [
    string,
    { stages?: string[]; run?: string; change?: (files: Record<string, string>) => void },
    RegExp,
  ][] = [
    ['without its placement', { change: (files) => delete files['web.yaml'] }, /parent placement web not found/],
    [
      'when the placement rolls by itself',
      { change: (files) => (files['web.yaml'] = external(undefined, '{type: RollingUpdate}')) },
      /RollingUpdate/,
    ],
    [
      'a TimedWait of 0s',
      { stages: [`${everywhere}, afterStageTasks: [{type: TimedWait, waitTime: 0s}]`] },
      /careful.*all/,
    ],
    [
      'two after-stage tasks of one type',
      { stages: [`${everywhere}, afterStageTasks: [{type: Approval}, {type: Approval}]`] },
      /careful.*all/,
    ],
    ['a cluster in two stages', { stages: [canary, everywhere] }, /eu-1 appears in more than one stages/],
    ['clusters in no stage, sorted and counted', { stages: [canary] }, /3.*us-1, us-2, us-3/],
    ['a stage without a selector, which selects nothing', { stages: ['name: none', canary] }, /3.*us-1, us-2, us-3/],
    ['an index that is not a number', { run: run('web-1', ', resourceSnapshotIndex: "one"') }, /one/],
    ['a negative index', { run: run('web-1', ', resourceSnapshotIndex: "-1"') }, /-1/],
    ['an index beyond the next free one', { run: run('web-1', ', resourceSnapshotIndex: "1"') }, /1/],
  ];
  it.each(cases)('%s', async (_, { stages = [canary, prod], run: file = run(), change }, message) => {
    const story = staged(stages, { 'run.yaml': file });
    change?.(story.files);
    const step = await story.plan();
    expect(runWords(step)).toBe(failed);
    expect(saidOf(step, 'Initialized')).toMatch(message);
    expect(step.plan.guard).toEqual([]);
    // Mending the cause does not help: a new run does.
    story.files['web.yaml'] = external();
    story.files['strategy.yaml'] = strategy(canary, prod);
    expect(runWords(await story.plan(60))).toBe(failed);
    story.files['again.yaml'] = run('web-2');
    expect(runWords(await story.plan(120), 'web-2')).toBe(progressing);
  });

  it('keeps what was already found out', async () => {
    const status = statusOf(await staged([canary]).plan());
    expect(status).toMatchObject({ policySnapshotIndexUsed: '0', policyObservedClusterCount: 4 });
    expect(status.stagedUpdateStrategySnapshot.stages).toHaveLength(1);
    expect(status).not.toHaveProperty('resourceSnapshotIndexUsed');
  });
});

describe('an initialization that waits', () => {
  it.each([
    [
      'until the placement is fully scheduled',
      'NotFullyScheduled',
      external('{placementType: PickN, numberOfClusters: 5}'),
      external('{placementType: PickN, numberOfClusters: 4}'),
    ],
    [
      'until a cluster is selected',
      'NoBindingYet',
      external(
        '{placementType: PickAll, affinity: {clusterAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {clusterSelectorTerms: [{labelSelector: {matchLabels: {env: dev}}}]}}}}',
      ),
      external('{placementType: PickAll}'),
    ],
  ])('%s', async (_, reason, before, after) => {
    const story = staged([canary, prod]);
    story.files['web.yaml'] = before;
    const step = await story.plan();
    expect([step.code, runWords(step), held(step)]).toEqual([0, '', [`${reason} web-1`]]);
    expect(step.plan.runs[0].status).toEqual({});
    story.files['web.yaml'] = after;
    expect(runWords(await story.plan(10))).toBe(progressing);
  });

  it('until its strategy is there', async () => {
    const story = staged([canary, prod]);
    delete story.files['strategy.yaml'];
    expect(held(await story.plan())).toEqual(['StrategyNotFound web-1']);
    story.files['strategy.yaml'] = strategy(canary, prod);
    expect(runWords(await story.plan(10))).toBe(progressing);
  });
});

describe('the snapshot of a run', () => {
  it('0 is the next free index of a fresh placement: change and run can be one commit', async () => {
    const step = await staged([everywhere], { 'run.yaml': run('web-1', ', resourceSnapshotIndex: "0"') }).plan();
    expect([runWords(step), statusOf(step).resourceSnapshotIndexUsed]).toEqual([progressing, '0']);
  });

  it('is the latest one when the contents are the same, a new one when they are not', async () => {
    const story = staged([everywhere]);
    await story.plan();
    story.files['same.yaml'] = run('web-2', ', state: Initialize');
    expect(statusOf(await story.plan(10), 'web-2').resourceSnapshotIndexUsed).toBe('0');
    story.files['resources/web.yaml'] = app('web:2');
    story.files['new.yaml'] = run('web-3', ', state: Initialize');
    const step = await story.plan(20);
    expect(statusOf(step, 'web-3').resourceSnapshotIndexUsed).toBe('1');
    expect(step.plan.placements[0].resourceSnapshotIndex).toBe(1);
    expect(Object.keys(step.plan.record).filter((path) => path.includes('/snapshots/'))).toEqual([
      'placements/web/snapshots/0.yaml',
      'placements/web/snapshots/1.yaml',
    ]);
  });

  it('freezes the override snapshots that match each cluster', async () => {
    const override = (image: string) => `
apiVersion: placement.kubernetes-fleet.io/v1
kind: ResourceOverride
metadata: {name: tune, namespace: web}
spec:
  placement: {name: web, scope: Cluster}
  resourceSelectors: [{group: apps, version: v1, kind: Deployment, name: web}]
  policy:
    overrideRules:
      - clusterSelector: {clusterSelectorTerms: [{labelSelector: {matchLabels: {env: prod}}}]}
        jsonPatchOverrides: [{op: replace, path: /spec/template/spec/containers/0/image, value: ${image}}]
`;
    const story = staged([canary, prod]);
    story.files['override.yaml'] = override('mirror/web:1');
    const lists = (step: Awaited<ReturnType<typeof story.plan>>) =>
      statusOf(step).stagesStatus.flatMap((stage: Document) =>
        stage.clusters.map((cluster: Document) => [cluster.clusterName, cluster.resourceOverrideSnapshots]),
      );
    const frozen = [
      ['eu-1', undefined],
      ['us-1', [{ name: 'tune-0', namespace: 'web' }]],
      ['us-2', [{ name: 'tune-0', namespace: 'web' }]],
      ['us-3', [{ name: 'tune-0', namespace: 'web' }]],
    ];
    expect(lists(await story.plan())).toEqual(frozen);
    story.files['override.yaml'] = override('mirror/web:2');
    expect(lists(await story.plan(10))).toEqual(frozen);
  });
});

describe('what KubeFleet’s schema refuses is an error and the run is held', () => {
  it.each([
    [
      'a numeric snapshot index',
      { 'run.yaml': run('web-1', ', resourceSnapshotIndex: 0') },
      'error run.yaml:5 spec.resourceSnapshotIndex',
    ],
    ['an unknown state', { 'run.yaml': run('web-1', ', state: Running') }, 'error run.yaml:5 spec.state'],
    [
      'a stage name in capitals',
      { 'strategy.yaml': strategy('name: Canary, labelSelector: {}') },
      'error strategy.yaml:7 spec.stages.0.name',
    ],
    [
      'a maxConcurrency of 0',
      { 'strategy.yaml': strategy(`${everywhere}, maxConcurrency: 0`) },
      'error strategy.yaml:7 spec.stages.0.maxConcurrency',
    ],
    [
      'a maxConcurrency of 0%',
      { 'strategy.yaml': strategy(`${everywhere}, maxConcurrency: 0%`) },
      'error strategy.yaml:7 spec.stages.0.maxConcurrency',
    ],
    [
      'a waitTime in days',
      { 'strategy.yaml': strategy(`${everywhere}, afterStageTasks: [{type: TimedWait, waitTime: 1d}]`) },
      'error strategy.yaml:7 spec.stages.0.afterStageTasks.0.waitTime',
    ],
    [
      'three after-stage tasks',
      {
        'strategy.yaml': strategy(
          `${everywhere}, afterStageTasks: [{type: Approval}, {type: TimedWait, waitTime: 1m}, {type: Approval}]`,
        ),
      },
      'error strategy.yaml:7 spec.stages.0.afterStageTasks',
    ],
    [
      'a TimedWait before a stage',
      { 'strategy.yaml': strategy(`${everywhere}, beforeStageTasks: [{type: TimedWait, waitTime: 1m}]`) },
      'error strategy.yaml:7 spec.stages.0.beforeStageTasks.0.type',
    ],
    [
      'a TimedWait without waitTime',
      { 'strategy.yaml': strategy(`${everywhere}, afterStageTasks: [{type: TimedWait}]`) },
      'error strategy.yaml:7 spec.stages.0.afterStageTasks.0.waitTime',
    ],
    [
      'an Approval with waitTime',
      { 'strategy.yaml': strategy(`${everywhere}, afterStageTasks: [{type: Approval, waitTime: 1m}]`) },
      'error strategy.yaml:7 spec.stages.0.afterStageTasks.0.waitTime',
    ],
  ])('%s', async (_, change, expected) => {
    const story = staged([everywhere]);
    Object.assign(story.files, change);
    const step = await story.plan();
    expect([step.code, problems(step)[0]]).toEqual([2, expected]);
    expect(runWords(step)).not.toContain(initialized);
    expect(step.plan.targets).toEqual([]);
  });
});
