import { describe, expect, it } from 'vitest';
import {
  all,
  app,
  at,
  bindingOn,
  deployment,
  everywhere,
  held,
  holds,
  moves,
  namespace,
  pickN,
  placement,
  placementEntry,
  rolledOut,
  rolling,
  targets,
  webOn,
  words,
} from './world.ts';

describe('a first rollout', () => {
  it('adds as many clusters as the surge allows over those that may become ready, and forgets nothing of the rest', async () => {
    const story = webOn('a b c', pickN(3), rolling(1, 0));
    story.seen = {};
    const step = await story.plan();
    // N = 3, maxSurge 0: 3 + 0 - 0 clusters that can be ready: all three at once.
    expect(moves(step)).toEqual(['a Bound 0 add', 'b Bound 0 add', 'c Bound 0 add']);
    expect(step.code).toBe(1);
    expect(words(bindingOn(step, 'a').conditions)).toEqual([
      'RolloutStarted=True/RolloutStarted',
      'Overridden=True/NoOverrideSpecified',
    ]);
    expect(targets(step)).toEqual(['a web 0', 'b web 0', 'c web 0']);
  });

  it('is done when every cluster is available: nothing to do, nothing held, no wake', async () => {
    const story = webOn('a b', all, rolling(1, 0));
    story.seen = {};
    await story.plan();
    story.seen = everywhere('a b', 0);
    const step = await story.plan(10);
    expect(moves(step)).toEqual(['a Bound 0 keep', 'b Bound 0 keep']);
    expect([step.code, held(step), step.plan.wakeAt]).toEqual([0, [], undefined]);
    expect(words(step.plan.placements[0].conditions)).toEqual([
      'ClusterResourcePlacementScheduled=True/SchedulingPolicyFulfilled',
      'ClusterResourcePlacementRolloutStarted=True/RolloutStarted',
      'ClusterResourcePlacementOverridden=True/NoOverrideSpecified',
      'ClusterResourcePlacementWorkSynchronized=True/WorkSynchronized',
      'ClusterResourcePlacementApplied=True/ApplySucceeded',
      'ClusterResourcePlacementAvailable=True/ResourceAvailable',
    ]);
  });
});

describe('an update', () => {
  it('continues cluster by cluster as the earlier ones become available', async () => {
    const story = await rolledOut('a b c', all, rolling(1, 0));
    story.files['resources/web.yaml'] = app('web:2');
    const first = await story.plan(20);
    expect(moves(first)).toEqual(['a Bound 1 update', 'b Bound 0 wait', 'c Bound 0 wait']);
    expect(words(bindingOn(first, 'b').conditions)[0]).toBe('RolloutStarted=False/RolloutNotStartedYet');
    expect(words(first.plan.placements[0].conditions)).toEqual([
      'ClusterResourcePlacementScheduled=True/SchedulingPolicyFulfilled',
      'ClusterResourcePlacementRolloutStarted=False/RolloutNotStartedYet',
    ]);
    // Being applied: Applied is False, the others keep waiting.
    story.seen = {
      ...story.seen,
      a: { placements: [placementEntry(1, { done: false })], objects: [namespace, deployment(2)] },
    };
    const applying = await story.plan(21);
    expect(moves(applying)).toEqual(['a Bound 1 keep', 'b Bound 0 wait', 'c Bound 0 wait']);
    expect(words(bindingOn(applying, 'a').conditions)).toContain('Applied=False/ApplyInProgress');
    // Applied, one of two replicas up.
    story.seen = { ...story.seen, a: holds(1, [namespace, deployment(1)]) };
    const rising = await story.plan(22);
    expect(moves(rising)).toEqual(['a Bound 1 keep', 'b Bound 0 wait', 'c Bound 0 wait']);
    expect(words(bindingOn(rising, 'a').conditions)).toContain('Available=False/NotAllWorkAreAvailable');
    story.seen = { ...story.seen, a: holds(1) };
    expect(moves(await story.plan(30))).toEqual(['a Bound 1 keep', 'b Bound 1 update', 'c Bound 0 wait']);
    story.seen = { ...story.seen, b: holds(1) };
    expect(moves(await story.plan(40))).toEqual(['a Bound 1 keep', 'b Bound 1 keep', 'c Bound 1 update']);
    story.seen = everywhere('a b c', 1);
    const done = await story.plan(50);
    expect(moves(done)).toEqual(['a Bound 1 keep', 'b Bound 1 keep', 'c Bound 1 keep']);
    expect(done.code).toBe(0);
  });

  it('a newer version overtakes only the cluster that failed on the one before', async () => {
    const story = await rolledOut('a b c', all, rolling(1, 0));
    story.files['resources/web.yaml'] = app('web:bad');
    await story.plan(20);
    story.seen = { ...story.seen, a: holds(1, [namespace, deployment(0)]) };
    const stuck = await story.plan(5000);
    expect(moves(stuck)).toEqual(['a Bound 1 keep', 'b Bound 0 wait', 'c Bound 0 wait']);
    // No failure detection, no timeout: time alone changes nothing.
    expect(stuck.plan.wakeAt).toBeUndefined();
    story.files['resources/web.yaml'] = app('web:3');
    const overtaken = await story.plan(6000);
    expect(moves(overtaken)).toEqual(['a Bound 2 update', 'b Bound 0 wait', 'c Bound 0 wait']);
    expect(overtaken.plan.placements[0].resourceSnapshotIndex).toBe(2);
  });

  it('back to older contents is a new index', async () => {
    const story = webOn('a', all, rolling(1, 0));
    story.seen = {};
    await story.plan();
    story.seen = everywhere('a', 0);
    story.files['resources/web.yaml'] = app('web:2');
    await story.plan(10);
    story.seen = everywhere('a', 1);
    await story.plan(20);
    story.files['resources/web.yaml'] = app('web:1');
    expect(moves(await story.plan(30))).toEqual(['a Bound 2 update']);
  });

  it('a commit that changes nothing selected makes no snapshot and moves nothing', async () => {
    const story = await rolledOut('a', all, rolling(1, 0));
    story.files['resources/other.yaml'] = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: other}\n';
    expect(moves(await story.plan(20))).toEqual(['a Bound 0 keep']);
  });

  it('keeps as many snapshots as revisionHistoryLimit, in addition to those that clusters still run', async () => {
    const story = webOn('a b', all, rolling(1, 0));
    story.files['web.yaml'] = placement(all, rolling(1, 0), '  revisionHistoryLimit: 2\n');
    story.seen = {};
    await story.plan();
    story.seen = everywhere('a b', 0);
    await story.plan(10);
    for (const [version, index] of [
      ['2', 1],
      ['3', 2],
      ['4', 3],
    ] as const) {
      story.files['resources/web.yaml'] = app(`web:${version}`);
      await story.plan(10 + index * 10);
      // a comes up each time, b never gets its turn.
      story.seen = { ...story.seen, a: holds(index, [namespace, deployment(0)]) };
    }
    const kept = Object.keys(story.record).filter((path) => path.includes('/snapshots/'));
    expect(kept).toEqual(['0', '2', '3'].map((index) => `placements/web/snapshots/${index}.yaml`));
  });

  it('of an unreachable cluster continues when it responds; nothing waits for unknown clusters', async () => {
    const story = await rolledOut('a b', all, rolling(1, 0));
    story.seen = { ...story.seen, a: { reachable: false } };
    story.files['resources/web.yaml'] = app('web:2');
    const lost = await story.plan(20);
    // What was recorded stands: a was available, so it takes its turn by name, and spends the budget.
    expect(moves(lost)).toEqual(['a Bound 1 update', 'b Bound 0 wait']);
    expect(targets(lost)).toEqual(['a web 1', 'b web 0']);
    // Overrides are reported without a cluster.
    expect(words(bindingOn(lost, 'a').conditions)).toEqual([
      'RolloutStarted=True/RolloutStarted',
      'Overridden=True/NoOverrideSpecified',
    ]);
  });
});

describe('untrackable resources', () => {
  const widget = 'apiVersion: acme.io/v1\nkind: Widget\nmetadata: {name: w, namespace: web}\n';
  const crd =
    'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.acme.io}\nspec:\n  group: acme.io\n  scope: Namespaced\n  names: {kind: Widget, plural: widgets}\n  versions: [{name: v1, served: true, storage: true}]\n';
  const live = {
    apiVersion: 'acme.io/v1',
    kind: 'Widget',
    metadata: { name: 'w', namespace: 'web', labels: { 'gitfleet.dev/placement': 'web' } },
  };
  const withWidget = (index: number) => holds(index, [namespace, deployment(2), live]);

  it('each step waits for the period of the one before, and the plan has the wake-up time', async () => {
    const story = webOn('a b', all, rolling(1, 0, 60));
    story.files['resources/crd.yaml'] = crd;
    story.files['resources/web.yaml'] = app('web:1', `---\n${widget}`);
    story.seen = {};
    await story.plan();
    story.seen = { a: withWidget(0), b: withWidget(0) };
    const arrived = await story.plan(10);
    expect(words(bindingOn(arrived, 'a').conditions).at(-1)).toBe('Available=True/NotAllWorkAreAvailabilityTrackable');
    // Nothing waits for anything: no wake.
    expect(arrived.plan.wakeAt).toBeUndefined();
    story.files['resources/web.yaml'] = app('web:2', `---\n${widget}`);
    const early = await story.plan(30);
    // Untrackable for 20 s only: neither is ready yet, two must be ready for one to move.
    expect(moves(early)).toEqual(['a Bound 0 wait', 'b Bound 0 wait']);
    expect(early.plan.wakeAt).toBe(at(70));
    expect(moves(await story.plan(71))).toEqual(['a Bound 1 update', 'b Bound 0 wait']);
    story.seen = { a: withWidget(1), b: withWidget(0) };
    const waiting = await story.plan(80);
    expect(held(waiting)).toEqual([`UnavailablePeriod b until ${at(140)}`]);
    expect(waiting.plan.wakeAt).toBe(at(140));
    // "Longer than": at the very end it still waits, for the shortest time that there is.
    const end = await story.plan(140);
    expect([moves(end), held(end)]).toEqual([
      ['a Bound 1 keep', 'b Bound 0 wait'],
      [`UnavailablePeriod b until ${at(140.001)}`],
    ]);
    expect(end.plan.wakeAt).toBe(at(140.001));
    expect(moves(await story.plan(140.001))).toEqual(['a Bound 1 keep', 'b Bound 1 update']);
  });

  it('with a period of 0 count at once', async () => {
    const story = webOn('a b', all, rolling(1, 0, 0));
    story.files['resources/crd.yaml'] = crd;
    story.files['resources/web.yaml'] = app('web:1', `---\n${widget}`);
    story.seen = {};
    await story.plan();
    story.seen = { a: withWidget(0), b: withWidget(0) };
    await story.plan(10);
    story.files['resources/web.yaml'] = app('web:2', `---\n${widget}`);
    expect(moves(await story.plan(11))).toEqual(['a Bound 1 update', 'b Bound 0 wait']);
  });
});
