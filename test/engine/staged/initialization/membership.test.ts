import { describe, expect, it } from 'vitest';
import { bound, cluster, runOf, scheduled, stage, words } from '../world.ts';
import { plan } from './setting.ts';

describe('membership', () => {
  it('an Unscheduled binding of any policy is in the delete stage; bindings being removed are ignored', () => {
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

  it('a run that only removes clusters is valid', () => {
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
  it('is ordered as text when one label is not an integer', () => {
    expect(order({ a: { order: '10' }, b: { order: '9' }, c: { order: 'x' } }).names).toEqual(['a', 'b', 'c']);
  });
  it('integers beyond 2^53 are compared exactly', () => {
    expect(order({ a: { order: '9007199254740993' }, b: { order: '9007199254740992' } }).names).toEqual(['b', 'a']);
  });
  it('clusters without the label come last, by name, with a warning', () => {
    const { names, rollout } = order({ d: {}, a: {}, b: { order: '2' }, c: { order: '1' } });
    expect(names).toEqual(['c', 'b', 'a', 'd']);
    expect(rollout.outcome.problems).toEqual([sortingWarning('a, d')]);
    expect(rollout.status.stagesStatus![0]!.withoutSortingLabel).toEqual(['a', 'd']);
    expect(rollout.status.conditions![0]!.message).toContain('a, d without the sorting label order');
  });
  const sortingWarning = (names: string) => ({
    severity: 'warning',
    code: 'sorting-label',
    path: 'spec.stages.0.sortingLabelKey',
    message: `ClusterStagedUpdateRun web-1: stage all: ${names} without the sorting label order come last, by name`,
  });

  it('the warning is reported until the run is over, and not after that', () => {
    const { rollout } = order({ a: {}, b: { order: '1' } });
    rollout.change({ runs: [runOf({ state: 'Run' })] });
    const problems: (readonly [string, number])[] = [];
    for (let second = 1; second <= 4; second++) {
      rollout.plan(second).ready('a', 'b');
      const { conditions } = rollout.status;
      problems.push([words(conditions).at(-1)!, rollout.outcome.problems.length]);
    }
    expect(problems).toEqual([
      ['Progressing=True/UpdateRunProgressing', 1],
      ['Progressing=True/UpdateRunProgressing', 1],
      ['Succeeded=True/UpdateRunSucceeded', 0],
      ['Succeeded=True/UpdateRunSucceeded', 0],
    ]);
  });
});
