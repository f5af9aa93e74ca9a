import { describe, expect, it } from 'vitest';
import {
  all,
  app,
  bindingOn,
  deployment,
  everywhere,
  held,
  holds,
  member,
  moves,
  namespace,
  pickN,
  placement,
  rolledOut,
  rolling,
  Story,
  targets,
  webOn,
  words,
} from './world.ts';

describe('the surge', () => {
  it('a relabelled fleet moves over: one new cluster at a time, an old one goes when the new one is ready', async () => {
    const inEnv = (env: string) =>
      `{placementType: PickN, numberOfClusters: 2, affinity: {clusterAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {clusterSelectorTerms: [{labelSelector: {matchLabels: {env: ${env}}}}]}}}}`;
    const story = new Story({
      ...Object.fromEntries(['a', 'b'].map((name) => [`clusters/${name}.yaml`, member(name, { env: 'old' })])),
      ...Object.fromEntries(['c', 'd'].map((name) => [`clusters/${name}.yaml`, member(name, { env: 'new' })])),
      'web.yaml': placement(inEnv('old'), rolling(0, 1)),
      'resources/web.yaml': app('web:1'),
    });
    story.seen = {};
    await story.plan();
    story.seen = everywhere('a b', 0);
    await story.plan(10);
    story.files['web.yaml'] = placement(inEnv('new'), rolling(0, 1));
    expect(moves(await story.plan(20))).toEqual([
      'a Unscheduled 0 wait',
      'b Unscheduled 0 wait',
      'c Bound 0 add',
      'd Scheduled - wait',
    ]);
    story.seen = everywhere('a b c', 0);
    const going = await story.plan(30);
    expect(moves(going)).toEqual([
      'a Unscheduled 0 remove',
      'b Unscheduled 0 wait',
      'c Bound 0 keep',
      'd Scheduled - wait',
    ]);
    expect(targets(going)).toEqual(['a web removed', 'b web 0', 'c web 0']);
    story.seen = everywhere('b c', 0);
    expect(moves(await story.plan(40))).toEqual(['b Unscheduled 0 wait', 'c Bound 0 keep', 'd Bound 0 add']);
    story.seen = everywhere('b c d', 0);
    expect(moves(await story.plan(50))).toEqual(['b Unscheduled 0 remove', 'c Bound 0 keep', 'd Bound 0 keep']);
    story.seen = everywhere('c d', 0);
    const done = await story.plan(60);
    expect([moves(done), done.code]).toEqual([['c Bound 0 keep', 'd Bound 0 keep'], 0]);
  });
});

describe('scale', () => {
  it('up during a rollout: the new cluster gets the latest snapshot at once', async () => {
    const story = webOn('a b c d', pickN(2), rolling(1, 1));
    story.seen = {};
    await story.plan();
    story.seen = everywhere('c d', 0);
    await story.plan(10);
    story.files['resources/web.yaml'] = app('web:2');
    expect(moves(await story.plan(20))).toEqual(['c Bound 1 update', 'd Bound 0 wait']);
    story.files['web.yaml'] = placement(pickN(3), rolling(1, 1));
    // N = 3: canBeReady 2 (c silent, d ready), so 3 + 1 - 2 may be added.
    expect(moves(await story.plan(30))).toEqual(['b Bound 1 add', 'c Bound 1 keep', 'd Bound 0 wait']);
  });

  it('down: the budget of the smaller number lets the surplus go', async () => {
    const story = await rolledOut('a b c', pickN(3), rolling(0, 1));
    story.files['web.yaml'] = placement(pickN(1), rolling(0, 1));
    // Ready 3, at least 1 must stay: two may go, and the greatest name stays.
    expect(moves(await story.plan(20))).toEqual(['a Unscheduled 0 remove', 'b Unscheduled 0 remove', 'c Bound 0 keep']);
  });

  it('to zero is not possible for what is not ready while nothing may be unavailable', async () => {
    const story = webOn('a', pickN(1), rolling(0, 1));
    story.seen = {};
    await story.plan();
    story.seen = { a: holds(0, [namespace, deployment(0)]) };
    story.files['web.yaml'] = placement(pickN(0), rolling(0, 1));
    // Ready 0, at least 0 must stay: 0 may go.
    const step = await story.plan(10);
    expect([moves(step), held(step)]).toEqual([['a Unscheduled 0 wait'], ['RolloutBudget a']]);
    story.seen = everywhere('a', 0);
    expect(moves(await story.plan(20))).toEqual(['a Unscheduled 0 remove']);
  });
});

describe('a cluster that joins', () => {
  it('a half-rolled placement gets the latest snapshot as the surge allows', async () => {
    const story = await rolledOut('b c', all, rolling(1, 0));
    story.files['resources/web.yaml'] = app('web:2');
    expect(moves(await story.plan(20))).toEqual(['b Bound 1 update', 'c Bound 0 wait']);
    story.files['clusters/a.yaml'] = member('a');
    // N = 3, canBeReady 2: one may be added, and its absence counts as unavailable for the others.
    expect(moves(await story.plan(30))).toEqual(['a Bound 1 add', 'b Bound 1 keep', 'c Bound 0 wait']);
    story.seen = { ...everywhere('a b', 1), c: holds(0) };
    expect(moves(await story.plan(40))).toEqual(['a Bound 1 keep', 'b Bound 1 keep', 'c Bound 1 update']);
  });

  it('empty in place of one of the same name: what it should have is its target, and it counts as unavailable', async () => {
    const story = await rolledOut('a b', all, rolling(1, 0));
    story.seen = { b: holds(0) };
    const replaced = await story.plan(20);
    expect([moves(replaced), targets(replaced)]).toEqual([
      ['a Bound 0 keep', 'b Bound 0 keep'],
      ['a web 0', 'b web 0'],
    ]);
    expect(words(bindingOn(replaced, 'a').conditions)).toEqual([
      'RolloutStarted=True/RolloutStarted',
      'Overridden=True/NoOverrideSpecified',
    ]);
    story.files['resources/web.yaml'] = app('web:2');
    // a is neither ready nor failed, so the one ready cluster may not be spared.
    expect(moves(await story.plan(30))).toEqual(['a Bound 0 wait', 'b Bound 0 wait']);
  });
});
