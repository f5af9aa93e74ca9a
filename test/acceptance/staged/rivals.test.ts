import { describe, expect, it } from 'vitest';
import type { Document } from '../../support/folders.ts';
import { app, moves, type Step, type Story } from '../rollout/world.ts';
import {
  canary,
  clusters,
  delivered,
  everywhere,
  external,
  held,
  prod,
  progressing,
  run,
  runs,
  runWords,
  staged,
  stageWords,
  statusOf,
  succeeded,
} from './world.ts';

const all = [`${everywhere}, maxConcurrency: 100%`];
const deleteStage = 'kubernetes-fleet.io/deleteStage';
const everyone = (index: number) =>
  Object.fromEntries(['eu-1', 'us-1', 'us-2', 'us-3'].map((name) => [name, runs(index)]));
/** A first run that brought snapshot 0 everywhere. */
const finished = async () => {
  const story = staged(all);
  await story.plan();
  story.seen = everyone(0);
  expect(runWords(await story.plan(10))).toBe(succeeded);
  return story;
};

describe('two runs of one placement', () => {
  it('the one that started first continues, the other is held until it is over', async () => {
    const story = staged([canary, prod], { 'b.yaml': run('web-b') });
    await story.plan();
    story.files['a.yaml'] = run('web-a');
    const step = await story.plan(10);
    expect(runWords(step, 'web-b')).toBe(progressing);
    expect(held(step).filter((line) => line.startsWith('OtherRunActive'))).toEqual(['OtherRunActive web-a']);
    story.files['b.yaml'] = run('web-b', ', state: Stop');
    story.seen = delivered(step);
    const stopped = await story.plan(20);
    expect(runWords(stopped, 'web-b')).toMatch(/Progressing=False\/UpdateRunStopped$/);
    expect(runWords(stopped, 'web-a')).toBe(progressing);
  });

  it('by name when neither has started', async () => {
    const story = staged([canary, prod], { 'b.yaml': run('web-b'), 'a.yaml': run('web-a') });
    const step = await story.plan();
    expect(runWords(step, 'web-a')).toBe(progressing);
    expect(held(step).filter((line) => line.startsWith('OtherRunActive'))).toEqual(['OtherRunActive web-b']);
  });
});

describe('a rollback', () => {
  it('is a run with an older index: it passes the same stages', async () => {
    const story = await finished();
    story.files['resources/web.yaml'] = app('web:2');
    story.files['run2.yaml'] = run('web-2');
    expect(statusOf(await story.plan(20), 'web-2').resourceSnapshotIndexUsed).toBe('1');
    story.seen = everyone(1);
    expect(runWords(await story.plan(30), 'web-2')).toBe(succeeded);
    story.files['run3.yaml'] = run('web-3', ', resourceSnapshotIndex: "0"');
    const back = await story.plan(40);
    expect(moves(back)).toEqual(['eu-1', 'us-1', 'us-2', 'us-3'].map((name) => `${name} Bound 0 update`));
    expect(back.plan.placements[0].resourceSnapshotIndex).toBe(1);
  });

  const indexes = (step: Step): number[] =>
    step.file('placements/web/state.yaml').resourceSnapshots.map(({ index }: Document) => index);
  /** Runs web-0, web-1 … one after the other, each with an image of its own, under a history of two. */
  const afterRuns = async (count: number, more: Readonly<Record<string, string>> = {}): Promise<Story> => {
    const story = staged(all, { 'web.yaml': `${external()}  revisionHistoryLimit: 2\n`, ...more });
    for (let at = 0; at < count; at++) {
      story.files['resources/web.yaml'] = app(`web:${at}`);
      story.files[`run-${at}.yaml`] = run(`web-${at}`);
      await story.plan(20 * at);
      story.seen = everyone(at);
      expect(runWords(await story.plan(20 * at + 10), `web-${at}`)).toBe(succeeded);
    }
    return story;
  };

  it('goes back as far as the history does: runs that are over keep nothing in it', async () => {
    const story = await afterRuns(4);
    story.files['back.yaml'] = run('back', ', resourceSnapshotIndex: "1"');
    const step = await story.plan(100);
    expect([indexes(step), runWords(step, 'back')]).toEqual([[2, 3], 'Initialized=False/UpdateRunInitializedFailed']);
    story.files['back.yaml'] = run('again', ', resourceSnapshotIndex: "2"');
    expect(moves(await story.plan(110))[0]).toBe('eu-1 Bound 2 update');
  });

  it('that has not started keeps its snapshot for a rollback', async () => {
    const story = await afterRuns(2);
    story.files['back.yaml'] = run('back', ', resourceSnapshotIndex: "0", state: Initialize');
    story.files['late.yaml'] = run('late', ', resourceSnapshotIndex: "0"').replace('careful', 'later');
    story.files['resources/web.yaml'] = app('web:9');
    story.files['next.yaml'] = run('next');
    expect(indexes(await story.plan(60))).toEqual([0, 1, 2]);
    delete story.files['back.yaml'];
    story.seen = everyone(2);
    await story.plan(70);
    story.files['resources/web.yaml'] = app('web:10');
    story.files['run-10.yaml'] = run('web-10');
    expect(indexes(await story.plan(80))).toEqual([0, 2, 3]);
  });

  it('without a run nothing moves, whatever the repo holds', async () => {
    const story = await finished();
    story.files['resources/web.yaml'] = app('web:2');
    const step = await story.plan(20);
    expect(moves(step)).toEqual(['eu-1', 'us-1', 'us-2', 'us-3'].map((name) => `${name} Bound 0 keep`));
    expect(step.code).toBe(0);
  });
});

describe('the delete stage', () => {
  const leaving = async (state = '') => {
    const story = await finished();
    story.files['web.yaml'] = external(
      '{placementType: PickAll, affinity: {clusterAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {clusterSelectorTerms: [{labelSelector: {matchLabels: {env: canary}}}]}}}}',
    );
    const kept = await story.plan(20);
    expect(moves(kept).slice(1)).toEqual(['us-1', 'us-2', 'us-3'].map((name) => `${name} Unscheduled 0 keep`));
    story.files['run2.yaml'] = run('web-2', state);
    return story;
  };

  it('removes what is no longer selected, all at once, after the last stage', async () => {
    const story = await leaving();
    const step = await story.plan(30);
    expect(stageWords(step, 'all', 'web-2')).toMatch(/Succeeded=True\/StageUpdatingSucceeded/);
    expect(clusters(step, deleteStage, 'web-2')).toEqual(['us-1 Started', 'us-2 Started', 'us-3 Started']);
    expect(step.plan.targets.map(({ clusterName, remove }: Document) => [clusterName, remove])).toEqual([
      ['eu-1', false],
      ['us-1', true],
      ['us-2', true],
      ['us-3', true],
    ]);
    story.seen = { 'eu-1': runs(0) };
    await story.plan(40);
    const done = await story.plan(50);
    expect(runWords(done, 'web-2')).toBe(succeeded);
    expect(clusters(done, deleteStage, 'web-2')).toEqual(
      ['us-1', 'us-2', 'us-3'].map((name) => `${name} Started Succeeded`),
    );
    expect(moves(done)).toEqual(['eu-1 Bound 0 keep']);
  });

  it('is never started by a run that stops', async () => {
    const story = await leaving(', state: Stop');
    const step = await story.plan(30);
    expect(runWords(step, 'web-2')).toMatch(/Progressing=False\/UpdateRunStopped$/);
    expect(step.plan.targets.some(({ remove }: Document) => remove)).toBe(false);
  });
});
