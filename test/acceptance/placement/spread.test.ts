import { describe, expect, it } from 'vitest';
import {
  bindings,
  filtered,
  member,
  outscored,
  picked,
  placement,
  plan,
  reasonOf,
  seen,
  shop,
} from '../../support/plan-command.ts';

const zoned = (zones: Readonly<Record<string, string | undefined>>): string[] =>
  Object.entries(zones).map(([name, zone]) => member(name, zone === undefined ? {} : { labels: { zone } }));

const spreading = (number: number, constraints: string, rest = ''): string =>
  placement(`placementType: PickN\nnumberOfClusters: ${number}\ntopologySpreadConstraints: ${constraints}\n${rest}`);

const hard = '[{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]';
const soft = '[{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}]';
const threeZones = zoned({ a1: 'z1', a2: 'z1', a3: 'z1', b1: 'z2', b2: 'z2', c1: 'z3' });
const violated = 'ClusterUnschedulable, violated doNotSchedule topology spread constraint "zone" (max skew 1)';

const repo = (clusters: readonly string[], web: string) => ({
  'clusters.yaml': clusters,
  'resources/shop.yaml': shop,
  'web.yaml': web,
});

describe('DoNotSchedule', () => {
  it('picks one per cycle, scored by how the global skew changes', async () => {
    const { placement: web } = await plan({ repo: repo(threeZones, spreading(4, hard)) });
    // 1: counts 0 0 0, all domains +1: c1 (greatest name) at -1
    // 2: counts 0 0 1: z1, z2 change 0 (two smallest are equal), z3 would make 2: b2 at 0
    // 3: counts 0 1 1: z1 alone is the smallest, -1: a3 at 1
    // 4: counts 1 1 1, all +1; z3 is used up: b1 at -1
    expect(picked(web())).toEqual(['a3 0/1', 'b2 0/0', 'c1 0/-1', 'b1 0/-1']);
    expect(outscored(web())).toEqual(['a2 0/-1', 'a1 0/-1']);
    expect(web().scheduled).toMatchObject({ status: 'True', reason: 'SchedulingPolicyFulfilled' });
  });

  it('stops where every move would break the skew; what fits stays, the rest is reported', async () => {
    const { placement: web } = await plan({ repo: repo(threeZones, spreading(6, hard)) });
    // 5: counts 1 2 1: z1 is among the two smallest, change 0: a2 at 0
    // 6: counts 2 2 1: z1 and z2 are the fullest, 2 - 1 + 1 > 1; z3 has nobody left
    expect(picked(web())).toEqual(['a3 0/1', 'b2 0/0', 'a2 0/0', 'c1 0/-1', 'b1 0/-1']);
    expect(filtered(web())).toEqual(['a1']);
    expect(reasonOf(web(), 'a1')).toBe(violated);
    expect(web().scheduled).toMatchObject({ status: 'False', reason: 'SchedulingPolicyUnfulfilled' });
    expect(web().scheduled.message).toContain('5');
  });

  it('a larger maxSkew lets more in', async () => {
    const { placement: web } = await plan({
      repo: repo(threeZones, spreading(6, '[{maxSkew: 2, topologyKey: zone}]')),
    });
    // as above up to counts 2 2 1, then 2 - 1 + 1 = 2 is allowed: a1 at -1
    expect(picked(web())).toEqual(['a3 0/1', 'b2 0/0', 'a2 0/0', 'c1 0/-1', 'b1 0/-1', 'a1 0/-1']);
  });

  it('an empty domain of clusters that cannot be used holds the others at maxSkew', async () => {
    const { placement: web } = await plan({
      repo: repo(zoned({ a1: 'z1', a2: 'z1', b1: 'z2', b2: 'z2', c1: 'z3' }), spreading(4, hard)),
      observed: ['a1', 'a2', 'b1', 'b2'].map((name) => seen(name)),
    });
    // b2 at -1, a2 at 0, then 1 1 0: one more makes 2
    expect(picked(web())).toEqual(['a2 0/0', 'b2 0/-1']);
    expect(filtered(web())).toEqual(['a1', 'b1', 'c1']);
    expect(reasonOf(web(), 'a1')).toBe(violated);
    // c1 is refused by an earlier filter; placing there would fix the skew, so no spread reason either
    expect(reasonOf(web(), 'c1')).toMatch(/^ClusterUnschedulable, cluster /);
    expect(reasonOf(web(), 'c1')).not.toContain('spread');
  });

  it('does not fix a skew that is too high: the global skew decides', async () => {
    const live = ['a1', 'a2', 'a3'].map(
      (name) =>
        `- {targetCluster: ${name}, state: Bound, policySnapshotIndex: 0, resourceSnapshotIndex: 0, clusterDecision: {selected: true, clusterScore: {affinityScore: 0, topologySpreadScore: 0}}}`,
    );
    const { placement: web } = await plan({
      repo: repo(threeZones, spreading(4, hard)),
      recorded: {
        'placements/web/state.yaml': `apiVersion: gitfleet.dev/v1alpha1
kind: PlacementState
metadata: {name: web}
policySnapshots:
- {index: 0, latest: true, numberOfClusters: 3, policy: {placementType: PickN, topologySpreadConstraints: ${hard}}}
resourceSnapshots:
- {index: 0, latest: true}
bindings:
${live.join('\n')}
`,
      },
    });
    // counts 3 0 0: z2 and z3 are both the smallest, change 0, and 3 > 1
    expect(picked(web())).toEqual(['a3 0/0', 'a2 0/0', 'a1 0/0']);
    expect(filtered(web())).toEqual(['b1', 'b2', 'c1']);
    expect(reasonOf(web(), 'c1')).toBe(violated);
    expect(web().scheduled.reason).toBe('SchedulingPolicyUnfulfilled');
  });

  it('one domain never violates, and every pick costs one point', async () => {
    const { placement: web } = await plan({
      repo: repo(zoned({ a: 'z', b: 'z', c: 'z' }), spreading(2, hard)),
    });
    expect(picked(web())).toEqual(['c 0/-1', 'b 0/-1']);
    expect(outscored(web())).toEqual(['a 0/-1']);
  });

  it('a cluster without the label never violates and counts nowhere', async () => {
    const { placement: web } = await plan({
      repo: repo(zoned({ a1: 'z1', a2: 'z1', b1: 'z2', u: undefined, x: undefined }), spreading(5, hard)),
    });
    // 1: z1, z2 at -1, u and x at 0: x. 2: u. 3: counts 0 0: b1 at -1. 4: counts 0 1: z1 -1: a2 at 1.
    // 5: counts 1 1: a1 at -1
    expect(picked(web())).toEqual(['a2 0/1', 'x 0/0', 'u 0/0', 'b1 0/-1', 'a1 0/-1']);
  });
});

describe('ScheduleAnyway', () => {
  it('costs a thousand points where it would be violated, and nothing else', async () => {
    const { placement: web } = await plan({
      repo: repo(zoned({ a1: 'z1', a2: 'z1', a3: 'z1', b1: 'z2' }), spreading(3, soft)),
    });
    // b1 at -1; counts 0 1: a3 at 1; counts 1 1: a2 at -1; a1 is seen in the last cycle, at 1 1
    expect(picked(web())).toEqual(['a3 0/1', 'b1 0/-1', 'a2 0/-1']);
    expect(outscored(web())).toEqual(['a1 0/-1']);
    const { placement: all } = await plan({
      repo: repo(zoned({ a1: 'z1', a2: 'z1', a3: 'z1', b1: 'z2' }), spreading(4, soft)),
    });
    // counts 2 1: z1 is the fullest: 1 + 1 > 1
    expect(picked(all())).toEqual(['a3 0/1', 'b1 0/-1', 'a2 0/-1', 'a1 0/-1000']);
    expect(all().scheduled.reason).toBe('SchedulingPolicyFulfilled');
  });

  it('goes before affinity', async () => {
    const { placement: web } = await plan({
      repo: repo(
        zoned({ a1: 'z1', a2: 'z1', b1: 'z2' }),
        spreading(
          2,
          soft,
          'affinity: {clusterAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 100, preference: {labelSelector: {matchLabels: {zone: z1}}}}]}}',
        ),
      ),
    });
    // first all at -1: affinity picks a2; then z2 at +1 beats a1 with its 100 points
    expect(picked(web())).toEqual(['b1 0/1', 'a2 100/-1']);
  });
});

it('several constraints add up; the hard ones are judged first', async () => {
  const clusters = Object.entries({ a1: ['z1', 'r1'], a2: ['z1', 'r2'], b1: ['z2', 'r1'], b2: ['z2', 'r2'] }).map(
    ([name, [zone, rack]]) => member(name, { labels: { zone: zone!, rack: rack! } }),
  );
  const { placement: web } = await plan({
    repo: repo(
      clusters,
      spreading(
        3,
        '[{topologyKey: rack, whenUnsatisfiable: ScheduleAnyway}, {topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]',
      ),
    ),
  });
  // 1: -1 -1 for all: b2 at -2. 2: zone 0 1, rack 0 1: z2 is refused; a1: +1 +1 = 2; a2: +1 and rack violated -1000.
  // 3: zone 1 1, rack 1 1: -1 -1: b1 before a2
  expect(picked(web())).toEqual(['a1 0/2', 'b2 0/-2', 'b1 0/-2']);
  expect(outscored(web())).toEqual(['a2 0/-2']);
  expect(bindings(web())).toEqual(['a1 Bound add', 'b1 Bound add', 'b2 Bound add']);
});

describe('a policy edit', () => {
  const clusters = { a: 'z1', b: 'z1', c: 'z2', d: 'z2' };
  const edited = spreading(2, hard, 'tolerations: [{key: x, operator: Exists}]');

  it('gives the obsolete bonus to the first pick only', async () => {
    const first = await plan({ repo: repo(zoned(clusters), spreading(2, hard)) });
    // d at -1, then z1 at +1: b
    expect(picked(first.placement())).toEqual(['b 0/1', 'd 0/-1']);
    const next = await plan({
      repo: repo(zoned({ ...clusters, e: 'z1', f: 'z2' }), edited),
      recorded: first.recorded,
    });
    // 1: all at -1; b and d are obsolete: d. 2: z1 at +1; the bonus of b is gone, e is the greatest name
    expect(picked(next.placement())).toEqual(['e 0/1', 'd 0/-1']);
    expect(next.placement().policySnapshotIndex).toBe(1);
    const states = next.placement().bindings.map(({ clusterName, state }) => `${clusterName} ${state}`);
    // one more than two may run (maxSurge 25 % of 2), so e begins at once
    expect(states).toEqual(['b Unscheduled', 'd Bound', 'e Bound']);
  });

  it('lets a later pick come back in the state it had', async () => {
    const first = await plan({ repo: repo(zoned(clusters), spreading(2, hard)) });
    const next = await plan({ repo: repo(zoned(clusters), edited), recorded: first.recorded });
    expect(picked(next.placement())).toEqual(['b 0/1', 'd 0/-1']);
    expect(bindings(next.placement())).toEqual(['b Bound keep', 'd Bound keep']);
    expect(next.code).toBe(0);
  });
});
