import { describe, expect, it } from 'vitest';
import type { Document } from '../../support/folders.ts';
import { app, at, bindingOn, moves, namespace, type Observed, placementEntry } from '../rollout/world.ts';
import {
  canary,
  clusters,
  delivered,
  everywhere,
  external,
  failed,
  held,
  prod,
  progressing,
  run,
  runs,
  runWords,
  saidOf,
  staged,
  stageOf,
  stageStarted,
  stageSucceeded,
  stageWords,
  statusOf,
  strategy,
  succeeded,
} from './world.ts';

describe('a run through two stages', () => {
  it('goes stage by stage and cluster by cluster, each when the one before is available', async () => {
    const story = staged([canary, `${prod}, sortingLabelKey: order`]);
    const first = await story.plan();
    expect(moves(first)).toEqual([
      'eu-1 Bound 0 add',
      'us-1 Scheduled - wait',
      'us-2 Scheduled - wait',
      'us-3 Scheduled - wait',
    ]);
    expect(bindingOn(first, 'us-1').conditions).toMatchObject([
      { type: 'RolloutStarted', status: 'False', reason: 'RolloutNotStartedYet', lastTransitionTime: at(0) },
    ]);
    expect(first.plan.targets).toMatchObject([
      {
        clusterName: 'eu-1',
        placement: { kind: 'ClusterResourcePlacement', name: 'web' },
        resourceSnapshotIndex: 0,
        remove: false,
      },
    ]);
    expect([clusters(first, 'canary'), stageWords(first, 'canary')]).toEqual([['eu-1 Started'], stageStarted]);
    expect(stageOf(first, 'canary')).toMatchObject({ startTime: at(0) });
    expect(stageOf(first, 'prod')).toEqual({
      stageName: 'prod',
      clusters: [{ clusterName: 'us-3' }, { clusterName: 'us-2' }, { clusterName: 'us-1' }],
    });
    expect(held(first)).toEqual(['StageOrder web-1/prod']);
    // Stuck after five minutes is the next thing that time alone changes.
    expect(first.plan.wakeAt).toBe(at(300));

    story.seen = { 'eu-1': runs(0, 1) };
    expect([(await story.plan(10)).code, story.seconds]).toEqual([0, 10]);

    story.seen = { 'eu-1': runs(0) };
    const second = await story.plan(20);
    expect(stageOf(second, 'canary')).toMatchObject({ startTime: at(0), endTime: at(20) });
    expect(stageWords(second, 'canary')).toBe(stageSucceeded);
    expect(clusters(second, 'prod')).toEqual(['us-3 Started', 'us-2', 'us-1']);
    expect([second.code, runWords(second)]).toEqual([1, progressing]);

    let step = second;
    for (const [seconds, next] of [
      [30, ['us-3 Started Succeeded', 'us-2 Started', 'us-1']],
      [40, ['us-3 Started Succeeded', 'us-2 Started Succeeded', 'us-1 Started']],
      [50, ['us-3 Started Succeeded', 'us-2 Started Succeeded', 'us-1 Started Succeeded']],
    ] as const) {
      story.seen = delivered(step);
      step = await story.plan(seconds);
      expect(clusters(step, 'prod')).toEqual(next);
    }
    expect([step.code, runWords(step), held(step), step.plan.wakeAt]).toEqual([0, succeeded, [], undefined]);
    expect(statusOf(step).deletionStageStatus).toMatchObject({ startTime: at(50), endTime: at(50), clusters: [] });
    expect(stageWords(step, 'kubernetes-fleet.io/deleteStage')).toBe(stageSucceeded);
    expect(step.plan.placements[0].conditions.map(({ type, status }: Document) => `${type}=${status}`)).toEqual([
      'ClusterResourcePlacementScheduled=True',
      'ClusterResourcePlacementRolloutStarted=True',
      'ClusterResourcePlacementOverridden=True',
      'ClusterResourcePlacementWorkSynchronized=True',
      'ClusterResourcePlacementApplied=True',
      'ClusterResourcePlacementAvailable=True',
    ]);
  });

  it('skips a stage without clusters, its gates too', async () => {
    const story = staged([
      'name: dev, labelSelector: {matchLabels: {env: dev}}, beforeStageTasks: [{type: Approval}], afterStageTasks: [{type: Approval}]',
      everywhere,
    ]);
    const step = await story.plan();
    expect(stageWords(step, 'dev')).toBe(
      'Progressing=False/StageUpdatingSkippedNoClusters Succeeded=True/StageUpdatingSkippedNoClusters',
    );
    expect([runWords(step), step.plan.approvals]).toEqual([progressing, []]);
  });

  it('passes clusters that have it already at once', async () => {
    const story = staged([everywhere]);
    story.files['strategy.yaml'] = strategy(`${everywhere}, maxConcurrency: 100%`);
    story.seen = delivered(await story.plan());
    await story.plan(10);
    story.files['again.yaml'] = run('web-2', ', resourceSnapshotIndex: "0"');
    const step = await story.plan(20);
    expect([runWords(step, 'web-2'), step.code]).toEqual([succeeded, 0]);
    expect(stageOf(step, 'all', 'web-2')).toMatchObject({ startTime: at(20), endTime: at(20) });
  });

  it('that only changes how to apply waits for each cluster to be looked at that way', async () => {
    const story = staged([everywhere]);
    story.files['strategy.yaml'] = strategy(`${everywhere}, maxConcurrency: 100%`);
    const first = await story.plan();
    // Members name the digest of what they hold: it says nothing about how it was applied.
    story.seen = Object.fromEntries(
      first.plan.targets.map(({ clusterName, digest }: Document) => [
        clusterName,
        { ...runs(0), placements: [placementEntry(0, { digest, at: at(5) })] },
      ]),
    );
    await story.plan(10);
    story.files['web.yaml'] = external(undefined, '{type: External, applyStrategy: {type: ReportDiff}}');
    story.files['again.yaml'] = run('web-2', ', resourceSnapshotIndex: "0"');
    const step = await story.plan(20);
    expect(clusters(step, 'all', 'web-2')).toEqual(['eu-1 Started', 'us-1 Started', 'us-2 Started', 'us-3 Started']);
    expect(runWords(await story.plan(30), 'web-2')).toBe(succeeded);
  });
});

describe('maxConcurrency', () => {
  it.each([
    ['absent is one', '', 1],
    ['a number', ', maxConcurrency: 2', 2],
    ['a number beyond the clusters', ', maxConcurrency: 9', 4],
    ['50% of 4', ', maxConcurrency: 50%', 2],
    ['74% of 4 rounded down', ', maxConcurrency: 74%', 2],
    ['1% of 4 is one at least', ', maxConcurrency: 1%', 1],
    ['100%', ', maxConcurrency: 100%', 4],
  ])('%s', async (_, concurrency, started) => {
    const step = await staged([`${everywhere}${concurrency}`]).plan();
    expect(clusters(step, 'all')).toEqual(
      ['eu-1', 'us-1', 'us-2', 'us-3'].map((name, place) => (place < started ? `${name} Started` : name)),
    );
    expect(held(step)).toEqual(started < 4 ? ['RolloutBudget web-1/all'] : []);
  });

  it('starts the next as soon as any of those in flight is available', async () => {
    const story = staged([`${everywhere}, maxConcurrency: 2`]);
    await story.plan();
    story.seen = { 'eu-1': runs(0, 0), 'us-1': runs(0) };
    expect(clusters(await story.plan(10), 'all')).toEqual([
      'eu-1 Started',
      'us-1 Started Succeeded',
      'us-2 Started',
      'us-3',
    ]);
  });
});

describe('a cluster in flight', () => {
  const apply = (result: string): Observed => ({
    placements: [
      placementEntry(0, {
        results: [{ object: { apiVersion: 'v1', kind: 'Namespace', name: 'web' }, result, message: 'no' }],
      }),
    ],
    objects: [],
  });

  it('that fails to apply never ends the run: the run is stuck after five minutes and continues when the cluster recovers', async () => {
    const story = staged([everywhere]);
    await story.plan();
    story.seen = { 'eu-1': apply('FailedToApply') };
    const failing = await story.plan(10);
    expect([runWords(failing), failing.plan.wakeAt]).toEqual([progressing, at(300)]);
    const stuck = await story.plan(301);
    expect(runWords(stuck)).toBe('Initialized=True/UpdateRunInitializedSuccessfully Progressing=False/UpdateRunStuck');
    expect([saidOf(stuck, 'Progressing'), stuck.code]).toEqual([expect.stringContaining('eu-1'), 0]);
    expect(stageWords(stuck, 'all')).toBe(stageStarted);
    story.seen = { 'eu-1': runs(0) };
    expect([runWords(await story.plan(400)), story.seconds]).toEqual([progressing, 400]);
  });

  it('names three stuck clusters at most', async () => {
    const story = staged([`${everywhere}, maxConcurrency: 100%`]);
    await story.plan();
    const message = saidOf(await story.plan(600), 'Progressing');
    expect(message).toContain('eu-1, us-1, us-2');
    expect(message).toContain('...');
    expect(message).not.toContain('us-3');
  });

  it('that does not respond keeps its recorded status and is waited for', async () => {
    const story = staged([everywhere]);
    await story.plan();
    story.seen = { 'eu-1': { reachable: false } };
    const step = await story.plan(10);
    expect(clusters(step, 'all')).toEqual(['eu-1 Started', 'us-1', 'us-2', 'us-3']);
    expect(step.plan.targets.map(({ clusterName, remove }: Document) => [clusterName, remove])).toEqual([
      ['eu-1', false],
    ]);
  });

  it('whose resources cannot be tracked counts as available after unavailablePeriodSeconds', async () => {
    const story = staged([everywhere]);
    story.files['resources/web.yaml'] = app(
      'web:1',
      '---\napiVersion: batch.example.com/v1\nkind: Report\nmetadata: {name: r, namespace: web}\n---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: reports.batch.example.com}\nspec: {group: batch.example.com, scope: Namespaced, names: {kind: Report, plural: reports}, versions: [{name: v1, served: true, storage: true}]}',
    );
    await story.plan();
    const report = {
      apiVersion: 'batch.example.com/v1',
      kind: 'Report',
      metadata: { name: 'r', namespace: 'web', labels: { 'gitfleet.dev/placement': 'web' } },
    };
    story.seen = { 'eu-1': { ...runs(0), objects: [...(runs(0).objects ?? []), report] } };
    const applied = await story.plan(10);
    expect(held(applied)).toContain(`UnavailablePeriod web-1/all/eu-1 until ${at(70)}`);
    expect([applied.plan.wakeAt, clusters(applied, 'all')[0]]).toEqual([at(70), 'eu-1 Started']);
    expect(clusters(await story.plan(71), 'all').slice(0, 2)).toEqual(['eu-1 Started Succeeded', 'us-1 Started']);
  });

  it('under ReportDiff is done when the differences are reported', async () => {
    const story = staged([everywhere]);
    story.files['web.yaml'] = external(undefined, '{type: External, applyStrategy: {type: ReportDiff}}');
    await story.plan();
    story.seen = {
      'eu-1': {
        placements: [
          placementEntry(0, {
            results: [{ object: { apiVersion: 'v1', kind: 'Namespace', name: 'web' }, result: 'FoundDiff' }],
          }),
        ],
        objects: [namespace],
      },
    };
    expect(clusters(await story.plan(10), 'all').slice(0, 2)).toEqual(['eu-1 Started Succeeded', 'us-1 Started']);
  });

  it('whose binding was given something else is preempted, which ends the run', async () => {
    const story = staged([everywhere]);
    await story.plan();
    const state = 'placements/web/state.yaml';
    story.record = {
      ...story.record,
      [state]: story.record[state]!.replace(
        'resourceSnapshotIndex: 0',
        'resourceSnapshotIndex: 0, clusterResourceOverrideSnapshots: [other-3]',
      ),
    };
    const step = await story.plan(10);
    expect([runWords(step), saidOf(step, 'Succeeded')]).toEqual([failed, expect.stringContaining('preempted')]);
    expect(clusters(step, 'all')[0]).toBe('eu-1 Started Succeeded=False/ClusterUpdatingFailed');
    expect(stageWords(step, 'all')).toBe('Progressing=False/StageUpdatingFailed Succeeded=False/StageUpdatingFailed');
  });
});

describe('what ends a run under way', () => {
  it.each([
    [
      'an edited policy',
      (files: Record<string, string>) =>
        (files['web.yaml'] = external('{placementType: PickAll, tolerations: [{key: gpu, operator: Exists}]}')),
    ],
    [
      'an edited applyStrategy',
      (files: Record<string, string>) =>
        (files['web.yaml'] = external(undefined, '{type: External, applyStrategy: {type: ServerSideApply}}')),
    ],
    [
      'a placement that is gone',
      (files: Record<string, string>) =>
        (files['web.yaml'] = external().replace('name: web}\nspec', 'name: other}\nspec')),
    ],
  ])('%s', async (_, change) => {
    const story = staged([canary, prod]);
    story.seen = delivered(await story.plan());
    change(story.files);
    expect(runWords(await story.plan(10))).toBe(failed);
    // It stays ended, and the clusters keep what they have.
    expect(runWords(await story.plan(20))).toBe(failed);
  });

  it.each([
    ['an edited strategy', (files: Record<string, string>) => (files['strategy.yaml'] = strategy(everywhere))],
    ['a strategy that is gone', (files: Record<string, string>) => delete files['strategy.yaml']],
    ['new contents in the repo', (files: Record<string, string>) => (files['resources/web.yaml'] = app('web:2'))],
    [
      'another number of clusters',
      (files: Record<string, string>) => (files['web.yaml'] = external('{placementType: PickN, numberOfClusters: 3}')),
    ],
  ])('not %s', async (_, change) => {
    const story = staged([canary, prod]);
    story.files['web.yaml'] = external('{placementType: PickN, numberOfClusters: 4}');
    story.seen = delivered(await story.plan());
    change(story.files);
    const step = await story.plan(10);
    expect(runWords(step)).toBe(progressing);
    expect(statusOf(step)).toMatchObject({ resourceSnapshotIndexUsed: '0', policyObservedClusterCount: 4 });
  });
});
