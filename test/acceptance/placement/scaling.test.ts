import { describe, expect, it } from 'vitest';
import {
  bindings,
  carriedOut,
  filtered,
  member,
  now,
  outscored,
  type Planned,
  picked,
  placement,
  plan,
  reasonOf,
  seen,
  shop,
} from '../../support/plan-command.ts';

/** Everything may move at once: what is scheduled is looked at here, not how fast it rolls out. */
const fast = 'strategy: {type: RollingUpdate, rollingUpdate: {maxUnavailable: 100%, maxSurge: 100%}}';
const pickN = (number: number, rest = ''): string =>
  placement(`placementType: PickN\nnumberOfClusters: ${number}\n${rest}`, fast);
const members = (...names: readonly string[]): string[] => names.map((name) => member(name));
const prefer = (label: string, weight = 10): string =>
  `affinity: {clusterAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: ${weight}, preference: {labelSelector: {matchLabels: {tier: ${label}}}}}]}}`;
const needs = (label: string): string =>
  `affinity: {clusterAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {clusterSelectorTerms: [{labelSelector: {matchLabels: {tier: ${label}}}}]}}}`;

/** A plan over these clusters, all of which hold what the step before assigned to them. */
const step = (clusters: readonly string[], web: string, before?: Planned, at = now) =>
  plan({
    repo: { 'clusters.yaml': clusters, 'resources/shop.yaml': shop, 'web.yaml': web },
    ...(before && {
      recorded: before.recorded,
      observed: carriedOut(
        before,
        clusters.map((text) => /name: (\S+)/.exec(text)![1]!),
        at,
      ),
    }),
    now: at,
  });

const policySnapshots = ({ recorded }: Planned): string =>
  [...(recorded['placements/web/state.yaml'] ?? '').matchAll(/^ {2}- index: (\d+)(\n {4}latest: true)?/gm)]
    .map(([, index, latest]) => index! + (latest ? '*' : ''))
    .join(' ');

describe('PickN', () => {
  it('scales up without touching what it has, and without a new policy snapshot', async () => {
    const first = await step(members('a', 'b', 'c', 'd'), pickN(2));
    expect(bindings(first.placement())).toEqual(['c Bound add', 'd Bound add']);
    const next = await step(members('a', 'b', 'c', 'd', 'e'), pickN(3), first);
    expect(bindings(next.placement())).toEqual(['c Bound keep', 'd Bound keep', 'e Bound add']);
    expect(picked(next.placement())).toEqual(['e 0/0', 'd 0/0', 'c 0/0']);
    expect(outscored(next.placement())).toEqual(['b 0/0', 'a 0/0']);
    expect(policySnapshots(next)).toBe('0*');
    expect(next.placement().policySnapshotIndex).toBe(0);
    expect(next.recorded['placements/web/state.yaml']).toContain('numberOfClusters: 3');
  });

  it('scales down by the lowest recorded score, then by the smallest name', async () => {
    const fleet = [
      member('a', { labels: { tier: 'gold' } }),
      member('b'),
      member('c'),
      member('d', { labels: { tier: 'gold' } }),
    ];
    const first = await step(fleet, pickN(4, prefer('gold')));
    expect(picked(first.placement())).toEqual(['d 10/0', 'a 10/0', 'c 0/0', 'b 0/0']);
    const next = await step(fleet, pickN(3, prefer('gold')), first);
    expect(bindings(next.placement())).toEqual([
      'a Bound keep',
      'b Unscheduled remove',
      'c Bound keep',
      'd Bound keep',
    ]);
    expect(picked(next.placement())).toEqual(['d 10/0', 'a 10/0', 'c 0/0']);
    // no cycle filters and scores on the way down; b is explained against what is there now
    expect(outscored(next.placement())).toEqual(['b 0/0']);
    const last = await step(fleet, pickN(1, prefer('gold')), next);
    expect(picked(last.placement())).toEqual(['d 10/0']);
  });

  it('goes by the recorded scores, not by what the clusters would score now', async () => {
    const first = await step([member('a', { labels: { tier: 'gold' } }), member('b')], pickN(2, prefer('gold')));
    const next = await step([member('a'), member('b', { labels: { tier: 'gold' } })], pickN(1, prefer('gold')), first);
    expect(picked(next.placement())).toEqual(['a 10/0']);
    expect(outscored(next.placement())).toEqual(['b 10/0']);
  });

  it('scales down Scheduled before Bound and unscored first', async () => {
    const score = 'clusterDecision: {selected: true, clusterScore: {affinityScore: 5, topologySpreadScore: 0}}';
    const low = 'clusterDecision: {selected: true, clusterScore: {affinityScore: 1, topologySpreadScore: 0}}';
    const state = (entries: string): string => `apiVersion: gitfleet.dev/v1alpha1
kind: PlacementState
metadata: {name: web}
policySnapshots:
- {index: 0, latest: true, numberOfClusters: 4, policy: {placementType: PickN}}
resourceSnapshots:
- {index: 0, latest: true}
bindings:
${entries}`;
    const repo = {
      'clusters.yaml': members('a', 'b', 'c', 'd'),
      'resources/shop.yaml': shop,
      'web.yaml': pickN(2),
    };
    const bound = 'state: Bound, policySnapshotIndex: 0, resourceSnapshotIndex: 0';
    const one = await plan({
      repo,
      recorded: {
        'placements/web/state.yaml': state(`- {targetCluster: a, ${bound}, ${low}}
- {targetCluster: b, ${bound}, ${score}}
- {targetCluster: c, state: Scheduled, policySnapshotIndex: 0, ${score}}
- {targetCluster: d, ${bound}}
`),
      },
    });
    // c is only Scheduled; of the Bound ones d has no score
    expect(picked(one.placement())).toEqual(['b 5/0', 'a 1/0']);
  });

  it('keeps fewer than required, reports that, and picks a cluster that becomes eligible', async () => {
    const web = pickN(3);
    const repo = { 'clusters.yaml': members('a', 'b', 'c'), 'resources/shop.yaml': shop, 'web.yaml': web };
    const first = await plan({ repo, observed: [seen('a'), seen('b')] });
    expect(picked(first.placement())).toEqual(['b 0/0', 'a 0/0']);
    expect(first.placement().scheduled).toMatchObject({ status: 'False', reason: 'SchedulingPolicyUnfulfilled' });
    expect(first.placement().scheduled.message).toContain('found 2 cluster(s)');
    expect(filtered(first.placement())).toEqual(['c']);
    const next = await plan({
      repo,
      observed: [seen('a'), seen('b'), seen('c')],
      recorded: first.recorded,
      now: '2026-11-20T10:01:00Z',
    });
    expect(picked(next.placement())).toEqual(['c 0/0', 'b 0/0', 'a 0/0']);
    expect(next.placement().scheduled).toMatchObject({ status: 'True' });
    expect(next.placement().conditions[0]!.lastTransitionTime).toBe('2026-11-20T10:01:00Z');
  });

  it('never moves to a better cluster, and stays where labels, taints and health change', async () => {
    const web = pickN(1, prefer('gold'));
    const first = await step(members('a', 'b'), web);
    expect(picked(first.placement())).toEqual(['b 0/0']);
    const next = await plan({
      repo: {
        'clusters.yaml': [
          member('a', { labels: { tier: 'gold' } }),
          member('b', { taints: [{ key: 'drain', effect: 'NoSchedule' }] }),
        ],
        'resources/shop.yaml': shop,
        'web.yaml': web,
      },
      observed: [seen('a')],
      recorded: first.recorded,
    });
    expect(picked(next.placement())).toEqual(['b 0/0']);
    expect(outscored(next.placement())).toEqual(['a 10/0']);
    expect(next.placement().scheduled.status).toBe('True');
    expect(next.plan.targets.map(({ clusterName, remove }) => `${clusterName} ${remove}`)).toEqual(['b false']);
  });

  it('replaces a cluster that leaves, and one whose file is gone', async () => {
    const first = await step(members('a', 'b', 'c', 'd'), pickN(2));
    expect(picked(first.placement())).toEqual(['d 0/0', 'c 0/0']);
    const leaving = await step([...members('a', 'b', 'c'), member('d', { leaving: true })], pickN(2), first);
    expect(picked(leaving.placement())).toEqual(['c 0/0', 'b 0/0']);
    expect(filtered(leaving.placement())).toEqual(['d']);
    // nothing is removed from a cluster that leaves
    expect(leaving.plan.targets.map(({ clusterName, remove }) => `${clusterName} ${remove}`)).toEqual([
      'b false',
      'c false',
    ]);
    const gone = await step(members('a', 'b'), pickN(2), leaving);
    expect(picked(gone.placement())).toEqual(['b 0/0', 'a 0/0']);
  });

  it('a policy edit takes over what still fits, in place, and drops the rest', async () => {
    const fleet = [
      member('a', { labels: { tier: 'gold' } }),
      member('b', { labels: { tier: 'gold' } }),
      member('c'),
      member('d'),
    ];
    const first = await step(fleet, pickN(3));
    expect(picked(first.placement())).toEqual(['d 0/0', 'c 0/0', 'b 0/0']);
    const next = await step(fleet, pickN(3, needs('gold')), first);
    expect(picked(next.placement())).toEqual(['b 0/0', 'a 0/0']);
    expect(bindings(next.placement())).toEqual([
      'a Bound add',
      'b Bound keep',
      'c Unscheduled remove',
      'd Unscheduled remove',
    ]);
    expect(next.placement().scheduled.reason).toBe('SchedulingPolicyUnfulfilled');
    expect(next.placement().policySnapshotIndex).toBe(1);
    expect(policySnapshots(next)).toBe('0 1*');
  });

  it('on a full tie the cluster that held it before keeps it, although a greater name is there', async () => {
    const first = await step(members('a', 'b'), pickN(1));
    expect(picked(first.placement())).toEqual(['b 0/0']);
    const next = await step(members('a', 'b', 'z'), pickN(1, 'tolerations: [{operator: Exists}]'), first);
    expect(picked(next.placement())).toEqual(['b 0/0']);
    const better = await step(
      [...members('a', 'b'), member('z', { labels: { tier: 'gold' } })],
      pickN(1, `tolerations: [{operator: Exists}]\n${prefer('gold', 1)}`),
      first,
    );
    expect(picked(better.placement())).toEqual(['z 1/0']);
  });

  it('a policy that returns is a new snapshot; the limit counts them', async () => {
    const limited = (policy: string): string => placement(policy, `revisionHistoryLimit: 2\n${fast}`);
    const a = limited('placementType: PickN\nnumberOfClusters: 1');
    const b = limited(`placementType: PickN\nnumberOfClusters: 1\n${prefer('gold')}`);
    const one = await step(members('a'), a);
    const two = await step(members('a'), b, one);
    const three = await step(members('a'), a, two);
    expect([one, two, three].map(policySnapshots)).toEqual(['0*', '0 1*', '1 2*']);
    expect(three.placement().policySnapshotIndex).toBe(2);
    expect(bindings(three.placement())).toEqual(['a Bound keep']);
  });

  it('zero clusters is a number like any other', async () => {
    const first = await step(members('a', 'b'), pickN(1));
    const next = await step(members('a', 'b'), pickN(0), first);
    expect(next.placement().scheduled).toMatchObject({ status: 'True', reason: 'SchedulingPolicyFulfilled' });
    expect(bindings(next.placement())).toEqual(['b Unscheduled remove']);
    expect(picked(next.placement())).toEqual([]);
  });

  it('planning again changes nothing: no move, the same digest, the same record', async () => {
    const fleet = [
      member('a', { labels: { tier: 'gold' } }),
      member('b', { taints: [{ key: 'x', effect: 'NoSchedule' }] }),
      ...members('c', 'd'),
    ];
    const first = await step(fleet, pickN(2, prefer('gold')));
    const again = await step(fleet, pickN(2, prefer('gold')), first, '2026-11-20T11:00:00Z');
    const third = await step(fleet, pickN(2, prefer('gold')), again, '2026-11-20T12:00:00Z');
    expect(again.code).toBe(0);
    expect(again.placement().decisions).toEqual(first.placement().decisions);
    expect(third.recorded).toEqual(again.recorded);
    expect(third.plan.digest).toBe(again.plan.digest);
  });
});

describe('PickAll', () => {
  const pickAll = (rest = ''): string => placement(`placementType: PickAll\n${rest}`, fast);

  it('takes every cluster that joins and keeps what no longer matches until the policy changes', async () => {
    const gold = (name: string) => member(name, { labels: { tier: 'gold' } });
    const first = await step([gold('a'), gold('b'), member('c')], pickAll(needs('gold')));
    expect(picked(first.placement())).toEqual(['a 0/0', 'b 0/0']);
    const relabelled = await step([gold('a'), member('b'), gold('c')], pickAll(needs('gold')), first);
    expect(picked(relabelled.placement())).toEqual(['a 0/0', 'b 0/0', 'c 0/0']);
    expect(bindings(relabelled.placement())).toEqual(['a Bound keep', 'b Bound keep', 'c Bound add']);
    const edited = await step(
      [gold('a'), member('b'), gold('c')],
      pickAll(`${needs('gold')}\ntolerations: [{operator: Exists}]`),
      relabelled,
    );
    expect(bindings(edited.placement())).toEqual(['a Bound keep', 'b Unscheduled remove', 'c Bound keep']);
    expect(filtered(edited.placement())).toEqual(['b']);
    expect(reasonOf(edited.placement(), 'b')).toMatch(/^ClusterUnschedulable, /);
  });

  it('a cluster dropped by one policy is revived by the next, while its objects are still there', async () => {
    const gold = (name: string) => member(name, { labels: { tier: 'gold' } });
    const fleet = [gold('a'), member('b')];
    // nothing may be unavailable: what is unscheduled waits
    const held = 'strategy: {type: RollingUpdate, rollingUpdate: {maxUnavailable: 0, maxSurge: 1}}';
    const one = await step(fleet, placement('placementType: PickAll', held));
    const two = await step(fleet, placement(`placementType: PickAll\n${needs('gold')}`, held), one);
    const three = await step(fleet, placement('placementType: PickAll\ntolerations: []', held), two);
    expect(three.placement().policySnapshotIndex).toBe(2);
    expect(picked(three.placement())).toEqual(['a 0/0', 'b 0/0']);
    expect(three.placement().bindings.map(({ clusterName, state }) => `${clusterName} ${state}`)).toContain('a Bound');
  });
});

describe('PickFixed', () => {
  const fixed = (...names: readonly string[]): string =>
    placement(`placementType: PickFixed\nclusterNames: [${names.join(', ')}]`, fast);

  it('takes the named clusters in their order, tainted ones too; missing and ineligible ones are reported', async () => {
    const { placement: web } = await plan({
      repo: {
        'clusters.yaml': [...members('a', 'c', 'd'), member('b', { taints: [{ key: 'x', effect: 'NoSchedule' }] })],
        'resources/shop.yaml': shop,
        'web.yaml': fixed('d', 'nowhere', 'c', 'b'),
      },
      observed: [seen('a'), seen('b'), seen('d')],
    });
    expect(web().decisions.map(({ clusterName, selected }) => `${clusterName} ${selected}`)).toEqual([
      'd true',
      'b true',
      'nowhere false',
      'c false',
    ]);
    expect(web().decisions.some((decision) => 'clusterScore' in decision)).toBe(false);
    expect(reasonOf(web(), 'nowhere')).toContain('not found');
    expect(reasonOf(web(), 'c')).toMatch(/"c" is not eligible .* yet: /);
    expect(web().scheduled).toMatchObject({ status: 'False', reason: 'SchedulingPolicyUnfulfilled' });
    expect(bindings(web())).toEqual(['b Bound add', 'd Bound add']);
  });

  it('a cluster that became ineligible keeps its binding, is reported, and loses it on a policy edit', async () => {
    const repo = (web: string) => ({
      'clusters.yaml': members('a', 'b', 'c'),
      'resources/shop.yaml': shop,
      'web.yaml': web,
    });
    const first = await plan({ repo: repo(fixed('a', 'b')), observed: ['a', 'b', 'c'].map((name) => seen(name)) });
    expect(first.placement().scheduled.status).toBe('True');
    const stale = await plan({
      repo: repo(fixed('a', 'b')),
      observed: [seen('a'), seen('c')],
      recorded: first.recorded,
    });
    expect(picked(stale.placement())).toEqual(['a']);
    expect(stale.placement().scheduled.reason).toBe('SchedulingPolicyUnfulfilled');
    expect(bindings(stale.placement())).toEqual(['a Bound keep', 'b Bound keep']);
    expect(stale.plan.targets.map(({ clusterName, remove }) => `${clusterName} ${remove}`)).toEqual([
      'a false',
      'b false',
    ]);
    const edited = await plan({
      repo: repo(fixed('a', 'b', 'c')),
      observed: [seen('a'), seen('c')],
      recorded: stale.recorded,
    });
    expect(picked(edited.placement())).toEqual(['a', 'c']);
    expect(edited.placement().bindings.map(({ clusterName, state }) => `${clusterName} ${state}`)).toEqual([
      'a Bound',
      'b Unscheduled',
      'c Bound',
    ]);
  });

  it('an empty list selects nothing and removes what it had', async () => {
    const first = await step(members('a', 'b'), fixed('a'));
    const next = await step(members('a', 'b'), fixed(), first);
    expect(next.placement().decisions).toEqual([]);
    expect(next.placement().scheduled).toMatchObject({ status: 'True', reason: 'SchedulingPolicyFulfilled' });
    expect(bindings(next.placement())).toEqual(['a Unscheduled remove']);
    expect(next.plan.problems.map(({ severity, path }) => `${severity} ${path}`)).toEqual([
      'warning spec.policy.clusterNames',
    ]);
  });
});
