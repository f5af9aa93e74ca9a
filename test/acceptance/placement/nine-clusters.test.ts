import { describe, expect, it } from 'vitest';
import { carriedOut, filtered, member, outscored, type Planned, picked, placement, plan, seen, shop } from './world.ts';

/*
 * The fleet on which KubeFleet's own scheduler suite (test/scheduler) runs: seven clusters over three regions and two
 * environments, one whose heartbeat is long gone and one that leaves. What is expected here is what that suite expects.
 */

interface Facts {
  readonly region: string;
  readonly env: string;
  readonly nodes?: string;
  readonly rating?: string;
  /** Total, allocatable, available. */
  readonly cpu?: readonly [string, string, string];
  /** Likewise, in Gi. */
  readonly memory?: readonly [number, number, number];
}

const facts: Readonly<Record<string, Facts>> = {
  c1: { region: 'east', env: 'prod', nodes: '2', rating: '100', cpu: ['4', '3', '2'], memory: [4, 3, 2] },
  c2: { region: 'east', env: 'prod', nodes: '4', rating: '60', cpu: ['8', '7', '4'], memory: [8, 7, 4] },
  c3: { region: 'east', env: 'canary', nodes: '6', rating: '40', cpu: ['12', '11', '6'], memory: [12, 11, 6] },
  c4: { region: 'central', env: 'prod', nodes: '2', rating: '80', cpu: ['8', '6', '2'], memory: [4, 2, 1] },
  c5: { region: 'central', env: 'prod', nodes: '8', rating: '40', cpu: ['32', '30', '8'], memory: [16, 14, 4] },
  c6: { region: 'west', env: 'prod', nodes: '2', rating: '60', cpu: ['4', '2', '1'], memory: [8, 6, 4] },
  c7: { region: 'west', env: 'canary', nodes: '8', rating: '20', cpu: ['16', '14', '4'], memory: [32, 30, 16] },
  left: { region: 'central', env: 'prod' },
  stale: { region: 'east', env: 'prod', nodes: '1', rating: '100', cpu: ['8', '6', '0'], memory: [8, 6, 0] },
};
const names = Object.keys(facts);
const all = 'left stale';

const members = names.map((name) => {
  const { region, env } = facts[name]!;
  return member(name, { labels: { region, env }, ...(name === 'left' && { leaving: true }) });
});

const sight = (name: string, extra: Readonly<Record<string, string>> = {}): string => {
  const { nodes, rating, cpu, memory } = facts[name]!;
  const list = (at: 0 | 1 | 2) => ({ cpu: cpu![at], memory: `${memory![at]}Gi` });
  return seen(name, {
    properties: {
      ...(nodes && { 'kubernetes-fleet.io/node-count': nodes }),
      ...(rating && { 'example.com/energy-efficiency-rating': rating }),
      ...extra,
    },
    ...(cpu && { usage: { capacity: list(0), allocatable: list(1), available: list(2) } }),
    more: {
      agentStatus: [
        {
          type: 'MemberAgent',
          conditions: [
            { type: 'Joined', status: 'True', reason: 'Joined' },
            { type: 'Healthy', status: 'True', reason: 'Healthy' },
          ],
          lastReceivedHeartbeat: name === 'stale' ? '2026-11-19T09:00:00Z' : '2026-11-20T10:00:00Z',
        },
      ],
    },
  });
};

const decide = (
  policy: object,
  rest: { readonly recorded?: Planned['recorded']; readonly extra?: Readonly<Record<string, string>> } = {},
): Promise<Planned> =>
  plan({
    repo: {
      'clusters/all.yaml': members,
      'resources/shop.yaml': shop,
      'placements/web.yaml': placement(JSON.stringify(policy)),
    },
    observed: names.map((name) => sight(name, rest.extra)),
    ...(rest.recorded && { recorded: rest.recorded }),
  });

const outcome = ({ placement: found }: Planned) => {
  const decided = found();
  return {
    scheduled: `${decided.scheduled.status} ${decided.scheduled.reason}`,
    picked: picked(decided).join(', '),
    outscored: outscored(decided).join(', '),
    filtered: filtered(decided).join(' '),
  };
};

const zero = (clusters: string): string =>
  clusters
    .split(' ')
    .map((name) => `${name} 0/0`)
    .join(', ');
const fulfilled = 'True SchedulingPolicyFulfilled';
const short = 'False SchedulingPolicyUnfulfilled';

const where = (matchLabels: object, key?: string, operator?: string, value?: string) => ({
  labelSelector: { matchLabels, ...(key && { matchExpressions: [{ key, operator, values: [value] }] }) },
});
const pickN = (
  numberOfClusters: number,
  more: {
    readonly required?: readonly object[];
    readonly preferred?: readonly (readonly [weight: number, preference: object])[];
    readonly spread?: readonly (readonly [key: string, mode: 'hard' | 'soft', maxSkew?: number])[];
  } = {},
) => ({
  placementType: 'PickN',
  numberOfClusters,
  ...((more.required || more.preferred) && {
    affinity: {
      clusterAffinity: {
        ...(more.required && {
          requiredDuringSchedulingIgnoredDuringExecution: { clusterSelectorTerms: more.required },
        }),
        ...(more.preferred && {
          preferredDuringSchedulingIgnoredDuringExecution: more.preferred.map(([weight, preference]) => ({
            weight,
            preference,
          })),
        }),
      },
    },
  }),
  ...(more.spread && {
    topologySpreadConstraints: more.spread.map(([topologyKey, mode, maxSkew = 1]) => ({
      topologyKey,
      maxSkew,
      whenUnsatisfiable: mode === 'hard' ? 'DoNotSchedule' : 'ScheduleAnyway',
    })),
  }),
});

const eastProd = where({ region: 'east' }, 'env', 'In', 'prod');
const westNotProd = where({ region: 'west' }, 'env', 'NotIn', 'prod');
const centralProd = where({ region: 'central' }, 'env', 'In', 'prod');
const eastCanary = where({ region: 'east' }, 'env', 'In', 'canary');
const mixed = pickN(3, {
  required: [where({ env: 'prod' })],
  preferred: [[40, where({ region: 'east' })]],
  spread: [
    ['env', 'soft', 2],
    ['region', 'hard'],
  ],
});

describe('PickN over nine clusters', () => {
  it.each<[title: string, policy: object, expected: ReturnType<typeof outcome>]>([
    [
      'no wishes: the greatest names',
      pickN(3),
      { scheduled: fulfilled, picked: zero('c7 c6 c5'), outscored: zero('c4 c3 c2 c1'), filtered: all },
    ],
    [
      'more than there are',
      pickN(10),
      { scheduled: short, picked: zero('c7 c6 c5 c4 c3 c2 c1'), outscored: '', filtered: all },
    ],
    [
      'a required term',
      pickN(2, { required: [eastProd] }),
      { scheduled: fulfilled, picked: zero('c2 c1'), outscored: '', filtered: `c3 c4 c5 c6 c7 ${all}` },
    ],
    [
      'two required terms',
      pickN(4, { required: [eastProd, westNotProd] }),
      { scheduled: short, picked: zero('c7 c2 c1'), outscored: '', filtered: `c3 c4 c5 c6 ${all}` },
    ],
    [
      'a preferred term',
      pickN(4, { preferred: [[10, centralProd]] }),
      {
        scheduled: fulfilled,
        picked: 'c5 10/0, c4 10/0, c7 0/0, c6 0/0',
        outscored: zero('c3 c2 c1'),
        filtered: all,
      },
    ],
    [
      'two preferred terms',
      pickN(4, {
        preferred: [
          [10, centralProd],
          [20, eastCanary],
        ],
      }),
      {
        scheduled: fulfilled,
        picked: 'c3 20/0, c5 10/0, c4 10/0, c7 0/0',
        outscored: zero('c6 c2 c1'),
        filtered: all,
      },
    ],
    [
      'a hard spread: the region that has one is out',
      pickN(2, { spread: [['region', 'hard']] }),
      { scheduled: fulfilled, picked: 'c5 0/0, c7 0/-1', outscored: zero('c4 c3 c2 c1'), filtered: `c6 ${all}` },
    ],
    [
      'two hard spreads',
      pickN(2, {
        spread: [
          ['region', 'hard'],
          ['env', 'hard'],
        ],
      }),
      {
        scheduled: fulfilled,
        picked: 'c5 0/1, c7 0/-2',
        outscored: 'c4 0/1, c2 0/1, c1 0/1',
        filtered: `c3 c6 ${all}`,
      },
    ],
    [
      'a soft spread',
      pickN(2, { spread: [['region', 'soft']] }),
      {
        scheduled: fulfilled,
        picked: 'c5 0/0, c7 0/-1',
        outscored: 'c4 0/0, c3 0/0, c2 0/0, c1 0/0, c6 0/-1000',
        filtered: all,
      },
    ],
    [
      'two soft spreads',
      pickN(2, {
        spread: [
          ['region', 'soft'],
          ['env', 'soft'],
        ],
      }),
      {
        scheduled: fulfilled,
        picked: 'c5 0/1, c7 0/-2',
        outscored: 'c4 0/1, c2 0/1, c1 0/1, c6 0/-999, c3 0/-1000',
        filtered: all,
      },
    ],
    [
      'a required term and a hard spread',
      pickN(2, {
        required: [{ labelSelector: { matchExpressions: [{ key: 'region', operator: 'NotIn', values: ['west'] }] } }],
        spread: [['region', 'hard']],
      }),
      { scheduled: fulfilled, picked: 'c3 0/0, c5 0/-1', outscored: zero('c2 c1'), filtered: `c4 c6 c7 ${all}` },
    ],
    [
      'a preferred term and a soft spread',
      pickN(6, { preferred: [[30, where({ region: 'east' })]], spread: [['env', 'soft']] }),
      {
        scheduled: fulfilled,
        picked: 'c2 30/1, c7 0/1, c3 30/-1, c1 30/-1, c6 0/-1, c5 0/-1000',
        outscored: 'c4 0/-1000',
        filtered: all,
      },
    ],
    [
      'all of them',
      mixed,
      {
        scheduled: fulfilled,
        picked: 'c6 0/-1, c2 40/-2, c5 0/-999',
        outscored: 'c4 0/-999',
        filtered: `c1 c3 c7 ${all}`,
      },
    ],
  ])('%s', async (_, policy, expected) => {
    expect(outcome(await decide(policy))).toEqual(expected);
  });

  it('scaling up adds, scaling down removes the smallest names', async () => {
    const one = await decide(pickN(1));
    expect(picked(one.placement())).toEqual(['c7 0/0']);
    const three = await decide(pickN(3), { recorded: one.recorded });
    expect(outcome(three)).toEqual({
      scheduled: fulfilled,
      picked: zero('c7 c6 c5'),
      outscored: zero('c4 c3 c2 c1'),
      filtered: all,
    });
    const again = await decide(pickN(1), { recorded: three.recorded });
    expect(picked(again.placement())).toEqual(['c7 0/0']);
  });

  it('a new policy picks anew, one cluster a cycle', async () => {
    const before = await decide(mixed);
    const after = await decide(
      pickN(3, { preferred: [[50, where({ region: 'central' })]], spread: [['env', 'soft', 2]] }),
      { recorded: before.recorded },
    );
    expect(outcome(after)).toEqual({
      scheduled: fulfilled,
      picked: 'c7 0/1, c5 50/-1, c4 50/-1',
      outscored: 'c6 0/-1, c3 0/-1, c2 0/-1, c1 0/-1',
      filtered: all,
    });
  });
});

const cpu = (kind: string): string => `resources.kubernetes-fleet.io/${kind}-cpu`;
const memory = (kind: string): string => `resources.kubernetes-fleet.io/${kind}-memory`;
const nodes = 'kubernetes-fleet.io/node-count';
const rating = 'example.com/energy-efficiency-rating';
const asks = (...expressions: readonly (readonly [name: string, operator: string, value: string])[]) => ({
  propertySelector: {
    matchExpressions: expressions.map(([name, operator, value]) => ({ name, operator, values: [value] })),
  },
});
const by = (name: string, sortOrder: 'Ascending' | 'Descending', labels?: object) => ({
  ...(labels && { labelSelector: { matchLabels: labels } }),
  propertySorter: { name, sortOrder },
});

describe('properties of nine clusters', () => {
  const pickAll = (...clusterSelectorTerms: readonly object[]) => ({
    placementType: 'PickAll',
    affinity: { clusterAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { clusterSelectorTerms } } },
  });
  it.each<[title: string, terms: readonly object[], expected: string]>([
    [
      'four expressions in one term',
      [
        asks(
          [nodes, 'Ge', '4'],
          [rating, 'Lt', '45'],
          [cpu('allocatable'), 'Ne', '14'],
          [memory('available'), 'Gt', '4Gi'],
        ),
      ],
      'c3',
    ],
    [
      'four terms of one expression',
      [
        asks([nodes, 'Ge', '8']),
        asks([rating, 'Gt', '99']),
        asks([cpu('total'), 'Eq', '12']),
        asks([memory('total'), 'Le', '4Gi']),
      ],
      'c1 c3 c4 c5 c7',
    ],
    ['labels and a property', [{ ...where({ region: 'east' }), ...asks([nodes, 'Ge', '4']) }], 'c2 c3'],
    [
      'labels or properties',
      [where({ env: 'prod', region: 'west' }), asks([rating, 'Ge', '40'], [cpu('total'), 'Gt', '12'])],
      'c5 c6',
    ],
    ['nothing matches', [asks([rating, 'Le', '0'])], ''],
  ])('%s', async (_, terms, expected) => {
    const { placement: found } = await decide(pickAll(...terms));
    expect(found().scheduled.status).toBe('True');
    expect(picked(found()).map((text) => text.split(' ')[0])).toEqual(expected.split(' ').filter(Boolean));
  });

  it('a new selector takes over what it still matches, drops the rest and adds what is new', async () => {
    const narrow = await decide(pickAll(asks([nodes, 'Le', '6'], [nodes, 'Ge', '2'])));
    const there = await plan({
      repo: {
        'clusters/all.yaml': members,
        'resources/shop.yaml': shop,
        'placements/web.yaml': placement(JSON.stringify(pickAll(asks([nodes, 'Le', '6'], [nodes, 'Ge', '2'])))),
      },
      observed: carriedOut(narrow, names),
      recorded: narrow.recorded,
    });
    expect(picked(there.placement())).toEqual(['c1 0/0', 'c2 0/0', 'c3 0/0', 'c4 0/0', 'c6 0/0']);
    const wide = await decide(pickAll(asks([nodes, 'Le', '8'], [nodes, 'Ge', '4'])), { recorded: there.recorded });
    expect(picked(wide.placement())).toEqual(['c2 0/0', 'c3 0/0', 'c5 0/0', 'c7 0/0']);
    expect(
      wide.placement().bindings.flatMap(({ clusterName, state }) => (state === 'Unscheduled' ? [clusterName] : [])),
    ).toEqual(['c1', 'c4', 'c6']);
    expect(wide.placement().policySnapshotIndex).toBe(1);
  });

  it.each<[title: string, n: number, preferred: readonly (readonly [number, object])[], expected: string]>([
    [
      'fewest nodes; the stale cluster has the smallest number',
      3,
      [[100, by(nodes, 'Ascending')]],
      'c6 86, c4 86, c1 86 | c2 57, c3 29, c7 0, c5 0',
    ],
    ['most nodes', 3, [[100, by(nodes, 'Descending')]], 'c7 100, c5 100, c3 71 | c2 43, c6 14, c4 14, c1 14'],
    [
      'a property that no cluster has',
      3,
      [[100, by('example.com/unknown', 'Ascending')]],
      'c7 0, c6 0, c5 0 | c4 0, c3 0, c2 0, c1 0',
    ],
    [
      'a property that is everywhere the same',
      3,
      [[100, by('example.com/same', 'Ascending')]],
      'c7 0, c6 0, c5 0 | c4 0, c3 0, c2 0, c1 0',
    ],
    [
      'three sorters',
      3,
      [
        [100, by(nodes, 'Ascending')],
        [80, by(rating, 'Descending')],
        [60, by(memory('allocatable'), 'Descending')],
      ],
      'c1 168, c4 146, c6 135 | c2 108, c3 68, c7 60, c5 46',
    ],
    [
      'a sorter for some labels',
      4,
      [[100, by(cpu('available'), 'Descending', { env: 'canary' })]],
      'c3 75, c7 50, c6 0, c5 0 | c4 0, c2 0, c1 0',
    ],
    [
      'two sorters, each for some labels',
      4,
      [
        [100, by(cpu('available'), 'Descending', { env: 'canary' })],
        [100, by(rating, 'Descending', { region: 'east' })],
      ],
      'c3 100, c1 100, c7 50, c2 50 | c6 0, c5 0, c4 0',
    ],
  ])('%s', async (_, n, preferred, expected) => {
    const { placement: found } = await decide(pickN(n, { preferred }), { extra: { 'example.com/same': '0' } });
    const affinity = (lines: readonly string[]): string => lines.map((line) => line.replace(/\/0$/, '')).join(', ');
    expect(`${affinity(picked(found()))} | ${affinity(outscored(found()))}`).toBe(expected);
    expect(filtered(found())).toEqual(['left', 'stale']);
  });
});
