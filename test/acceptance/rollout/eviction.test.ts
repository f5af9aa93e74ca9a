import { describe, expect, it } from 'vitest';
import type { Document } from '../../support/folders.ts';
import {
  app,
  deployment,
  eviction,
  held,
  holds,
  members,
  moves,
  namespace,
  type Observed,
  pickN,
  placement,
  placementEntry,
  rolling,
  type Step,
  Story,
  words,
} from './world.ts';

const budget = (spec: string, annotations = '{}') => `
apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterResourcePlacementDisruptionBudget
metadata: {name: web, annotations: ${annotations}}
spec: ${spec}
`;
const up = (): Observed => holds(0);
const down = (): Observed => holds(0, [namespace, deployment(0)]);

/** Placed on the first clusters of `seen`; each shows what is given for it. */
async function settled(
  policy: string,
  seen: Record<string, Observed>,
  more: Record<string, string> = {},
): Promise<Story> {
  const story = new Story({
    ...members(Object.keys(seen).join(' ')),
    'web.yaml': placement(policy, rolling('100%', 1)),
    'resources/web.yaml': app('web:1'),
    ...more,
  });
  story.seen = {};
  await story.plan();
  story.seen = seen;
  await story.plan(10);
  return story;
}

const verdicts = ({ plan }: Step): string[] =>
  plan.evictions.map(({ name, status }: Document) => [name, ...words(status.conditions)].join(' '));
const prefix = 'ClusterResourcePlacementEviction';
const valid = `Valid=True/${prefix}Valid`;
const executed = `${valid} Executed=True/${prefix}Executed`;
const blocked = `${valid} Executed=False/${prefix}NotExecuted`;
const invalid = `Valid=False/${prefix}Invalid`;

describe('an eviction without a budget', () => {
  it('removes the placement from the cluster; the scheduler may pick another, or the same again', async () => {
    const story = await settled(pickN(2), { a: {}, b: up(), c: up() });
    story.files['evict.yaml'] = eviction('e1', 'c');
    const step = await story.plan(20);
    expect(verdicts(step)).toEqual([`e1 ${executed}`]);
    // PickN fills the place at once: c is free to be picked again, ties go to the greatest name.
    expect(moves(step)).toEqual(['b Bound 0 keep', 'c Bound 0 remove', 'c Scheduled - wait']);
    expect(held(step)).toEqual(['SameClusterCleanup c']);
    expect(step.file('evictions/e1.yaml').status.conditions).toHaveLength(2);
  });

  it('of a tainted cluster moves the placement to another', async () => {
    const story = await settled(pickN(2), { a: {}, b: up(), c: up() });
    story.files['clusters/c.yaml'] = story.files['clusters/c.yaml']!.replace(
      'spec: {}',
      'spec: {taints: [{key: drain, value: "1", effect: NoSchedule}]}',
    );
    story.files['evict.yaml'] = eviction('e1', 'c');
    const step = await story.plan(20);
    expect(moves(step)).toEqual(['a Bound 0 add', 'b Bound 0 keep', 'c Bound 0 remove']);
  });

  it('is done once: its file may go, and its result stays', async () => {
    const story = await settled(pickN(2), { a: {}, b: up(), c: up() });
    story.files['evict.yaml'] = eviction('e1', 'c');
    await story.plan(20);
    story.seen = { a: {}, b: up(), c: {} };
    expect(moves(await story.plan(30))).toEqual(['b Bound 0 keep', 'c Bound 0 add']);
    story.seen = { a: {}, b: up(), c: up() };
    const again = await story.plan(40);
    expect([moves(again), verdicts(again)]).toEqual([['b Bound 0 keep', 'c Bound 0 keep'], [`e1 ${executed}`]]);
    delete story.files['evict.yaml'];
    expect(verdicts(await story.plan(50))).toEqual([`e1 ${executed}`]);
  });

  it.each(['v1', 'v1beta1', 'v1alpha1'])('is read in %s', async (version) => {
    const story = await settled(pickN(1), { a: up() });
    story.files['evict.yaml'] = eviction('e1', 'a', 'web', version);
    expect(verdicts(await story.plan(20))).toEqual([`e1 ${executed}`]);
  });
});

describe('an invalid eviction', () => {
  it.each<[rule: string, policy: string, file: string, problems: string[]]>([
    [
      'of a placement that is not there',
      pickN(1),
      eviction('e1', 'a', 'nothing'),
      ['warning dangling-reference evict.yaml:5:8'],
    ],
    [
      'of a cluster that the placement is not on',
      pickN(1),
      eviction('e1', 'zz'),
      ['warning dangling-reference evict.yaml:5:28'],
    ],
    [
      'of a PickFixed placement',
      '{placementType: PickFixed, clusterNames: [a]}',
      eviction('e1', 'a'),
      ['error eviction-refused evict.yaml:5:1'],
    ],
  ])('%s', async (_, policy, file, problems) => {
    const story = await settled(policy, { a: up() });
    story.files['evict.yaml'] = file;
    const step = await story.plan(20);
    expect(verdicts(step)).toEqual([`e1 ${invalid}`]);
    expect(
      step.plan.problems.map(({ severity, code, file: where, line, column }: Document) =>
        [severity, code, `${where}:${line}:${column}`].join(' '),
      ),
    ).toEqual(problems);
    expect(moves(step)).toEqual(['a Bound 0 keep']);
  });

  it('of a placement that is being deleted', async () => {
    const story = await settled(
      pickN(1),
      { a: up() },
      { 'other.yaml': placement(pickN(1)).replace('metadata: {name: web}', 'metadata: {name: other}') },
    );
    delete story.files['web.yaml'];
    story.files['evict.yaml'] = eviction('e1', 'a');
    const step = await story.plan(20);
    expect(verdicts(step)).toEqual([`e1 ${invalid}`]);
    expect(step.plan.problems.map(({ severity, code }: Document) => [severity, code])).toEqual([
      ['error', 'eviction-refused'],
    ]);
  });

  it('stays invalid when the cause is gone: a new one needs a new name', async () => {
    const story = await settled(pickN(1), { a: up() });
    story.files['evict.yaml'] = eviction('e1', 'zz');
    await story.plan(20);
    story.files['evict.yaml'] = eviction('e1', 'a');
    const step = await story.plan(30);
    expect(verdicts(step)).toEqual([`e1 ${invalid}`]);
    expect(step.plan.problems.map(({ code }: Document) => code)).toEqual(['immutable-field']);
  });
});

describe('an eviction of a binding', () => {
  it('that is being removed already has been carried out', async () => {
    const story = await settled('{placementType: PickAll}', { a: up(), b: up() });
    story.files['e1.yaml'] = eviction('e1', 'a');
    story.files['clusters/a.yaml'] = story.files['clusters/a.yaml']!.replace(
      'spec: {}',
      'spec: {taints: [{key: drain, value: "1", effect: NoSchedule}]}',
    );
    await story.plan(20);
    story.files['budget.yaml'] = budget('{minAvailable: 2}');
    story.files['e2.yaml'] = eviction('e2', 'a');
    expect(verdicts(await story.plan(30))[1]).toBe(`e2 ${executed}`);
  });

  it('that is not present is not carried out', async () => {
    const story = await settled(pickN(1), { a: up(), b: {} });
    // b is picked beside a; maxSurge 0 and the one that is not ready keep it Scheduled.
    story.files['web.yaml'] = placement(pickN(2), '{type: External}');
    await story.plan(20);
    story.files['e1.yaml'] = eviction('e1', 'a');
    const step = await story.plan(30);
    expect(verdicts(step)).toEqual([`e1 ${blocked}`]);
  });

  it('that has failed is carried out whatever the budget', async () => {
    const broken: Observed = {
      placements: [
        placementEntry(0, {
          results: [{ object: { apiVersion: 'v1', kind: 'Namespace', name: 'web' }, result: 'ManifestApplyFailed' }],
        }),
      ],
      objects: [],
    };
    const story = await settled(pickN(2), { a: broken, b: up() }, { 'budget.yaml': budget('{maxUnavailable: 0}') });
    story.files['e1.yaml'] = eviction('e1', 'a');
    expect(verdicts(await story.plan(20))).toEqual([`e1 ${executed}`]);
  });

  it('that reports differences is carried out whatever the budget, by a record without a placement too', async () => {
    const story = new Story(
      {
        ...members('a b'),
        'web.yaml': placement(pickN(2), rolling(0, 0)),
        'resources/web.yaml': app('web:1'),
        'budget.yaml': budget('{maxUnavailable: 0}'),
        'e1.yaml': eviction('e1', 'a'),
      },
      {
        'placements/web/state.yaml': `
apiVersion: gitfleet.dev/v1alpha1
kind: PlacementState
metadata: {name: web}
policySnapshots: [{index: 0, latest: true, numberOfClusters: 2, policy: {placementType: PickN}}]
resourceSnapshots: [{index: 0, latest: true}]
bindings:
- {targetCluster: a, state: Bound, policySnapshotIndex: 0, resourceSnapshotIndex: 0, conditions: [{type: DiffReported, status: "False", reason: NotAllWorkHaveDiffReported}]}
- {targetCluster: b, state: Bound, policySnapshotIndex: 0, resourceSnapshotIndex: 0, conditions: [{type: Available, status: "True", reason: AllWorkAreAvailable}]}
`,
      },
    );
    expect(verdicts(await story.plan())).toEqual([`e1 ${executed}`]);
  });

  it('that is merely not available yet counts as failed too', async () => {
    const story = await settled(pickN(2), { a: down(), b: up() }, { 'budget.yaml': budget('{maxUnavailable: 0}') });
    story.files['e1.yaml'] = eviction('e1', 'a');
    expect(verdicts(await story.plan(20))).toEqual([`e1 ${executed}`]);
  });
});

describe('a disruption budget', () => {
  const four = { a: up(), b: up(), c: up(), d: up() };
  it.each<[rule: string, policy: string, spec: string, seen: Record<string, Observed>, allows: boolean]>([
    // total 4, available 4, desired 4.
    ['maxUnavailable 1 allows the first', pickN(4), '{maxUnavailable: 1}', four, true],
    ['maxUnavailable 0 allows none', pickN(4), '{maxUnavailable: 0}', four, false],
    ['maxUnavailable 1 is used up by one that is down', pickN(4), '{maxUnavailable: 1}', { ...four, d: down() }, false],
    // ceil(10 % of 4) = 1.
    ['a percentage of maxUnavailable rounds up', pickN(4), '{maxUnavailable: "10%"}', four, true],
    ['minAvailable 4 of 4 allows none', pickN(4), '{minAvailable: 4}', four, false],
    ['minAvailable 3 of 4 allows one', pickN(4), '{minAvailable: 3}', four, true],
    // ceil(76 % of 4 = 3.04) = 4.
    ['a percentage of minAvailable rounds up', pickN(4), '{minAvailable: "76%"}', four, false],
    ['a percentage of minAvailable that comes out even', pickN(4), '{minAvailable: "75%"}', four, true],
    // The clusters asked for, not those found: ceil(50 % of 8) = 4.
    ['percentages are of the number asked for', pickN(8), '{minAvailable: "50%"}', four, false],
    ['PickAll counts minAvailable', '{placementType: PickAll}', '{minAvailable: 3}', four, true],
    ['PickAll with minAvailable too high', '{placementType: PickAll}', '{minAvailable: 4}', four, false],
    ['that is empty allows nothing', pickN(4), '{}', four, false],
  ])('%s', async (_, policy, spec, seen, allows) => {
    const story = await settled(policy, seen, { 'budget.yaml': budget(spec) });
    story.files['e1.yaml'] = eviction('e1', 'a');
    const step = await story.plan(20);
    expect(verdicts(step)).toEqual([`e1 ${allows ? executed : blocked}`]);
    expect(moves(step)[0]).toBe(allows ? 'a Bound 0 remove' : 'a Bound 0 keep');
  });

  it.each([
    ['maxUnavailable', '{maxUnavailable: 1}'],
    ['a percentage', '{minAvailable: "50%"}'],
  ])('of a PickAll placement with %s is a mistake in its file, and blocks', async (_, spec) => {
    const story = await settled('{placementType: PickAll}', four, { 'budget.yaml': budget(spec) });
    story.files['e1.yaml'] = eviction('e1', 'a');
    const step = await story.plan(20);
    expect(verdicts(step)).toEqual([`e1 ${blocked}`]);
    expect(step.code).toBe(2);
  });

  it('minAvailable 0 still blocks when nothing is available', async () => {
    const silent: Observed = { objects: [] };
    const story = await settled(pickN(1), { a: silent }, { 'budget.yaml': budget('{minAvailable: 0}') });
    story.files['e1.yaml'] = eviction('e1', 'a');
    expect(verdicts(await story.plan(20))).toEqual([`e1 ${blocked}`]);
  });

  it('is charged one eviction after the other, by name', async () => {
    const story = await settled(pickN(4), four, { 'budget.yaml': budget('{maxUnavailable: 1}') });
    story.files['e.yaml'] = [eviction('e2', 'b'), eviction('e1', 'a')].join('---\n');
    const step = await story.plan(20);
    expect(verdicts(step)).toEqual([`e1 ${executed}`, `e2 ${blocked}`]);
    const [, second] = step.plan.evictions;
    expect(second.status.conditions[1].message).toMatch(/availablePlacements: 3, totalPlacements: 4$/);
  });

  it('blocked once is blocked for good: there is no retry', async () => {
    const story = await settled(pickN(4), { ...four, d: down() }, { 'budget.yaml': budget('{maxUnavailable: 1}') });
    story.files['e1.yaml'] = eviction('e1', 'a');
    await story.plan(20);
    story.seen = four;
    expect(verdicts(await story.plan(30))).toEqual([`e1 ${blocked}`]);
    story.files['e2.yaml'] = eviction('e2', 'a');
    expect(verdicts(await story.plan(40))).toEqual([`e1 ${blocked}`, `e2 ${executed}`]);
  });

  it('does not bind a rollout, unless configured', async () => {
    const plain = await settled(pickN(4), four, { 'budget.yaml': budget('{maxUnavailable: 1}') });
    plain.files['resources/web.yaml'] = app('web:2');
    expect(moves(await plain.plan(20)).map((line) => line.split(' ').at(-1))).toEqual([
      'update',
      'update',
      'update',
      'update',
    ]);
    const scoped = await settled(pickN(4), four, {
      'budget.yaml': budget('{maxUnavailable: 1}', '{gitfleet.dev/budget-scope: all}'),
    });
    scoped.files['resources/web.yaml'] = app('web:2');
    const step = await scoped.plan(20);
    expect(moves(step)).toEqual(['a Bound 1 update', 'b Bound 0 wait', 'c Bound 0 wait', 'd Bound 0 wait']);
    expect(held(step)).toEqual(['RolloutBudget b', 'RolloutBudget c', 'RolloutBudget d']);
  });
});
