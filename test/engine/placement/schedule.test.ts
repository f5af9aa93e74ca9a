import { describe, expect, test } from 'vitest';
import type { MemberCluster } from '../../../src/api/member-cluster.ts';
import type { Binding, PolicySnapshotEntry } from '../../../src/api/placement-state.ts';
import { compileFleet } from '../../../src/engine/placement/compiled/compile-fleet.ts';
import { schedule } from '../../../src/engine/placement/schedule.ts';
import { cluster, digest, now, placementOf, survey } from './worlds.ts';

interface Setting {
  readonly policy: object;
  readonly fleet: readonly MemberCluster[];
  readonly bindings?: readonly Binding[];
  readonly snapshots?: readonly PolicySnapshotEntry[];
  readonly namespace?: string;
  readonly at?: string;
  readonly revisionHistoryLimit?: number;
}

const run = ({ policy, fleet, bindings = [], snapshots = [], at = now, ...rest }: Setting) =>
  schedule({
    placement: placementOf(policy, rest),
    state: { policySnapshots: snapshots, bindings },
    index: compileFleet(survey(fleet, at)),
    now: at,
    digest,
  });

/** `eu-1 Bound @0`, and what a decision says in one line. */
const states = (setting: Setting) =>
  run(setting).bindings.map(
    ({ targetCluster, state, policySnapshotIndex, deleting }) =>
      `${targetCluster} ${state}${deleting ? ' deleting' : ''} @${policySnapshotIndex}`,
  );
const selected = (setting: Setting) =>
  run(setting)
    .decisions.filter((decision) => decision.selected)
    .map(({ clusterName }) => clusterName);
const scores = (setting: Setting) =>
  Object.fromEntries(
    run(setting).decisions.flatMap(({ clusterName, clusterScore }) =>
      clusterScore ? [[clusterName, [clusterScore.topologySpreadScore, clusterScore.affinityScore]]] : [],
    ),
  );
const reasonsOf = (setting: Setting) =>
  Object.fromEntries(run(setting).decisions.map(({ clusterName, reason }) => [clusterName, reason]));

const clusters = (...names: string[]) => names.map((name) => cluster(name));
const withProperty = (name: string, values: Record<string, string | undefined>) =>
  Object.entries(values).map(([key, value]) =>
    cluster(key, value === undefined ? {} : { properties: { [name]: value } }),
  );
const required = (...clusterSelectorTerms: object[]) => ({
  clusterAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { clusterSelectorTerms } },
});
const preferring = (...terms: object[]) => ({
  clusterAffinity: { preferredDuringSchedulingIgnoredDuringExecution: terms },
});
const sortBy = (name: string, sortOrder: string, weight: number) => ({
  weight,
  preference: { propertySorter: { name, sortOrder } },
});
const pickN = (numberOfClusters: number, rest: object = {}) => ({ placementType: 'PickN', numberOfClusters, ...rest });
const bound = (targetCluster: string, rest: Partial<Binding> = {}): Binding => ({
  targetCluster,
  state: 'Bound',
  policySnapshotIndex: 0,
  resourceSnapshotIndex: 2,
  ...rest,
});
const scored = (affinityScore: number, topologySpreadScore = 0) => ({
  clusterDecision: { selected: true, clusterScore: { affinityScore, topologySpreadScore }, reason: 'recorded' },
});
const snapshotOf = (policy: object, rest: Partial<PolicySnapshotEntry> = {}): PolicySnapshotEntry[] => [
  { index: 0, latest: true, policy: placementOf(policy).spec.policy, ...rest },
];
const outside = 'ClusterUnschedulable, cluster does not match any of the required cluster affinity terms';

describe('required terms', () => {
  const labelled = [
    cluster('a', { labels: { env: 'prod', tier: 'gold' } }),
    cluster('b', { labels: { env: 'test' } }),
    cluster('c'),
  ];
  test.each<[rule: string, selector: object, names: string[]]>([
    [
      'In takes any listed value',
      { matchExpressions: [{ key: 'env', operator: 'In', values: ['prod', 'test'] }] },
      ['a', 'b'],
    ],
    [
      'NotIn takes an absent label',
      { matchExpressions: [{ key: 'env', operator: 'NotIn', values: ['prod'] }] },
      ['b', 'c'],
    ],
    ['Exists', { matchExpressions: [{ key: 'tier', operator: 'Exists' }] }, ['a']],
    ['DoesNotExist', { matchExpressions: [{ key: 'env', operator: 'DoesNotExist' }] }, ['c']],
    ['all parts of a selector are needed', { matchLabels: { env: 'prod', tier: 'tin' } }, []],
    ['an empty selector takes all', {}, ['a', 'b', 'c']],
    ['a cluster can be selected by its name', { matchLabels: { 'kubernetes-fleet.io/member-name': 'b' } }, ['b']],
  ])('%s', (_, labelSelector, names) => {
    expect(selected({ policy: { affinity: required({ labelSelector }) }, fleet: labelled })).toEqual(names);
  });

  test('any term is enough, within a term labels and properties are both needed', () => {
    const cost = { propertySelector: { matchExpressions: [{ name: 'cost', operator: 'Lt', values: ['2'] }] } };
    const fleet = [
      cluster('a', { labels: { env: 'prod' } }),
      cluster('b', { labels: { env: 'test' }, properties: { cost: '1' } }),
      cluster('c', { properties: { cost: '1' } }),
    ];
    const affinity = required(
      { labelSelector: { matchLabels: { env: 'prod' } } },
      { labelSelector: { matchLabels: { env: 'test' } }, ...cost },
    );
    expect(reasonsOf({ policy: { affinity }, fleet })).toMatchObject({ c: outside });
    expect(selected({ policy: { affinity }, fleet })).toEqual(['a', 'b']);
  });

  test('no terms at all match every cluster', () => {
    expect(selected({ policy: { affinity: required() }, fleet: clusters('a', 'b') })).toEqual(['a', 'b']);
  });

  test.each<[operator: string, names: string[]]>([
    ['Gt', ['c']],
    ['Ge', ['a', 'b', 'c']],
    ['Eq', ['a', 'b']],
    ['Ne', ['c', 'd']],
    ['Lt', ['d']],
    ['Le', ['a', 'b', 'd']],
  ])('%s compares exactly and never matches an absent property', (operator, names) => {
    const fleet = withProperty('size', { a: '1Gi', b: '1024Mi', c: '1073741825', d: '1G', e: undefined });
    const affinity = required({
      propertySelector: { matchExpressions: [{ name: 'size', operator, values: ['1048576Ki'] }] },
    });
    expect(selected({ policy: { affinity }, fleet })).toEqual(names);
  });

  test('a resource name may have dashes, and the old name of the node count works', () => {
    const fleet = [
      cluster('a', { status: { resourceUsage: { available: { 'ephemeral-storage': '1Ti' } } } }),
      cluster('b', { properties: { 'kubernetes-fleet.io/node-count': '3' } }),
    ];
    const having = (name: string) =>
      required({ propertySelector: { matchExpressions: [{ name, operator: 'Ge', values: ['1'] }] } });
    expect(
      selected({ policy: { affinity: having('resources.kubernetes-fleet.io/available-ephemeral-storage') }, fleet }),
    ).toEqual(['a']);
    expect(selected({ policy: { affinity: having('kubernetes.azure.com/node-count') }, fleet })).toEqual(['b']);
  });
});

describe('preferred terms', () => {
  test('the product page: available CPU 100, 20, 10 with weight 100, descending', () => {
    const usage = (cpu: string) => ({ status: { resourceUsage: { available: { cpu } } } });
    const fleet = [cluster('a', usage('100')), cluster('b', usage('20')), cluster('c', usage('10'))];
    const affinity = preferring(sortBy('resources.kubernetes-fleet.io/available-cpu', 'Descending', 100));
    expect(scores({ policy: pickN(1, { affinity }), fleet })).toEqual({ a: [0, 100], b: [0, 11], c: [0, 0] });
  });
  test('the product page: cost 1, 0.2, 0.1 with weight 100, ascending', () => {
    const name = 'kubernetes.azure.com/per-cpu-core-cost';
    const policy = pickN(1, { affinity: preferring(sortBy(name, 'Ascending', 100)) });
    expect(scores({ policy, fleet: withProperty(name, { a: '1', b: '0.2', c: '0.1' }) })).toEqual({
      a: [0, 0],
      b: [0, 89],
      c: [0, 100],
    });
  });
  test.each<[weight: number, middle: number]>([
    [5, 3],
    [-5, -3],
    [1, 1],
    [-1, -1],
    [3, 2],
    [0, 0],
  ])('half of weight %d is %d: half goes away from zero', (weight, middle) => {
    const fleet = withProperty('cost', { a: '0', b: '1', c: '2' });
    expect(
      scores({ policy: pickN(1, { affinity: preferring(sortBy('cost', 'Descending', weight)) }), fleet })['b'],
    ).toEqual([0, middle]);
  });
  test('terms are rounded one by one, then added', () => {
    const fleet = withProperty('cost', { a: '0', b: '1', c: '2' });
    const affinity = preferring(sortBy('cost', 'Descending', 1), sortBy('cost', 'Ascending', 1));
    expect(scores({ policy: pickN(1, { affinity }), fleet })['b']).toEqual([0, 2]);
  });
  test('a label preference gives its whole weight or nothing; with a sorter both are needed', () => {
    const labelSelector = { matchLabels: { env: 'prod' } };
    const fleet = [
      cluster('a', { labels: { env: 'prod' }, properties: { cost: '2' } }),
      cluster('b', { properties: { cost: '4' } }),
      cluster('c', { labels: { env: 'prod' }, properties: { cost: '0' } }),
    ];
    const sorted = {
      weight: 10,
      preference: { labelSelector, propertySorter: { name: 'cost', sortOrder: 'Descending' } },
    };
    expect(
      scores({ policy: pickN(1, { affinity: preferring({ weight: 7, preference: { labelSelector } }) }), fleet }),
    ).toEqual({ a: [0, 7], b: [0, 0], c: [0, 7] });
    expect(scores({ policy: pickN(1, { affinity: preferring(sorted) }), fleet })).toEqual({
      a: [0, 5],
      b: [0, 0],
      c: [0, 0],
    });
  });
  test('an absent property and a property without range score nothing', () => {
    const affinity = preferring(sortBy('cost', 'Ascending', 100));
    expect(
      scores({ policy: pickN(1, { affinity }), fleet: withProperty('cost', { a: '3', b: '3', c: undefined }) }),
    ).toEqual({ a: [0, 0], b: [0, 0], c: [0, 0] });
  });
});

describe('taints', () => {
  const tainted = (...taints: { key: string; value?: string }[]) => [cluster('a', { taints })];
  test.each<[rule: string, toleration: object | undefined, taint: { key: string; value?: string }, tolerated: boolean]>(
    [
      ['nothing tolerates nothing', undefined, { key: 'x' }, false],
      ['Equal needs key and value', { key: 'x', value: '1' }, { key: 'x', value: '1' }, true],
      ['another value is another taint', { key: 'x', value: '2' }, { key: 'x', value: '1' }, false],
      ['no value equals no value', { key: 'x' }, { key: 'x' }, true],
      ['Exists takes any value', { key: 'x', operator: 'Exists' }, { key: 'x', value: '1' }, true],
      ['Exists without a key takes all', { operator: 'Exists' }, { key: 'y' }, true],
      ['Exists of another key does not', { key: 'y', operator: 'Exists' }, { key: 'x' }, false],
      ['the effect may be named', { key: 'x', effect: 'NoSchedule' }, { key: 'x' }, true],
    ],
  )('%s', (_, toleration, taint, tolerated) => {
    expect(selected({ policy: { tolerations: toleration && [toleration] }, fleet: tainted(taint) })).toEqual(
      tolerated ? ['a'] : [],
    );
  });
  test('the reason names the first taint that is not tolerated', () => {
    const policy = { tolerations: [{ key: 'x', operator: 'Exists' }] };
    expect(reasonsOf({ policy, fleet: tainted({ key: 'x' }, { key: 'y', value: '1' }, { key: 'z' }) })).toEqual({
      a: 'ClusterUnschedulable, taint y=1:NoSchedule is not tolerated',
    });
  });
});

describe('namespace affinity', () => {
  const collects = (namespaces?: object) => ({
    status: { conditions: [{ type: 'NamespaceCollectionSucceeded', status: 'False' }], namespaces },
  });
  const fleet = [
    cluster('has', collects({ shop: '' })),
    cluster('lacks', collects({ other: '' })),
    cluster('nil', collects()),
    cluster('unknown'),
  ];
  test('a ResourcePlacement goes where its namespace is or may be', () => {
    expect(selected({ policy: {}, fleet, namespace: 'shop' })).toEqual(['has', 'unknown']);
    expect(reasonsOf({ policy: {}, fleet, namespace: 'shop' })['lacks']).toBe(
      'ClusterUnschedulable, namespace "shop" does not exist on the cluster',
    );
  });
  test('a ClusterResourcePlacement does not ask', () => {
    expect(selected({ policy: {}, fleet })).toEqual(['has', 'lacks', 'nil', 'unknown']);
  });
});

describe('topology spread', () => {
  const regions = (counts: Record<string, number>) =>
    Object.entries(counts).flatMap(([region, count]) =>
      Array.from({ length: count }, (_, at) => cluster(`${region}-${at + 1}`, { labels: { region } })),
    );
  const over = (whenUnsatisfiable: string, maxSkew = 1) => ({
    topologySpreadConstraints: [{ topologyKey: 'region', whenUnsatisfiable, maxSkew }],
  });
  const at = (names: string[], policy: object) => ({
    bindings: names.map((name) => bound(name)),
    snapshots: snapshotOf(policy, { numberOfClusters: 100 }),
  });

  test.each<[rule: string, live: string[], maxSkew: number, scores: Record<string, number>]>([
    ['even domains: a pick widens the skew', [], 1, { x: -1, y: -1 }],
    ['the only emptiest domain narrows it', ['x-1'], 1, { y: 1 }],
    ['a full domain is refused once the skew is spent', ['x-1'], 1, { y: 1 }],
    ['with room it costs one', ['x-1'], 2, { x: -1, y: 1 }],
  ])('%s', (_, live, maxSkew, expected) => {
    const policy = pickN(live.length + 1, over('DoNotSchedule', maxSkew));
    const result = run({ policy, fleet: regions({ x: 3, y: 3 }), ...at(live, policy) });
    const found: Record<string, number> = {};
    for (const { clusterName, clusterScore, reason } of result.decisions) {
      if (clusterScore && reason !== 'recorded' && !live.includes(clusterName))
        found[clusterName[0]!] = clusterScore.topologySpreadScore;
    }
    expect(found).toEqual(expected);
  });

  test('two emptiest domains: filling one changes nothing', () => {
    const policy = pickN(2, over('DoNotSchedule'));
    expect(scores({ policy, fleet: regions({ x: 2, y: 2, z: 2 }), ...at(['x-1'], policy) })).toMatchObject({
      'z-2': [0, 0],
      'y-1': [0, 0],
    });
  });
  test('a soft constraint costs 1000 instead of refusing', () => {
    const policy = pickN(2, over('ScheduleAnyway'));
    expect(
      scores({
        policy,
        fleet: regions({ x: 2, y: 0 }).concat(cluster('y-1', { labels: { region: 'y' }, taints: [{ key: 'k' }] })),
        ...at(['x-1'], policy),
      }),
    ).toEqual({ 'x-2': [-1000, 0] });
  });
  test('a cluster without the label neither counts nor violates', () => {
    const policy = pickN(2, over('DoNotSchedule'));
    expect(selected({ policy, fleet: [...regions({ x: 2 }), cluster('plain')], bindings: [] })).toEqual([
      'plain',
      'x-2',
    ]);
  });
  test('only live bindings of the current policy count', () => {
    const policy = pickN(1, over('DoNotSchedule'));
    const bindings = [
      bound('x-1', { deleting: true }),
      bound('x-2', { state: 'Unscheduled' }),
      bound('x-3', { policySnapshotIndex: 7 }),
    ];
    const snapshots = snapshotOf(policy, { index: 8 });
    expect(scores({ policy, fleet: regions({ x: 3, y: 1 }), bindings, snapshots })).toMatchObject({
      'x-3': [-1, 0],
      'y-1': [-1, 0],
    });
  });
  test('picks alternate between domains, ties to the greatest name', () => {
    expect(selected({ policy: pickN(4, over('DoNotSchedule')), fleet: regions({ x: 3, y: 3 }) })).toEqual([
      'x-3',
      'x-2',
      'y-3',
      'y-2',
    ]);
  });
  test('the first violated hard constraint is the reason, the others follow', () => {
    const both = { topologySpreadConstraints: [{ topologyKey: 'zone' }, { topologyKey: 'region' }] };
    const place = (name: string, region: string, rest: object = {}) =>
      cluster(name, { labels: { region, zone: region }, ...rest });
    const policy = pickN(2, both);
    const fleet = [place('a', 'x'), place('b', 'x'), place('c', 'y', { taints: [{ key: 'k' }] })];
    expect(reasonsOf({ policy, fleet, ...at(['a'], policy) })['b']).toBe(
      'ClusterUnschedulable, violated doNotSchedule topology spread constraint "zone" (max skew 1); violated doNotSchedule topology spread constraint "region" (max skew 1)',
    );
  });
  test('after a policy change only the first cycle knows what is obsolete; what is picked later is revived', () => {
    const policy = pickN(2, over('ScheduleAnyway', 5));
    const fleet = regions({ x: 3, y: 3 });
    const bindings = [bound('x-1'), bound('y-1', { state: 'Scheduled' }), bound('y-3')];
    expect(states({ policy, fleet, bindings, snapshots: snapshotOf(pickN(3)) })).toEqual([
      'x-1 Unscheduled @0',
      'x-3 Scheduled @1',
      'y-1 Unscheduled @0',
      'y-3 Bound @1',
    ]);
  });
});

describe('PickN', () => {
  test('ties go to the greatest name, decisions are best first, then the losers best first, then filtered by name', () => {
    const fleet = [
      ...clusters('a', 'b', 'c', 'd'),
      cluster('e', { leaving: true }),
      cluster('f', { taints: [{ key: 'k' }] }),
    ];
    expect(run({ policy: pickN(2), fleet }).decisions).toEqual([
      {
        clusterName: 'd',
        selected: true,
        clusterScore: { affinityScore: 0, topologySpreadScore: 0 },
        reason: 'picked by scheduling policy: cluster "d" (affinity score: 0, topology spread score: 0)',
      },
      {
        clusterName: 'c',
        selected: true,
        clusterScore: { affinityScore: 0, topologySpreadScore: 0 },
        reason: 'picked by scheduling policy: cluster "c" (affinity score: 0, topology spread score: 0)',
      },
      {
        clusterName: 'b',
        selected: false,
        clusterScore: { affinityScore: 0, topologySpreadScore: 0 },
        reason: 'cluster "b" does not score high enough (affinity score: 0, topology spread score: 0)',
      },
      {
        clusterName: 'a',
        selected: false,
        clusterScore: { affinityScore: 0, topologySpreadScore: 0 },
        reason: 'cluster "a" does not score high enough (affinity score: 0, topology spread score: 0)',
      },
      { clusterName: 'e', selected: false, reason: 'ClusterUnschedulable, cluster is leaving the fleet' },
      { clusterName: 'f', selected: false, reason: 'ClusterUnschedulable, taint k:NoSchedule is not tolerated' },
    ]);
  });
  test('too few clusters: all that fit are bound, the rest is reported', () => {
    const { scheduled, bindings } = run({ policy: pickN(3), fleet: clusters('a', 'b') });
    expect(bindings.map(({ targetCluster }) => targetCluster)).toEqual(['a', 'b']);
    expect(scheduled).toEqual({
      type: 'Scheduled',
      status: 'False',
      reason: 'SchedulingPolicyUnfulfilled',
      message: 'could not find all clusters needed as specified by the scheduling policy, found 2 cluster(s) instead',
      lastTransitionTime: now,
    });
  });
  test('a new binding is Scheduled, without a resource snapshot, with its decision', () => {
    const decision = {
      clusterName: 'a',
      selected: true,
      clusterScore: { affinityScore: 0, topologySpreadScore: 0 },
      reason: 'picked by scheduling policy: cluster "a" (affinity score: 0, topology spread score: 0)',
    };
    expect(run({ policy: pickN(1), fleet: clusters('a') }).bindings).toEqual([
      { targetCluster: 'a', state: 'Scheduled', policySnapshotIndex: 0, clusterDecision: decision },
    ]);
  });
  test('what is picked stays, however bad it becomes', () => {
    const fleet = [cluster('a', { taints: [{ key: 'k' }], status: { agentStatus: [] } }), cluster('b')];
    const policy = pickN(1, { affinity: required({ labelSelector: { matchLabels: { env: 'prod' } } }) });
    const setting = { policy, fleet, bindings: [bound('a')], snapshots: snapshotOf(policy) };
    expect(states(setting)).toEqual(['a Bound @0']);
    expect(run(setting).scheduled.status).toBe('True');
  });
  test('scale-down: Scheduled before Bound, then lowest recorded topology, affinity and name; unscored first', () => {
    const order = [
      bound('h', { state: 'Scheduled', ...scored(100, 9) }),
      bound('g'),
      bound('f', scored(50, -1)),
      bound('b', scored(1)),
      bound('c', scored(1)),
      bound('a', scored(2)),
    ];
    const fleet = clusters('a', 'b', 'c', 'f', 'g', 'h');
    for (let wanted = 0; wanted <= order.length; wanted++) {
      const kept = order.slice(order.length - wanted).map(({ targetCluster }) => targetCluster);
      expect(
        new Set(selected({ policy: pickN(wanted), fleet, bindings: order, snapshots: snapshotOf(pickN(6)) })),
      ).toEqual(new Set(kept));
    }
  });
  test('scale-down keeps the snapshot and remembers who was Bound', () => {
    const bindings = [bound('a', scored(1)), bound('b', { state: 'Scheduled', ...scored(2) }), bound('c', scored(3))];
    const result = run({
      policy: pickN(1),
      fleet: clusters('a', 'b', 'c'),
      bindings,
      snapshots: snapshotOf(pickN(3), { numberOfClusters: 3 }),
    });
    expect(result.policySnapshots.map(({ index, numberOfClusters }) => [index, numberOfClusters])).toEqual([[0, 1]]);
    expect(
      result.bindings.map(({ targetCluster, state, previousState }) => [targetCluster, state, previousState]),
    ).toEqual([
      ['a', 'Unscheduled', 'Bound'],
      ['b', 'Unscheduled', undefined],
      ['c', 'Bound', undefined],
    ]);
  });
  test('with enough live bindings every obsolete one goes, in favour of nothing', () => {
    const bindings = [bound('a'), bound('b', { policySnapshotIndex: 3 })];
    expect(
      states({ policy: pickN(1), fleet: clusters('a', 'b'), bindings, snapshots: snapshotOf(pickN(1), { index: 3 }) }),
    ).toEqual(['a Unscheduled @0', 'b Bound @3']);
  });
  test('after a policy change the former host wins ties, and only ties', () => {
    const changed = { tolerations: [{ operator: 'Exists' }] };
    const setting = { fleet: clusters('a', 'b', 'c'), bindings: [bound('a')], snapshots: snapshotOf(pickN(1)) };
    expect(states({ ...setting, policy: pickN(1, changed) })).toEqual(['a Bound @1']);
    const affinity = preferring({
      weight: 1,
      preference: { labelSelector: { matchLabels: { 'kubernetes-fleet.io/member-name': 'b' } } },
    });
    expect(states({ ...setting, policy: pickN(1, { ...changed, affinity }) })).toEqual([
      'a Unscheduled @0',
      'b Scheduled @1',
    ]);
  });
  test('an unscheduled binding is revived in the state it had; one that was never Bound becomes Scheduled', () => {
    const bindings = [
      bound('a', { state: 'Unscheduled', previousState: 'Bound' }),
      bound('b', { state: 'Unscheduled' }),
    ];
    const result = run({ policy: pickN(2), fleet: clusters('a', 'b'), bindings, snapshots: snapshotOf(pickN(1)) });
    expect(
      result.bindings.map(({ targetCluster, state, previousState, resourceSnapshotIndex }) => ({
        targetCluster,
        state,
        previousState,
        resourceSnapshotIndex,
      })),
    ).toEqual([
      { targetCluster: 'a', state: 'Bound', previousState: undefined, resourceSnapshotIndex: 2 },
      { targetCluster: 'b', state: 'Scheduled', previousState: undefined, resourceSnapshotIndex: 2 },
    ]);
  });
  test('a cluster that left or is leaving loses its binding and is replaced', () => {
    const fleet = [cluster('a', { leaving: true }), cluster('c')];
    const bindings = [bound('a'), bound('b'), bound('c')];
    const setting = { policy: pickN(2), fleet: [...fleet, cluster('d')], bindings, snapshots: snapshotOf(pickN(2)) };
    expect(states(setting)).toEqual(['a Unscheduled @0', 'b Unscheduled @0', 'c Bound @0', 'd Scheduled @0']);
  });
  test('a deleting binding holds nothing: its cluster can be picked anew', () => {
    const bindings = [bound('b', { deleting: true })];
    expect(states({ policy: pickN(1), fleet: clusters('a', 'b'), bindings, snapshots: snapshotOf(pickN(1)) })).toEqual([
      'b Bound deleting @0',
      'b Scheduled @0',
    ]);
  });
  test('a recorded decision stands: the score is that of the cycle in which the cluster was picked', () => {
    const setting = {
      policy: pickN(2),
      fleet: clusters('a', 'b', 'c'),
      bindings: [bound('a', scored(5)), bound('b', scored(7))],
      snapshots: snapshotOf(pickN(2)),
    };
    expect(
      run(setting)
        .decisions.slice(0, 2)
        .map(({ clusterName, clusterScore, reason }) => [clusterName, clusterScore?.affinityScore, reason]),
    ).toEqual([
      ['b', 7, 'recorded'],
      ['a', 5, 'recorded'],
    ]);
  });
  test('a binding without a recorded score comes last and carries none', () => {
    const setting = {
      policy: pickN(2),
      fleet: clusters('a', 'z'),
      bindings: [bound('a', scored(-5)), bound('z')],
      snapshots: snapshotOf(pickN(2)),
    };
    expect(
      run(setting).decisions.map(({ clusterName, clusterScore }) => [clusterName, clusterScore?.affinityScore]),
    ).toEqual([
      ['a', -5],
      ['z', undefined],
    ]);
  });
});

describe('PickAll', () => {
  test('takes every cluster that passes, by name, with zero scores', () => {
    const fleet = [...clusters('b', 'a'), cluster('c', { taints: [{ key: 'k' }] })];
    expect(
      run({ policy: {}, fleet }).decisions.map(({ clusterName, selected: yes, clusterScore }) => [
        clusterName,
        yes,
        clusterScore,
      ]),
    ).toEqual([
      ['a', true, { affinityScore: 0, topologySpreadScore: 0 }],
      ['b', true, { affinityScore: 0, topologySpreadScore: 0 }],
      ['c', false, undefined],
    ]);
  });
  test('ignores preferred terms, their bad properties included', () => {
    const fleet = withProperty('cost', { a: 'cheap' });
    expect(selected({ policy: { affinity: preferring(sortBy('cost', 'Ascending', 5)) }, fleet })).toEqual(['a']);
  });
  test('keeps what passed before, drops the obsolete that no longer passes', () => {
    const prod = { affinity: required({ labelSelector: { matchLabels: { env: 'prod' } } }) };
    const fleet = [cluster('a'), cluster('b', { labels: { env: 'prod' } })];
    expect(states({ policy: prod, fleet, bindings: [bound('a')], snapshots: snapshotOf(prod) })).toEqual([
      'a Bound @0',
      'b Scheduled @0',
    ]);
    expect(states({ policy: prod, fleet, bindings: [bound('a'), bound('b')], snapshots: snapshotOf({}) })).toEqual([
      'a Unscheduled @0',
      'b Bound @1',
    ]);
  });
});

describe('PickFixed', () => {
  const fixed = (...clusterNames: string[]) => ({ placementType: 'PickFixed', clusterNames });
  test('takes the named clusters in spec order, taints and labels aside, and never scores', () => {
    const fleet = [cluster('a', { taints: [{ key: 'k' }] }), ...clusters('b', 'c')];
    expect(run({ policy: fixed('c', 'a'), fleet }).decisions).toEqual([
      { clusterName: 'c', selected: true, reason: 'picked by scheduling policy: cluster "c" is named in it' },
      { clusterName: 'a', selected: true, reason: 'picked by scheduling policy: cluster "a" is named in it' },
    ]);
  });
  test('reports what is not found or not eligible', () => {
    const fleet = [cluster('a', { status: { agentStatus: [] } }), cluster('b')];
    const result = run({ policy: fixed('z', 'a', 'b'), fleet });
    expect(result.scheduled).toMatchObject({ status: 'False', reason: 'SchedulingPolicyUnfulfilled' });
    expect(result.decisions.map(({ clusterName, selected: yes, reason }) => [clusterName, yes, reason])).toEqual([
      ['b', true, 'picked by scheduling policy: cluster "b" is named in it'],
      ['z', false, 'cluster "z" is not found in the fleet'],
      [
        'a',
        false,
        'cluster "a" is not eligible for resource placement yet: cluster is not connected to the fleet: member agent is not online yet',
      ],
    ]);
  });
  test('a cluster that became ineligible while bound keeps its binding and counts as not selected', () => {
    const fleet = [cluster('a', { status: { agentStatus: [] } })];
    const setting = { policy: fixed('a'), fleet, bindings: [bound('a')], snapshots: snapshotOf(fixed('a')) };
    expect(states(setting)).toEqual(['a Bound @0']);
    expect(run(setting).decisions[0]).toMatchObject({ clusterName: 'a', selected: false });
    expect(run(setting).scheduled.status).toBe('False');
  });
  test('a policy change takes the binding of an ineligible cluster away, even a named one', () => {
    const fleet = [cluster('a', { status: { agentStatus: [] } }), ...clusters('b', 'c')];
    const bindings = [bound('a'), bound('b'), bound('d', { state: 'Unscheduled', previousState: 'Bound' })];
    expect(states({ policy: fixed('a', 'b', 'c'), fleet, bindings, snapshots: snapshotOf(fixed('a', 'b')) })).toEqual([
      'a Unscheduled @0',
      'b Bound @1',
      'c Scheduled @1',
      'd Unscheduled @0',
    ]);
  });
});

describe('policy snapshots', () => {
  const indexes = (setting: Setting) =>
    run(setting).policySnapshots.map(({ index, latest }) => `${index}${latest ? ' latest' : ''}`);
  const policy = { tolerations: [{ key: 'x', operator: 'Exists' }] };
  const [entry] = snapshotOf(policy);
  const other: PolicySnapshotEntry = { index: 1, latest: true, policy: placementOf({}).spec.policy };

  test.each<[rule: string, snapshots: PolicySnapshotEntry[], expected: string[]]>([
    ['the first has index 0', [], ['0 latest']],
    ['the same policy keeps its snapshot', [entry!], ['0 latest']],
    [
      'another policy makes the next one',
      [
        { ...entry!, latest: false },
        { ...other, index: 4 },
      ],
      ['0', '4', '5 latest'],
    ],
    [
      'going back makes a third, since only the latest is compared',
      [{ ...entry!, latest: false }, other],
      ['0', '1', '2 latest'],
    ],
    [
      'without a latest the highest index is',
      [
        { ...other, index: 0, latest: false },
        { ...entry!, index: 3, latest: false },
      ],
      ['0', '3 latest'],
    ],
    [
      'of several latest the highest is',
      [
        { ...other, index: 0 },
        { ...entry!, index: 3 },
      ],
      ['0', '3 latest'],
    ],
    [
      'a recorded hash is enough',
      [
        {
          ...entry!,
          policy: placementOf({}).spec.policy,
          policyHash: run({ policy, fleet: [] }).policySnapshots[0]!.policyHash!,
        },
      ],
      ['0 latest'],
    ],
    [
      'an empty list is no change',
      [{ ...entry!, policy: { ...entry!.policy, topologySpreadConstraints: [] } }],
      ['0 latest'],
    ],
  ])('%s', (_, snapshots, expected) => {
    expect(indexes({ policy, fleet: [], snapshots })).toEqual(expected);
  });

  test('history is pruned to its limit when a snapshot is added', () => {
    const snapshots = [0, 1, 2].map((index) => ({ ...other, index, latest: index === 2 }));
    expect(indexes({ policy, fleet: [], snapshots, revisionHistoryLimit: 2 })).toEqual(['2', '3 latest']);
    expect(indexes({ policy, fleet: [], snapshots, revisionHistoryLimit: 1 })).toEqual(['3 latest']);
    expect(indexes({ policy: {}, fleet: [], snapshots, revisionHistoryLimit: 1 })).toEqual(['0', '1', '2 latest']);
  });
  test('the number of clusters is beside the policy: a new one is no new snapshot', () => {
    const result = run({ policy: pickN(2), fleet: [], snapshots: snapshotOf(pickN(5), { numberOfClusters: 5 }) });
    expect(result.policySnapshots).toMatchObject([{ index: 0, numberOfClusters: 2, policy: { numberOfClusters: 5 } }]);
  });
  test('Scheduled keeps its time while its status does, over snapshots too', () => {
    const first = run({ policy: pickN(1), fleet: clusters('a') });
    const later = {
      at: '2026-11-20T11:00:00Z',
      fleet: clusters('a'),
      bindings: first.bindings,
      snapshots: first.policySnapshots,
    };
    expect(run({ ...later, policy: pickN(1, policy) }).scheduled).toMatchObject({
      status: 'True',
      lastTransitionTime: now,
    });
    expect(run({ ...later, policy: pickN(2) }).scheduled).toMatchObject({
      status: 'False',
      lastTransitionTime: '2026-11-20T11:00:00Z',
    });
  });
});

describe('explanations', () => {
  test('further reasons follow the first', () => {
    const fleet = [
      cluster('a', {
        taints: [{ key: 'k' }],
        properties: { cost: 'cheap' },
        status: { properties: { cost: { value: 'cheap' } }, agentStatus: [] },
      }),
    ];
    const affinity = required({
      labelSelector: { matchLabels: { env: 'prod' } },
      propertySelector: { matchExpressions: [{ name: 'cost', operator: 'Gt', values: ['1'] }] },
    });
    expect(reasonsOf({ policy: { affinity }, fleet })['a']).toBe(
      `${outside}; property "cost" has the value "cheap", which is not a quantity; cluster is not connected to the fleet: member agent is not online yet; taint k:NoSchedule is not tolerated`,
    );
  });
  test('are those of the last cycle, and stand while nothing changed', () => {
    const region = (name: string, value: string) => cluster(name, { labels: { region: value } });
    const fleet = [region('a', 'x'), region('b', 'x'), region('c', 'y')];
    const policy = pickN(2, { topologySpreadConstraints: [{ topologyKey: 'region', maxSkew: 1 }] });
    const first = run({ policy, fleet });
    // The second cycle saw x empty; by the present bindings another pick in x would cost one.
    expect(first.decisions.at(-1)).toEqual({
      clusterName: 'a',
      selected: false,
      clusterScore: { affinityScore: 0, topologySpreadScore: 1 },
      reason: 'cluster "a" does not score high enough (affinity score: 0, topology spread score: 1)',
    });
    const again = { policy, bindings: first.bindings, snapshots: first.policySnapshots };
    expect(run({ ...again, fleet }).decisions).toEqual(first.decisions);
    // A label that the policy does not read is no change, one that it reads is.
    expect(
      run({ ...again, fleet: [cluster('a', { labels: { region: 'x', note: 'new' } }), ...fleet.slice(1)] }).decisions,
    ).toEqual(first.decisions);
    expect(run({ ...again, fleet: [...fleet, region('d', 'y')] }).decisions.slice(2)).toMatchObject([
      { clusterName: 'd', clusterScore: { topologySpreadScore: -1 } },
      { clusterName: 'a', clusterScore: { topologySpreadScore: -1 } },
    ]);
  });
  test('exist without a cycle too', () => {
    const setting = {
      policy: pickN(1),
      fleet: clusters('a', 'b'),
      bindings: [bound('a', scored(0))],
      snapshots: snapshotOf(pickN(1)),
    };
    expect(run(setting).decisions.map(({ clusterName }) => clusterName)).toEqual(['a', 'b']);
  });
  test('are cut at a thousand decisions, selected ones first', () => {
    const fleet = Array.from({ length: 1200 }, (_, at) =>
      cluster(`c-${String(at).padStart(4, '0')}`, at < 150 ? { taints: [{ key: 'k' }] } : {}),
    );
    const { decisions, bindings } = run({ policy: pickN(900), fleet });
    expect([decisions.length, decisions.filter((decision) => decision.selected).length, bindings.length]).toEqual([
      1000, 900, 900,
    ]);
    expect(decisions[900]!.clusterName).toBe('c-0299');
    expect(run({ policy: {}, fleet }).bindings).toHaveLength(1050);
    expect(run({ policy: {}, fleet }).decisions).toHaveLength(1000);
  });
});

describe('wakes', () => {
  const seen = (lastReceivedHeartbeat: string) => ({
    status: {
      agentStatus: [
        {
          type: 'MemberAgent',
          conditions: [
            { type: 'Joined', status: 'True' },
            { type: 'Healthy', status: 'True' },
          ],
          lastReceivedHeartbeat,
        },
      ],
    },
  });
  const fleet = [
    cluster('a', seen('2026-11-20T09:58:00Z')),
    cluster('b', seen('2026-11-20T09:59:00Z')),
    cluster('c', seen('2026-11-20T09:57:00Z')),
  ];
  test.each<[rule: string, policy: object, wakes: string[]]>([
    ['the first other cluster that goes stale', pickN(1), ['2026-11-20T10:03:00.001Z']],
    ['never, when all are selected', {}, []],
    [
      'PickFixed: the first named one',
      { placementType: 'PickFixed', clusterNames: ['b'] },
      ['2026-11-20T10:04:00.001Z'],
    ],
  ])('%s', (_, policy, wakes) => {
    expect(run({ policy, fleet }).wakes).toEqual(wakes);
  });
  test('time alone changes the plan at that instant and not before', () => {
    const first = run({ policy: pickN(1), fleet });
    const again = { policy: pickN(1), fleet, bindings: first.bindings, snapshots: first.policySnapshots };
    expect(run({ ...again, at: '2026-11-20T10:03:00Z' }).decisions).toEqual(first.decisions);
    expect(run({ ...again, at: '2026-11-20T10:03:00.001Z' }).decisions).not.toEqual(first.decisions);
  });
});

describe('the ten surprises', () => {
  const region = (name: string, value: string, rest: object = {}) =>
    cluster(name, { labels: { region: value }, ...rest });
  const hard = { topologySpreadConstraints: [{ topologyKey: 'region', maxSkew: 1 }] };
  test('1 kept: ties go to the greatest name on pick, to the smallest on scale-down', () => {
    const first = run({ policy: pickN(2), fleet: clusters('a', 'b', 'c') });
    expect(
      states({
        policy: pickN(1),
        fleet: clusters('a', 'b', 'c'),
        bindings: first.bindings,
        snapshots: first.policySnapshots,
      }),
    ).toEqual(['b Unscheduled @0', 'c Scheduled @0']);
  });
  test('2 kept: min and max include clusters that nothing may be placed on', () => {
    const fleet = [
      ...withProperty('cost', { a: '1', b: '2' }),
      cluster('c', { properties: { cost: '5' }, leaving: true }),
    ];
    expect(scores({ policy: pickN(1, { affinity: preferring(sortBy('cost', 'Descending', 100)) }), fleet })).toEqual({
      b: [0, 25],
      a: [0, 0],
    });
  });
  test('3 kept: an empty domain without a usable cluster caps all others at maxSkew', () => {
    const fleet = [region('a', 'x'), region('b', 'x'), region('c', 'y', { leaving: true })];
    expect(states({ policy: pickN(2, hard), fleet })).toEqual(['b Scheduled @0']);
  });
  test('4 kept: a repairing move is refused while the global skew stays too high', () => {
    const policy = pickN(4, hard);
    const fleet = [...['1', '2', '3'].map((n) => region(`x-${n}`, 'x')), region('y-1', 'y')];
    const bindings = ['x-1', 'x-2', 'x-3'].map((name) => bound(name));
    expect(states({ policy, fleet, bindings, snapshots: snapshotOf(policy) })).toEqual([
      'x-1 Bound @0',
      'x-2 Bound @0',
      'x-3 Bound @0',
    ]);
  });
  test('5 PickAll is fulfilled with zero clusters (kept); an empty PickFixed list removes what it had (ours)', () => {
    expect(run({ policy: {}, fleet: [] }).scheduled).toMatchObject({
      status: 'True',
      reason: 'SchedulingPolicyFulfilled',
    });
    const none = { placementType: 'PickFixed', clusterNames: [] };
    const setting = { policy: none, fleet: clusters('a'), bindings: [bound('a')] };
    expect(states({ ...setting, snapshots: snapshotOf({ placementType: 'PickFixed', clusterNames: ['a'] }) })).toEqual([
      'a Unscheduled @0',
    ]);
    expect(states({ ...setting, snapshots: snapshotOf(none) })).toEqual(['a Unscheduled @0']);
    expect(run(setting).scheduled.status).toBe('True');
  });
  test('6 ours: bad data on one cluster disqualifies that cluster only', () => {
    const fleet = withProperty('cost', { a: '1', b: 'cheap', c: '3', d: '2' });
    const policy = pickN(4, { affinity: preferring(sortBy('cost', 'Descending', 100)) });
    expect(scores({ policy, fleet })).toEqual({ c: [0, 100], d: [0, 50], a: [0, 0] });
    expect(reasonsOf({ policy, fleet })['b']).toBe(
      'ClusterUnschedulable, property "cost" has the value "cheap", which is not a quantity',
    );
  });
  test('6 ours: also when another term would match', () => {
    const fleet = withProperty('k8s.io/k8s-version', { a: 'v1.30.9', b: undefined });
    const affinity = required(
      { labelSelector: {} },
      { propertySelector: { matchExpressions: [{ name: 'k8s.io/k8s-version', operator: 'Gt', values: ['1'] }] } },
    );
    expect(selected({ policy: { affinity }, fleet })).toEqual(['b']);
  });
  test('7 and 8 ours: all unselected clusters are explained, with all reasons, and the texts follow the fleet', () => {
    const policy = pickN(1);
    const setting = { policy, bindings: [bound('z', scored(0))], snapshots: snapshotOf(policy) };
    const many = Array.from({ length: 30 }, (_, at) => cluster(`c-${at}`));
    const first = run({ ...setting, fleet: [...many, cluster('z')] });
    expect(first.decisions).toHaveLength(31);
    const again = run({
      policy,
      bindings: first.bindings,
      snapshots: first.policySnapshots,
      fleet: [...many.slice(1), cluster('c-0', { taints: [{ key: 'k' }] }), cluster('z')],
    });
    expect(again.decisions.at(-1)).toEqual({
      clusterName: 'c-0',
      selected: false,
      reason: 'ClusterUnschedulable, taint k:NoSchedule is not tolerated',
    });
  });
  test('7 and 8 ours: a property that moves without changing a verdict or a text leaves the record as it is', () => {
    const term = { propertySelector: { matchExpressions: [{ name: 'cores', operator: 'Ge', values: ['4'] }] } };
    const policy = pickN(1, { affinity: required(term) });
    const first = run({ policy, fleet: withProperty('cores', { a: '8', b: '1' }) });
    const on = (b: string) =>
      run({
        policy,
        bindings: first.bindings,
        snapshots: first.policySnapshots,
        fleet: withProperty('cores', { a: '7', b }),
      });
    expect(on('2').policySnapshots).toEqual(first.policySnapshots);
    expect(on('4').policySnapshots).not.toEqual(first.policySnapshots);
  });
  test('9 ours: preferred terms under PickAll are ignored, not refused', () => {
    const policy = { affinity: preferring(sortBy('cost', 'Descending', 100)) };
    expect(scores({ policy, fleet: withProperty('cost', { a: '1', b: '2' }) })).toEqual({ a: [0, 0], b: [0, 0] });
  });
  test('10 ours: the message follows the count even where status and reason stay', () => {
    const first = run({ policy: pickN(3), fleet: clusters('a') });
    const again = run({
      policy: pickN(3),
      fleet: clusters('a', 'b'),
      bindings: first.bindings,
      snapshots: first.policySnapshots,
    });
    expect(again.scheduled.message).toContain('found 2 cluster(s)');
  });
});
