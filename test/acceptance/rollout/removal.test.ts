import { describe, expect, it } from 'vitest';
import type { Document } from '../../support/folders.ts';
import {
  all,
  app,
  at,
  deployment,
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
} from './world.ts';

const other = (policy = all) => `
apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterResourcePlacement
metadata: {name: other}
spec:
  resourceSelectors: [{group: "", version: v1, kind: Namespace, name: other}]
  policy: ${policy}
`;

/** Everything is where it belongs; a second placement keeps the fleet from being emptied. */
async function settled(policy = all, strategy = rolling('100%', 1)): Promise<Story> {
  const story = new Story({
    ...members('a b'),
    'web.yaml': placement(policy, strategy),
    'other.yaml': other(),
    'resources/web.yaml': app('web:1'),
    'resources/other.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata: {name: other}\n',
  });
  story.seen = {};
  await story.plan();
  story.seen = { a: both(), b: both() };
  await story.plan(10);
  return story;
}

const otherNamespace = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'other', labels: { 'gitfleet.dev/placement': 'other' } },
};
const otherTold = {
  placement: { kind: 'ClusterResourcePlacement', name: 'other' },
  resourceSnapshotIndex: 0,
  done: true,
};
const both = (): Observed => ({
  placements: [...(holds(0).placements ?? []), otherTold],
  objects: [namespace, deployment(2), otherNamespace],
});
const without = (objects: readonly Document[] = [], more: Partial<Observed> = {}): Observed => ({
  placements: [otherTold, { placement: { kind: 'ClusterResourcePlacement', name: 'web' }, done: true }],
  objects: [otherNamespace, ...objects],
  ...more,
});

const refOf = ({ apiVersion, kind, metadata: { name } }: Document) => ({ apiVersion, kind, name });
const webTargets = (of: Parameters<typeof targets>[0]) => targets(of).filter((line) => line.includes(' web '));
const webFiles = (story: Story) => Object.keys(story.record).filter((path) => path.startsWith('placements/web/'));
const taint = (name: string) => member(name, {}, '{taints: [{key: out, value: "1", effect: NoSchedule}]}');

describe('a placement whose file is gone', () => {
  it('is removed everywhere, and forgotten cluster by cluster as they show none of its objects', async () => {
    const story = await settled();
    delete story.files['web.yaml'];
    const going = await story.plan(20);
    expect([webTargets(going), going.code]).toEqual([['a web removed', 'b web removed'], 1]);
    story.seen = { a: without(), b: both() };
    expect(webTargets(await story.plan(30))).toEqual(['b web removed']);
    story.seen = { a: without(), b: without() };
    const done = await story.plan(40);
    expect([webTargets(done), webFiles(story), done.code]).toEqual([[], [], 0]);
  });

  it('stays remembered while a cluster cannot be reached, or a list broke off', async () => {
    const story = await settled();
    delete story.files['web.yaml'];
    await story.plan(20);
    story.seen = { a: { reachable: false }, b: without([], { complete: false }) };
    expect(webTargets(await story.plan(30))).toEqual(['a web removed', 'b web removed']);
    story.seen = { a: without(), b: without() };
    expect(webTargets(await story.plan(40))).toEqual([]);
  });

  it('a namespace that does not end keeps its cluster remembered', async () => {
    const story = await settled();
    delete story.files['web.yaml'];
    await story.plan(20);
    const ending = {
      ...namespace,
      metadata: { ...namespace.metadata, deletionTimestamp: '2026-11-20T10:00:21Z', finalizers: ['acme.io/x'] },
    };
    story.seen = { a: without([ending]), b: without() };
    expect(webTargets(await story.plan(30))).toEqual(['a web removed']);
  });

  it('what the observation shows without labels of ours counts as well, when the placement lists it', async () => {
    const story = await settled();
    delete story.files['web.yaml'];
    await story.plan(20);
    const bare = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'web' } };
    story.seen = { a: without([bare]), b: without() };
    expect(webTargets(await story.plan(30))).toEqual(['a web removed']);
    const foreign = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'theirs', namespace: 'web' } };
    story.seen = { a: without([foreign]), b: without() };
    expect(webTargets(await story.plan(40))).toEqual([]);
  });

  it('what it could not take over is not waited for', async () => {
    const story = await settled();
    const theirs = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'web' } };
    const refused = {
      ...(holds(0).placements ?? [])[0],
      results: [
        {
          object: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'web', name: 'web' },
          result: 'FailedToTakeOver',
        },
      ],
    };
    story.seen = { a: { placements: [refused, otherTold], objects: [namespace, theirs, otherNamespace] }, b: both() };
    await story.plan(15);
    delete story.files['web.yaml'];
    await story.plan(20);
    story.seen = { a: without([theirs]), b: without() };
    expect(webTargets(await story.plan(30))).toEqual([]);
  });

  it('does not wait for what another placement has taken over, in observations without labels either', async () => {
    const story = await settled();
    const bare = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'web' } };
    const app = { ...deployment(2), metadata: { name: 'web', namespace: 'web' } };
    const renamed = (index: number, refused: boolean): Observed => ({
      placements: [
        otherTold,
        {
          placement: { kind: 'ClusterResourcePlacement', name: 'shop' },
          resourceSnapshotIndex: index,
          done: true,
          results: refused ? [{ object: refOf(bare), result: 'FailedToTakeOver' }] : [],
        },
      ],
      objects: [bare, app, otherNamespace],
    });
    story.files['shop.yaml'] = story.files['web.yaml']!.replace('{name: web}', '{name: shop}');
    delete story.files['web.yaml'];
    await story.plan(20);
    story.seen = { a: renamed(0, true), b: renamed(0, false) };
    expect(webTargets(await story.plan(30))).toEqual(['a web removed']);
    story.seen = { a: renamed(0, false), b: renamed(0, false) };
    const step = await story.plan(40);
    expect([webTargets(step), targets(step)]).toEqual([[], ['a other 0', 'a shop 0', 'b other 0', 'b shop 0']]);
  });

  it('with Abandon leaves everything where it is and is forgotten at once', async () => {
    const story = await settled(all, '{type: RollingUpdate, deleteStrategy: {propagationPolicy: Abandon}}');
    delete story.files['web.yaml'];
    const step = await story.plan(20);
    expect([webTargets(step), webFiles(story), step.code]).toEqual([[], [], 1]);
    expect((await story.plan(30)).code).toBe(0);
  });

  it('with Abandon still ends the removals that had started', async () => {
    const story = await settled(
      '{placementType: PickFixed, clusterNames: [a, b]}',
      '{type: RollingUpdate, rollingUpdate: {maxUnavailable: 1}, deleteStrategy: {propagationPolicy: Abandon}}',
    );
    story.files['web.yaml'] = story.files['web.yaml']!.replace('[a, b]', '[b]');
    expect(webTargets(await story.plan(20))).toEqual(['a web removed', 'b web 0']);
    delete story.files['web.yaml'];
    expect(webTargets(await story.plan(30))).toEqual(['a web removed']);
    story.seen = { a: without(), b: both() };
    expect([webTargets(await story.plan(40)), webFiles(story)]).toEqual([[], []]);
  });

  it('and comes back before it is gone waits on each cluster until the old objects are', async () => {
    const story = await settled();
    const file = story.files['web.yaml']!;
    delete story.files['web.yaml'];
    await story.plan(20);
    story.files['web.yaml'] = file;
    const back = await story.plan(30);
    expect(moves(back)).toEqual(['a Bound 0 remove', 'a Scheduled - wait', 'b Bound 0 remove', 'b Scheduled - wait']);
    expect(held(back)).toEqual(['SameClusterCleanup a', 'SameClusterCleanup b']);
    story.seen = { a: without(), b: both() };
    expect(moves(await story.plan(40))).toEqual(['a Bound 0 add', 'b Bound 0 remove', 'b Scheduled - wait']);
  });
});

describe('an unpicked cluster', () => {
  it('is cleaned up, and remembered until it is', async () => {
    const story = await settled('{placementType: PickFixed, clusterNames: [a, b]}');
    story.files['web.yaml'] = placement('{placementType: PickFixed, clusterNames: [b]}', rolling('100%', 1));
    const going = await story.plan(20);
    expect([moves(going), webTargets(going)]).toEqual([
      ['a Unscheduled 0 remove', 'b Bound 0 keep'],
      ['a web removed', 'b web 0'],
    ]);
    story.seen = { a: { reachable: false }, b: both() };
    expect(moves(await story.plan(30))).toEqual(['a Unscheduled 0 remove', 'b Bound 0 keep']);
    story.seen = { a: without(), b: both() };
    const done = await story.plan(40);
    expect([moves(done), done.code]).toEqual([['b Bound 0 keep'], 0]);
  });

  it('picked again while it is being cleaned up gets everything again, afterwards', async () => {
    const fixed = (names: string) =>
      placement(`{placementType: PickFixed, clusterNames: [${names}]}`, rolling('100%', 1));
    const story = await settled('{placementType: PickFixed, clusterNames: [a, b]}');
    story.files['web.yaml'] = fixed('b');
    await story.plan(20);
    story.files['web.yaml'] = fixed('a, b');
    const back = await story.plan(30);
    expect([moves(back), held(back)]).toEqual([
      ['a Unscheduled 0 remove', 'a Scheduled - wait', 'b Bound 0 keep'],
      ['SameClusterCleanup a'],
    ]);
    expect(webTargets(back)).toEqual(['a web removed', 'b web 0']);
    story.seen = { a: without(), b: both() };
    expect(moves(await story.plan(40))).toEqual(['a Bound 0 add', 'b Bound 0 keep']);
  });

  it('of a cluster that already shows nothing is reported nevertheless, and ends with the next observation', async () => {
    const story = await settled('{placementType: PickFixed, clusterNames: [a, b]}');
    story.files['web.yaml'] = placement('{placementType: PickFixed, clusterNames: [b]}', rolling('100%', 1));
    story.seen = { a: without(), b: both() };
    expect(moves(await story.plan(20))).toEqual(['a Unscheduled 0 remove', 'b Bound 0 keep']);
    expect(moves(await story.plan(21))).toEqual(['b Bound 0 keep']);
  });

  it('is over with the next look also where the plans stand still: with a new look at the same instant, not with the same', async () => {
    const story = await settled('{placementType: PickFixed, clusterNames: [a, b]}');
    story.files['web.yaml'] = placement('{placementType: PickFixed, clusterNames: [b]}', rolling('100%', 1));
    story.seen = { a: without(), b: both() };
    const going = ['a Unscheduled 0 remove', 'b Bound 0 keep'];
    expect(moves(await story.plan(20))).toEqual(going);
    expect(moves(await story.plan(20))).toEqual(going);
    story.seen = { a: { ...without(), observedAt: at(25) }, b: both() };
    expect(moves(await story.plan(20))).toEqual(['b Bound 0 keep']);
  });

  it('that is decided by a look from ahead of its time is over with a later one', async () => {
    const story = await settled('{placementType: PickFixed, clusterNames: [a, b]}');
    story.files['web.yaml'] = placement('{placementType: PickFixed, clusterNames: [b]}', rolling('100%', 1));
    story.seen = { a: { ...without(), observedAt: at(25) }, b: both() };
    expect(moves(await story.plan(20))).toEqual(['a Unscheduled 0 remove', 'b Bound 0 keep']);
    story.seen = { a: { ...without(), observedAt: at(26) }, b: both() };
    expect(moves(await story.plan(20))).toEqual(['b Bound 0 keep']);
  });

  it('next to another live binding moves nothing of the placement, and the problem names the file to fix', async () => {
    const story = await settled('{placementType: PickFixed, clusterNames: [a, b]}');
    const path = 'placements/web/state.yaml';
    const twice = /^ *- \{targetCluster: a,.*\n/m.exec(story.record[path]!)![0];
    story.record = { ...story.record, [path]: story.record[path]!.replace(twice, twice + twice) };
    story.files['resources/web.yaml'] = app('web:2');
    const step = await story.plan(20);
    expect(held(step)).toEqual(['SameClusterConflict a']);
    expect(moves(step).filter((line) => !/ (keep|wait)$/.test(line))).toEqual([]);
    expect(step.plan.problems).toEqual([
      {
        severity: 'warning',
        code: 'same-cluster-conflict',
        message:
          'ClusterResourcePlacement web has 2 bindings on a (Bound, Bound): none of its bindings is changed until only one remains',
        fix: 'remove the surplus binding on a from its state.yaml on the status branch',
      },
    ]);
    expect(step.code).not.toBe(2);
  });

  it('a taint unpicks no cluster', async () => {
    const story = await settled();
    story.files['clusters/a.yaml'] = taint('a');
    expect(moves(await story.plan(20))).toEqual(['a Bound 0 keep', 'b Bound 0 keep']);
  });
});

describe('a cluster that leaves', () => {
  it.each([
    ['its file is gone', (story: Story) => delete story.files['clusters/a.yaml']],
    [
      'its file has a deletionTimestamp',
      (story: Story) => {
        story.files['clusters/a.yaml'] = member('a').replace(
          'name: a,',
          'name: a, deletionTimestamp: "2026-11-20T10:00:15Z", finalizers: [x],',
        );
      },
    ],
  ])('keeps what it has and has no target: %s', async (_, leave) => {
    const story = await settled();
    leave(story);
    const step = await story.plan(20);
    expect([moves(step), targets(step)]).toEqual([['b Bound 0 keep'], ['b other 0', 'b web 0']]);
    expect(step.plan.guard).toEqual([]);
  });
});

describe('an object dropped from what is selected', () => {
  it('is no part of the target any more, cluster by cluster as the rollout comes to them', async () => {
    const story = await settled(all, rolling(1, 1));
    const extra = '---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: extra, namespace: web}\n';
    const withExtra = (index: number): Observed => ({
      placements: [...(holds(index).placements ?? []), otherTold],
      objects: [
        namespace,
        deployment(2),
        otherNamespace,
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'extra', namespace: 'web' } },
      ],
    });
    story.files['resources/web.yaml'] = app('web:1', extra);
    await story.plan(20);
    story.seen = { a: withExtra(1), b: both() };
    await story.plan(30);
    story.seen = { a: withExtra(1), b: withExtra(1) };
    await story.plan(40);
    story.files['resources/web.yaml'] = app('web:1');
    const step = await story.plan(50);
    const names = (cluster: string) =>
      step.plan.targets
        .find((it: Document) => it.clusterName === cluster && it.placement.name === 'web')
        .objects.map(({ kind }: Document) => kind);
    expect(moves(step)).toEqual(['a Bound 2 update', 'b Bound 1 wait']);
    expect([names('a'), names('b')]).toEqual([
      ['Deployment', 'Namespace'],
      ['Deployment', 'ConfigMap', 'Namespace'],
    ]);
  });

  it('that waits for a finalizer for five minutes is reported, as long as it is there', async () => {
    const story = await settled();
    const extra = '---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: extra, namespace: web}\n';
    const labels = { 'gitfleet.dev/placement': 'web' };
    const shows = (index: number, ...objects: Document[]): Observed => ({
      placements: [...(holds(index).placements ?? []), otherTold],
      objects: [namespace, deployment(2), otherNamespace, ...objects],
    });
    const kept = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'extra', namespace: 'web', labels } };
    const metadata = { ...kept.metadata, deletionTimestamp: at(40), finalizers: ['acme.io/x'] };
    const ending = { ...kept, metadata };
    story.files['resources/web.yaml'] = app('web:1', extra);
    await story.plan(20);
    story.seen = { a: shows(1, kept), b: shows(1, kept) };
    await story.plan(30);
    story.files['resources/web.yaml'] = app('web:1');
    await story.plan(40);
    story.seen = { a: shows(2, ending), b: shows(2) };
    const early = await story.plan(50);
    expect([early.plan.holds, early.plan.wakeAt]).toEqual([[], at(340)]);
    const [hold, ...others] = (await story.plan(340)).plan.holds;
    expect([hold, others]).toEqual([
      {
        subject: { kind: 'ClusterResourcePlacement', name: 'web', clusterName: 'a' },
        reason: 'RemovalPending',
        message: `on a ConfigMap web/extra is being removed since ${at(40)} and waits for acme.io/x`,
      },
      [],
    ]);
    story.seen = { a: shows(2), b: shows(2) };
    expect((await story.plan(350)).plan.holds).toEqual([]);
  });

  it('a namespace that holds objects of others is held until they go', async () => {
    const story = await settled();
    delete story.files['web.yaml'];
    await story.plan(20);
    const foreign = {
      object: { apiVersion: 'v1', kind: 'Namespace', name: 'web' },
      result: 'ContainsForeignObjects',
      message: 'Namespace web holds 1 object(s) that are not of this placement: ConfigMap theirs',
    };
    story.seen = {
      a: {
        placements: [
          otherTold,
          { placement: { kind: 'ClusterResourcePlacement', name: 'web' }, done: true, results: [foreign] },
        ],
        objects: [namespace, otherNamespace],
      },
      b: without(),
    };
    const step = await story.plan(30);
    expect([held(step), webTargets(step)]).toEqual([['ContainsForeignObjects a'], ['a web removed']]);
  });
});
