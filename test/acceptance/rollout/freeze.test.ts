import { describe, expect, it } from 'vitest';
import type { Document } from '../../support/folders.ts';
import {
  all,
  app,
  at,
  deployment,
  eviction,
  held,
  holds,
  member,
  members,
  moves,
  namespace,
  type Observed,
  placement,
  rolling,
  Story,
  targets,
  words,
} from './world.ts';

/** From 10:00:20 for ten minutes: cron knows minutes, so it begins at 10:00:00 and is written into the repo later. */
const freeze = (schedule = '0 10 20 11 *', duration = '10m') => `
apiVersion: gitfleet.dev/v1alpha1
kind: FleetConfig
spec:
  freeze:
    - {name: release, schedule: "${schedule}", duration: ${duration}}
`;
const end = at(600);

const fixed = (names: string) => `{placementType: PickFixed, clusterNames: [${names}]}`;

async function settled(policy = all): Promise<Story> {
  const names = 'a b';
  const story = new Story({
    ...members(names),
    'web.yaml': placement(policy, rolling(1, 1)),
    'resources/web.yaml': app('web:1'),
  });
  story.seen = {};
  await story.plan();
  story.seen = Object.fromEntries(names.split(' ').map((name) => [name, holds(0)]));
  await story.plan(10);
  return story;
}

describe('while the fleet is frozen', () => {
  it('a new version is taken and waits, cluster by cluster; the plan wakes at the end', async () => {
    const story = await settled();
    story.files['fleet.yaml'] = freeze();
    story.files['resources/web.yaml'] = app('web:2');
    const step = await story.plan(20);
    expect([moves(step), targets(step)]).toEqual([
      ['a Bound 0 wait', 'b Bound 0 wait'],
      ['a web 0', 'b web 0'],
    ]);
    expect(step.plan.placements[0].resourceSnapshotIndex).toBe(1);
    expect(held(step)).toEqual([`Freeze a until ${end}`, `Freeze b until ${end}`]);
    expect(step.plan.holds[0].message).toBe(`a is updated once freeze release ends at ${end}`);
    expect([step.plan.wakeAt, step.code]).toEqual([end, 0]);
    expect(moves(await story.plan(600))).toEqual(['a Bound 1 update', 'b Bound 0 wait']);
  });

  it('neither the surge nor a failure nor a removal is a way round it', async () => {
    const story = await settled(fixed('a, b'));
    story.files['fleet.yaml'] = freeze();
    story.files['resources/web.yaml'] = app('web:2');
    story.files['clusters/c.yaml'] = member('c');
    story.files['web.yaml'] = placement(fixed('a, b, c'), rolling(1, 1));
    story.seen = { a: holds(0, [namespace, deployment(0)]), b: holds(0), c: {} };
    expect(moves(await story.plan(20))).toEqual(['a Bound 0 wait', 'b Bound 0 wait', 'c Scheduled - wait']);
    story.files['web.yaml'] = placement(fixed('a'), rolling(1, 1));
    expect(moves(await story.plan(30))).toEqual(['a Bound 0 wait', 'b Unscheduled 0 wait', 'c Unscheduled - wait']);
  });

  it('started work continues', async () => {
    const story = await settled();
    story.files['resources/web.yaml'] = app('web:2');
    expect(moves(await story.plan(20))).toEqual(['a Bound 1 update', 'b Bound 0 wait']);
    story.files['fleet.yaml'] = freeze();
    story.seen = { a: holds(1), b: holds(0) };
    const step = await story.plan(30);
    expect([moves(step), targets(step)]).toEqual([
      ['a Bound 1 keep', 'b Bound 0 wait'],
      ['a web 1', 'b web 0'],
    ]);
  });

  it('a placement whose file goes keeps its clusters until the end', async () => {
    const story = await settled();
    story.files['other.yaml'] = placement(all).replaceAll('name: web}', 'name: other}');
    story.files['fleet.yaml'] = freeze();
    delete story.files['web.yaml'];
    const step = await story.plan(20);
    expect(targets(step).filter((line) => line.includes(' web '))).toEqual(['a web 0', 'b web 0']);
    expect(held(step).slice(0, 2)).toEqual([`Freeze a until ${end}`, `Freeze b until ${end}`]);
    const after = await story.plan(600);
    expect(targets(after).filter((line) => line.includes(' web '))).toEqual(['a web removed', 'b web removed']);
  });

  it('evictions wait without a result, and are judged at the end', async () => {
    const story = await settled();
    story.files['fleet.yaml'] = freeze();
    story.files['evict.yaml'] = eviction('e1', 'a');
    const step = await story.plan(20);
    const waiting = { name: 'e1', placementName: 'web', clusterName: 'a', status: { conditions: [] } };
    expect([step.plan.evictions, held(step), step.plan.wakeAt]).toEqual([[waiting], [`Freeze a until ${end}`], end]);
    expect(Object.keys(step.plan.record).filter((path) => path.startsWith('evictions/'))).toEqual([]);
    const [done] = (await story.plan(600)).plan.evictions;
    expect(words(done.status.conditions)[1]).toBe('Executed=True/ClusterResourcePlacementEvictionExecuted');
  });

  it('an invalid eviction is reported at once', async () => {
    const story = await settled();
    story.files['fleet.yaml'] = freeze();
    story.files['evict.yaml'] = eviction('e1', 'zz');
    const step = await story.plan(20);
    expect([step.plan.evictions.map(({ status }: Document) => words(status.conditions)), held(step)]).toEqual([
      [['Valid=False/ClusterResourcePlacementEvictionInvalid']],
      [],
    ]);
  });

  it('a freeze to come is when a plan that waits wakes', async () => {
    const story = await settled();
    story.files['fleet.yaml'] = freeze('30 10 20 11 *');
    expect((await story.plan(15)).plan.wakeAt).toBeUndefined();
    story.files['resources/web.yaml'] = app('web:2');
    expect((await story.plan(20)).plan.wakeAt).toBe('2026-11-20T10:30:00Z');
  });

  it('an entry that cannot be read freezes, and names its place', async () => {
    const story = await settled();
    story.files['fleet.yaml'] = freeze('25 h');
    story.files['resources/web.yaml'] = app('web:2');
    const step = await story.plan(20);
    expect(held(step)).toEqual(['Freeze a', 'Freeze b']);
    expect(step.plan.problems.map(({ code, file, line, path }: Document) => [code, file, line, path])).toEqual([
      ['invalid-freeze', 'fleet.yaml', 6, 'spec.freeze.0.schedule'],
    ]);
    expect(step.code).toBe(2);
  });
});

describe('a staged run in a freeze', () => {
  const strategy = `
apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterStagedUpdateStrategy
metadata: {name: slow}
spec: {stages: [{name: all, labelSelector: {}, maxConcurrency: 1}]}
`;
  const run = `
apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterStagedUpdateRun
metadata: {name: web-1}
spec: {placementName: web, stagedRolloutStrategyName: slow}
`;
  const statusOf = ({ plan }: Document) => plan.runs[0].status;
  const staged = (seen: Record<string, Observed>, policy = all): Story => {
    const story = new Story({
      ...members('a b'),
      'web.yaml': placement(policy, '{type: External}'),
      'resources/web.yaml': app('web:1'),
      'strategy.yaml': strategy,
      'run.yaml': run,
    });
    story.seen = seen;
    return story;
  };

  it('follows what is in flight and starts nothing', async () => {
    const story = staged({});
    await story.plan();
    story.files['fleet.yaml'] = freeze();
    const flying = await story.plan(10);
    expect(held(flying)).toContain(`Freeze web-1 until ${end}`);
    expect(words(statusOf(flying).conditions)).toContain('Progressing=True/UpdateRunProgressing');
    story.seen = { a: holds(0) };
    const landed = await story.plan(20);
    const [stage] = statusOf(landed).stagesStatus;
    expect(stage.clusters.map(({ conditions }: Document) => words(conditions).length)).toEqual([2, 0]);
    expect(words(statusOf(landed).conditions)).toContain('Progressing=False/UpdateRunWaiting');
    expect([held(landed), landed.plan.wakeAt, landed.code]).toEqual([[`Freeze web-1 until ${end}`], end, 0]);
    const [, b] = statusOf(await story.plan(600)).stagesStatus[0].clusters;
    expect(words(b.conditions)).toEqual(['Started=True/ClusterUpdatingStarted']);
  });

  it('does not start', async () => {
    const story = staged({});
    story.files['fleet.yaml'] = freeze();
    const step = await story.plan();
    expect([moves(step), targets(step)]).toEqual([['a Scheduled - wait', 'b Scheduled - wait'], []]);
    expect(words(statusOf(step).conditions)).toEqual([
      'Initialized=True/UpdateRunInitializedSuccessfully',
      'Progressing=False/UpdateRunWaiting',
    ]);
    expect(statusOf(step).stagesStatus[0].startTime).toBeUndefined();
  });

  it('does not remove what its delete stage would', async () => {
    const story = staged({}, fixed('a, b'));
    await story.plan();
    story.seen = { a: holds(0) };
    await story.plan(3);
    story.seen = { a: holds(0), b: holds(0) };
    await story.plan(5);
    story.files['web.yaml'] = placement(fixed('a'), '{type: External}');
    story.files['run2.yaml'] = run.replace('web-1', 'web-2');
    story.files['fleet.yaml'] = freeze();
    const step = await story.plan(10);
    expect(moves(step)).toEqual(['a Bound 0 keep', 'b Unscheduled 0 wait']);
    expect(held(step)).toEqual([`Freeze web-2 until ${end}`]);
    const after = await story.plan(600);
    expect(moves(after)).toEqual(['a Bound 0 keep', 'b Unscheduled 0 remove']);
  });
});

describe('a placement with the annotation gitfleet.dev/suspended is frozen by itself', () => {
  const suspended = (text: string): string =>
    text.replace(
      'metadata: {name: web}',
      'metadata: {name: web, annotations: {gitfleet.dev/suspended: "incident 42"}}',
    );
  const why = 'once the annotation gitfleet.dev/suspended (incident 42) of web is removed';

  it('nothing of it moves, no eviction is carried out, and no time ends it', async () => {
    const story = await settled();
    story.files['web.yaml'] = suspended(placement(all, rolling(1, 1)));
    story.files['resources/web.yaml'] = app('web:2');
    story.files['evict.yaml'] = eviction('e1', 'a');
    const step = await story.plan(20);
    expect(moves(step)).toEqual(['a Bound 0 wait', 'b Bound 0 wait']);
    expect(step.plan.holds.map(({ reason, message }: Document) => `${reason}: ${message}`)).toEqual([
      `Freeze: a is updated ${why}`,
      `Freeze: b is updated ${why}`,
      `Freeze: eviction e1 is carried out ${why}`,
    ]);
    expect(step.plan.wakeAt).toBeUndefined();
    story.files['web.yaml'] = placement(all, rolling(1, 1));
    expect(moves(await story.plan(30))).not.toEqual(moves(step));
  });

  it('its staged run starts no cluster', async () => {
    const story = await settled();
    story.files['web.yaml'] = suspended(placement(all, '{type: External}'));
    story.files['strategy.yaml'] = `
apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterStagedUpdateStrategy
metadata: {name: slow}
spec: {stages: [{name: all, labelSelector: {}}]}
---
apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterStagedUpdateRun
metadata: {name: web-1}
spec: {placementName: web, stagedRolloutStrategyName: slow}
`;
    const step = await story.plan(20);
    expect(step.plan.holds.map(({ message }: Document) => message)).toEqual([
      `run web-1 continues with stage all ${why}`,
    ]);
  });
});
