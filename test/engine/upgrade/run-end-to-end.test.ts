import { describe, expect, it } from 'vitest';
import { at, inGroup, run, strategy, UpgradeFleet } from './upgrade-fleet.ts';

describe('a run with one stage', () => {
  it('starts one member at a time and completes', async () => {
    const fleet = new UpgradeFleet(run({})).with(['a', 'b']);
    const first = await fleet.plan();
    expect(fleet.states()).toEqual(['Running', 'default Running: default Running [a Running, b NotStarted]']);
    expect(first.targets).toEqual([
      {
        clusterName: 'a',
        upgrade: {
          run: 'k8s',
          operationId: 'k8s.a.20261120T100000Z',
          type: 'Full',
          controlPlane: 'v1.31.5',
          pools: [{ name: 'np1', kubernetes: 'v1.31.5' }],
        },
      },
    ]);
    fleet.succeed().later(60);
    await fleet.plan();
    expect(fleet.states()).toEqual(['Running', 'default Running: default Running [a Completed, b Running]']);
    fleet.succeed().later(60);
    const last = await fleet.plan();
    expect(fleet.states()).toEqual(['Completed', 'default Completed: default Completed [a Completed, b Completed]']);
    expect(last.targets).toEqual([]);
  });

  it('records what it did, and stays as it is once it is over', async () => {
    const fleet = new UpgradeFleet(run({})).with(['a']);
    await fleet.plan();
    fleet.succeed().later(60);
    await fleet.plan();
    expect(fleet.run().stages[0]!.groups[0]!.members).toEqual([
      {
        name: 'a',
        status: { state: 'Completed', startTime: '2026-11-20T10:00:00Z', completedTime: '2026-11-20T10:01:00Z' },
        operationId: 'k8s.a.20261120T100000Z',
        type: 'Full',
        from: { controlPlane: 'v1.30.9', pools: [{ name: 'np1', kubernetes: 'v1.30.9' }] },
        to: { controlPlane: 'v1.31.5', pools: [{ name: 'np1', kubernetes: 'v1.31.5' }] },
      },
    ]);
    const before = fleet.record.get('upgrades/k8s.yaml');
    fleet.members.get('a')!.versions = at('v1.30.9');
    fleet.later(3600);
    await fleet.plan();
    expect(fleet.record.get('upgrades/k8s.yaml')).toBe(before);
  });
});

it('two stages of groups: the second waits for the first, groups run in parallel', async () => {
  const fleet = new UpgradeFleet({
    ...strategy([
      { name: 'test', groups: [{ name: 'canary' }, { name: 'test', maxConcurrency: '50%' }] },
      { name: 'prod', groups: [{ name: 'europe' }, { name: 'apac' }] },
    ]),
    ...run({ updateStrategyId: 'test-then-prod' }),
  })
    .with(['c1'], inGroup('canary'))
    .with(['t1', 't2', 't3', 't4'], inGroup('test'))
    .with(['e1'], inGroup('europe'))
    .with(['p1'], inGroup('apac'));
  await fleet.plan();
  expect(fleet.states()).toEqual([
    'Running',
    'test Running: canary Running [c1 Running] test Running [t1 Running, t2 Running, t3 NotStarted, t4 NotStarted]',
    'prod NotStarted: europe NotStarted [e1 NotStarted] apac NotStarted [p1 NotStarted]',
  ]);
  fleet.succeed().later(60);
  await fleet.plan();
  fleet.succeed().later(60);
  await fleet.plan();
  expect(fleet.states()).toEqual([
    'Running',
    'test Completed: canary Completed [c1 Completed] test Completed [t1 Completed, t2 Completed, t3 Completed, t4 Completed]',
    'prod Running: europe Running [e1 Running] apac Running [p1 Running]',
  ]);
});
