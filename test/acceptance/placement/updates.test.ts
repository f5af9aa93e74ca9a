import { describe, expect, it } from 'vitest';
import { member, picked, placement, plan, shop } from '../../support/plan-command.ts';

const members = ['a', 'b', 'c'].map((name) => member(name));
const decide = (policy: string, rest: string, recorded?: Readonly<Record<string, string>>) =>
  plan({
    repo: {
      'clusters/all.yaml': members,
      'resources/shop.yaml': shop,
      'placements/web.yaml': placement(policy, rest),
    },
    ...(recorded && { recorded }),
  });

const pickTwo = 'placementType: PickN\nnumberOfClusters: 2';
const tolerant = `${pickTwo}\ntolerations:\n- {key: gpu, operator: Exists}\n- {key: team, value: red}`;
const external = 'strategy: {type: External}';

type Version = readonly [policy: string, rest: string];

describe('a placement cannot change', () => {
  it.each<[what: string, before: Version, after: Version, path: string]>([
    ['its type', [pickTwo, ''], ['placementType: PickAll', ''], 'spec.policy.placementType'],
    [
      'its type, to one that names clusters',
      [pickTwo, ''],
      ['placementType: PickFixed\nclusterNames: [a]', ''],
      'spec.policy.placementType',
    ],
    ['its type, by losing its policy', [pickTwo, ''], ['', ''], 'spec.policy.placementType'],
    ['its type, from none', ['', ''], [pickTwo, ''], 'spec.policy.placementType'],
    ['a toleration away', [tolerant, ''], [pickTwo, ''], 'spec.policy.tolerations'],
    ['a toleration into another', [tolerant, ''], [tolerant.replace('red', 'blue'), ''], 'spec.policy.tolerations'],
    ['from External', [pickTwo, external], [pickTwo, ''], 'spec.strategy.type'],
    [
      'where it reports',
      [pickTwo, ''],
      [pickTwo, 'statusReportingScope: NamespaceAccessible'],
      'spec.statusReportingScope',
    ],
  ])('%s: it is reported, and the recorded version continues', async (_, before, after, path) => {
    const first = await decide(...before);
    const second = await decide(...after, first.recorded);
    expect(second.code).toBe(2);
    expect(
      second.plan.problems
        .map(({ severity, file, path: at }) => `${severity} ${file} ${at}`)
        .filter((text, at, all) => all.indexOf(text) === at),
    ).toEqual([`error placements/web.yaml ${path}`]);
    expect(
      second.plan.holds.filter(({ reason }) => reason === 'LastGoodVersion').map(({ subject }) => subject),
    ).toEqual([{ kind: 'ClusterResourcePlacement', name: 'web' }]);
    expect(second.placement().decisions).toEqual(first.placement().decisions);
    expect(second.recorded['placements/web/state.yaml']).toBe(first.recorded['placements/web/state.yaml']);

    const back = await decide(...before, second.recorded);
    expect([back.code, back.plan.holds.filter(({ reason }) => reason === 'LastGoodVersion')]).toEqual([0, []]);
  });
});

describe('a placement can change', () => {
  it.each<[what: string, before: Version, after: Version, picks: readonly string[]]>([
    ['its number', [pickTwo, ''], ['placementType: PickN\nnumberOfClusters: 1', ''], ['c 0/0']],
    ['to more tolerations', [tolerant, ''], [`${tolerant}\n- {key: zone, operator: Exists}`, ''], ['c 0/0', 'b 0/0']],
    [
      'the order of its tolerations',
      [tolerant, ''],
      [`${pickTwo}\ntolerations:\n- {key: team, value: red, operator: Equal}\n- {key: gpu, operator: Exists}`, ''],
      ['c 0/0', 'b 0/0'],
    ],
    ['to External', [pickTwo, ''], [pickTwo, external], ['c 0/0', 'b 0/0']],
    ['from no policy to PickAll', ['', ''], ['placementType: PickAll', ''], ['a 0/0', 'b 0/0', 'c 0/0']],
    ['from PickAll to no policy', ['placementType: PickAll', ''], ['', ''], ['a 0/0', 'b 0/0', 'c 0/0']],
  ])('%s', async (_, before, after, picks) => {
    const first = await decide(...before);
    const second = await decide(...after, first.recorded);
    expect(second.plan.problems).toEqual([]);
    expect(picked(second.placement())).toEqual(picks);
  });

  it('without a record there is no rule', async () => {
    const { recorded } = await decide(pickTwo, '');
    const { 'placements/web/status.yaml': _, 'placements/web/state.yaml': __, ...rest } = recorded;
    const after = await decide('placementType: PickAll', '', rest);
    expect([after.plan.problems, picked(after.placement())]).toEqual([[], ['a 0/0', 'b 0/0', 'c 0/0']]);
  });

  it('with a state and no status, the last scheduled policy determines which changes are forbidden', async () => {
    const { recorded } = await decide(tolerant, '');
    const { 'placements/web/status.yaml': _, ...rest } = recorded;
    const codes = async (policy: string) => {
      const { plan, placement } = await decide(policy, '', rest);
      return [plan.problems.map(({ code, path }) => `${code} ${path}`), picked(placement()).length];
    };
    expect(await codes(tolerant.replace(pickTwo, 'placementType: PickAll'))).toEqual([
      ['immutable-field spec.policy.placementType'],
      2,
    ]);
    expect(await codes(tolerant.replace(/\n.*team.*/, ''))).toEqual([['append-only spec.policy.tolerations'], 2]);
    expect(await codes(tolerant.replace('numberOfClusters: 2', 'numberOfClusters: 3'))).toEqual([[], 3]);
  });
});

describe('a record brought over from a hub', () => {
  const recorded = {
    'placements/web/status.yaml': `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterResourcePlacement
metadata: {name: web, generation: 7, creationTimestamp: null}
spec:
  resourceSelectors: [{group: "", version: v1, kind: Namespace, name: shop}]
  policy: {placementType: PickN, numberOfClusters: 2, tolerations: null}
  revisionHistoryLimit: null
status: {conditions: null}
`,
    'placements/web/state.yaml': `apiVersion: gitfleet.dev/v1alpha1
kind: PlacementState
metadata: {name: web}
policySnapshots:
- {index: 2, numberOfClusters: 2, policyHash: null, policy: {placementType: PickN, numberOfClusters: 2}}
bindings:
- {targetCluster: a, state: Bound, policySnapshotIndex: 2, resourceSnapshotIndex: 0, clusterDecision: null}
`,
  };

  it('may leave out defaults and have nulls: its clusters stay, its generation and indexes continue', async () => {
    const { plan: printed, placement: found } = await decide(pickTwo, '', recorded);
    expect(printed.problems).toEqual([]);
    expect(picked(found())).toEqual(['c 0/0', 'a']);
    expect([found().policySnapshotIndex, found().resourceSnapshotIndex]).toEqual([2, 1]);
    expect(found().conditions[0]).toMatchObject({ observedGeneration: 7 });
  });

  it('holds a forbidden change as any record does', async () => {
    const { code, plan: printed } = await decide('', '', recorded);
    expect([code, printed.problems.map(({ path }) => path)]).toEqual([2, ['spec.policy.placementType']]);
  });
});
