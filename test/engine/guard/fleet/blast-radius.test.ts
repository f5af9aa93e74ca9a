import { describe, expect, it } from 'vitest';
import type { FleetConfig } from '../../../../src/api/gitfleet.ts';
import type { Placement } from '../../../../src/api/placement.ts';
import {
  findings,
  inputOf,
  member,
  named,
  objects,
  on,
  planned,
  planOf,
  remembered,
  reviewed,
  rolling,
  rules,
  target,
} from '../world.ts';

const clusters = (count: number) => Array.from({ length: count }, (_, place) => `c-${String(place).padStart(3, '0')}`);
const config = (guardLimits: FleetConfig['spec']['guard']): FleetConfig => ({
  apiVersion: 'gitfleet.dev/v1alpha1',
  kind: 'FleetConfig',
  spec: { guard: guardLimits },
});

/** `count` of `members` clusters lose a placement of `size` objects; another placement keeps the fleet from being empty. */
const unpicked = (members: number, count: number, size = 1, limits?: FleetConfig['spec']['guard']) => {
  const names = clusters(members);
  const input = inputOf({
    fleet: {
      members: names.map((name) => member(name)),
      placements: [named('other'), rolling()],
      config: limits && config(limits),
    },
    placements: [
      remembered(
        rolling(),
        names.map((name) => on(name)),
        { 0: objects(size) },
      ),
    ],
  });
  const plan = planOf({
    placements: {
      web: names.map((name, place) =>
        place < count ? planned(name, 0, 'remove', { state: 'Unscheduled' }) : planned(name, 0, 'keep'),
      ),
    },
  });
  return { input, plan };
};
const found = ({ input, plan }: ReturnType<typeof unpicked>) =>
  rules(input, plan).filter((rule) => rule.startsWith('blast'));

describe('removal from many clusters', () => {
  it.each<[number, number, FleetConfig['spec']['guard'] | undefined, boolean]>([
    [20, 10, undefined, false],
    [20, 11, undefined, true],
    [200, 20, undefined, false],
    [200, 21, undefined, true],
    [20, 3, { maxClusters: 2 }, true],
    [20, 2, { maxClusters: 2 }, false],
    [20, 1, { maxClusters: 0 }, true],
    [20, 15, { maxClusters: '75%' }, false],
    [20, 16, { maxClusters: '75%' }, true],
  ])('of %i members from %i, limits %o: refused %s', (members, count, limits, refused) => {
    expect(found(unpicked(members, count, 1, limits))).toEqual(refused ? ['blast-radius-clusters'] : []);
  });
  it('names the placement and its clusters', () => {
    const { input, plan } = unpicked(4, 3, 1, { maxClusters: 2 });
    expect(findings({ input, plan }).map(({ message }) => message)).toEqual([
      'objects of web would be removed from 3 clusters, at most 2 are allowed at once: c-000, c-001, c-002',
    ]);
  });
  it('what is on its way out already does not count again', () => {
    const { input, plan } = unpicked(20, 20);
    const record = inputOf({
      ...input,
      placements: [
        remembered(
          rolling(),
          clusters(20).map((name) => on(name, 0, { deleting: true })),
          { 0: objects(1) },
        ),
      ],
    }).record;
    expect(findings({ input: { ...input, record }, plan })).toEqual([]);
  });
  it('a binding that never got a snapshot has nothing to remove', () => {
    const { input, plan } = unpicked(20, 20);
    const record = inputOf({
      placements: [
        remembered(
          rolling(),
          clusters(20).map((name) => ({ targetCluster: name, state: 'Scheduled' as const })),
          {},
        ),
      ],
    }).record;
    expect(found({ input: { ...input, record }, plan })).toEqual([]);
  });
});

describe('removal of many objects from one cluster', () => {
  it.each<[number, FleetConfig['spec']['guard'] | undefined, boolean]>([
    [50, undefined, false],
    [51, undefined, true],
    [5, { maxObjectsPerCluster: 4 }, true],
    [4, { maxObjectsPerCluster: 4 }, false],
    [60, { maxObjectsPerCluster: '100%' }, false],
  ])('%i objects, limits %o: refused %s', (size, limits, refused) => {
    expect(found(unpicked(20, 1, size, limits))).toEqual(refused ? ['blast-radius-objects'] : []);
  });
  it('a tenth of what the cluster holds may go', () => {
    const input = inputOf({
      fleet: { members: [member('a')], placements: [rolling()] },
      placements: [remembered(rolling(), [on('a')], { 0: objects(1000), 1: objects(900) })],
    });
    expect(rules(input, planOf({ placements: { web: [planned('a', 1, 'update')] } }))).toEqual([]);
    expect(
      rules(
        inputOf({ ...input, placements: [remembered(rolling(), [on('a')], { 0: objects(1000), 1: objects(899) })] }),
        planOf({ placements: { web: [planned('a', 1, 'update')] } }),
      ),
    ).toEqual(['blast-radius-objects']);
  });
  it('envelopes count as what is in them', () => {
    const envelope = {
      apiVersion: 'placement.kubernetes-fleet.io/v1',
      kind: 'ResourceEnvelope',
      metadata: { name: 'e', namespace: 'web' },
      data: Object.fromEntries(objects(51).map((it) => [it.metadata.name, it])),
    };
    const input = inputOf({
      fleet: { members: [member('a')], placements: [rolling()] },
      placements: [remembered(rolling(), [on('a')], { 0: [envelope, ...objects(1, 90)], 1: objects(1, 90) })],
    });
    expect(rules(input, planOf({ placements: { web: [planned('a', 1, 'update')] } }))).toEqual([
      'blast-radius-objects',
    ]);
  });
  it('an override that newly deletes objects removes them', () => {
    const input = inputOf({
      fleet: { members: [member('a')], placements: [rolling()] },
      placements: [remembered(rolling(), [on('a')], { 0: objects(60) })],
    });
    const state = { bindings: [on('a', 0, { clusterResourceOverrideSnapshots: ['cro-0'] })] };
    const plan = planOf({
      placements: { web: [planned('a', 0, 'update')] },
      targets: [
        target('a', 'web', { objects: [{ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'web', name: 'cm-0' }] }),
      ],
      record: new Map([['placements/web/state.yaml', { kind: 'object', value: state }]]),
    });
    expect(rules(input, plan)).toEqual(['blast-radius-objects']);
  });
});

describe('members that leave', () => {
  const leave = (
    members: number,
    count: number,
    how: 'file gone' | 'deletionTimestamp',
    limits?: FleetConfig['spec']['guard'],
  ) => {
    const names = clusters(members);
    const input = inputOf({
      fleet: {
        members: names.flatMap((name, place) =>
          place < count ? (how === 'file gone' ? [] : [member(name, true)]) : [member(name)],
        ),
        placements: [rolling()],
        config: limits && config(limits),
      },
      placements: [
        remembered(
          rolling(),
          names.map((name) => on(name)),
          { 0: objects(1) },
        ),
      ],
    });
    return { input, plan: planOf({ placements: { web: names.slice(count).map((name) => planned(name, 0, 'keep')) } }) };
  };
  it.each<[number, number, 'file gone' | 'deletionTimestamp', FleetConfig['spec']['guard'] | undefined, boolean]>([
    [10, 2, 'file gone', undefined, false],
    [10, 3, 'file gone', undefined, true],
    [10, 3, 'deletionTimestamp', undefined, true],
    [40, 4, 'file gone', undefined, false],
    [40, 5, 'file gone', undefined, true],
    [10, 1, 'file gone', { maxLeaving: 0 }, true],
    [10, 5, 'deletionTimestamp', { maxLeaving: '50%' }, false],
  ])('%i members, %i leave by %s, limits %o: refused %s', (members, count, how, limits, refused) => {
    const { input, plan } = leave(members, count, how, limits);
    expect(rules(input, plan)).toEqual(refused ? ['blast-radius-leaving'] : []);
  });
  it('members without placements of ours may leave at will', () => {
    const input = inputOf({
      fleet: { members: [member('z')], placements: [rolling()] },
      placements: [remembered(rolling(), [on('z')], { 0: objects(1) })],
    });
    expect(rules(input, planOf({ placements: { web: [planned('z', 0, 'keep')] } }))).toEqual([]);
  });
});

describe('everything vanished', () => {
  const before = { placements: [remembered(rolling(), [on('a')], { 0: objects(1) })] };
  it('all placements', () => {
    const input = inputOf({ fleet: { members: [member('a')] }, ...before });
    expect(rules(input, planOf({ targets: [target('a', 'web', { remove: true })] }))).toEqual(['everything-vanished']);
  });
  it('all members', () => {
    const input = inputOf({ fleet: { placements: [rolling()] }, ...before });
    expect(rules(input, planOf({ placements: { web: [] } }))).toEqual(['everything-vanished']);
  });
  it('all resources', () => {
    const input = inputOf({ fleet: { members: [member('a')], placements: [rolling()], resources: [] }, ...before });
    const plan = planOf({
      placements: { web: [planned('a', 1, 'update')] },
      record: new Map([['placements/web/snapshots/1.yaml', { kind: 'manifests', value: [] }]]),
    });
    expect(rules(input, plan)).toEqual(['everything-vanished']);
  });
  it.each<[string, number, boolean, string[]]>([
    ['a placement whose selectors match nothing, while the repo has its objects', 0, true, ['everything-vanished']],
    ['but not where they match something', 0, false, []],
    ['nor where the files of its objects are gone', 5, true, []],
  ])('%s', (_, first, isEmpty, expected) => {
    const resources = objects(1, first).map((manifest) => ({ manifest, scope: 'Namespaced' as const, file: 'a.yaml' }));
    const input = inputOf({
      fleet: { members: [member('a')], placements: [named('other'), rolling()], resources },
      placements: [remembered(rolling(), [on('a')], { 0: objects(2) })],
    });
    const value = isEmpty ? [] : objects(1);
    const plan = planOf({
      placements: { web: [planned('a', 1, 'update')] },
      record: new Map([['placements/web/snapshots/1.yaml', { kind: 'manifests', value }]]),
    });
    expect(rules(input, plan).filter((rule) => rule === 'everything-vanished')).toEqual(expected);
  });
  it.each<[string, string[], string[]]>([
    ['a PickFixed placement whose clusters are all misspelt', ['eu-l', 'eu-2'], ['everything-vanished']],
    ['but not where one of them is in the fleet', ['eu-l', 'b'], []],
    ['nor where the list is empty, which is no mistake of spelling', [], []],
  ])('%s', (_, clusterNames, expected) => {
    const fixed = { ...rolling(), spec: { ...rolling().spec, policy: { placementType: 'PickFixed', clusterNames } } };
    const placements = [named('other'), fixed as Placement];
    const input = inputOf({ fleet: { members: [member('a'), member('b')], placements }, ...before });
    const plan = planOf({ placements: { web: [planned('a', 0, 'remove', { state: 'Unscheduled' })] } });
    expect(rules(input, plan).filter((rule) => rule === 'everything-vanished')).toEqual(expected);
  });
  it('the last placement of several is not everything', () => {
    const input = inputOf({ fleet: { members: [member('a')], placements: [named('other')] }, ...before });
    expect(rules(input, planOf({ targets: [target('a', 'web', { remove: true })] }))).toEqual([]);
  });
  it('a fleet that never held anything may be empty', () => {
    expect(rules(inputOf({ fleet: { resources: [] } }), planOf({}))).toEqual([]);
  });
});

describe('approval of a removal', () => {
  const approve = (removalDigest: string) => ({
    apiVersion: 'gitfleet.dev/v1alpha1' as const,
    kind: 'RemovalApproval' as const,
    metadata: { name: 'yes' },
    spec: { removalDigest },
  });
  it('lets exactly this removal pass, whatever the commit and the time', () => {
    const { input, plan } = unpicked(20, 11);
    const { removalDigest } = findings({ input, plan })[0]!;
    expect(removalDigest).toMatch(/^sha256:[0-9a-f]{64}$/);
    const approved = {
      ...input,
      now: '2027-01-01T00:00:00Z',
      commit: 'c9',
      fleet: { ...input.fleet, removalApprovals: [approve(removalDigest!)] },
    };
    expect(findings({ input: approved, plan })).toEqual([]);
    const more = unpicked(20, 12);
    expect(
      found({
        input: { ...more.input, fleet: { ...more.input.fleet, removalApprovals: [approve(removalDigest!)] } },
        plan: more.plan,
      }),
    ).toEqual(['blast-radius-clusters']);
  });
  it('of an object dropped from a placement holds for all steps of its rollout', () => {
    const names = clusters(40);
    const fleet = { members: names.map((name) => member(name)), placements: [rolling()] };
    const contents = { 0: objects(2), 1: objects(1) };
    const step = (moved: number, next: number) => ({
      input: inputOf({
        fleet,
        placements: [
          remembered(
            rolling(),
            names.map((name, place) => on(name, place < moved ? 1 : 0)),
            contents,
          ),
        ],
      }),
      plan: planOf({
        placements: {
          web: names.map((name, place) =>
            place < moved
              ? planned(name, 1, 'keep')
              : place < next
                ? planned(name, 1, 'update')
                : planned(name, 0, 'wait', { conditions: [] }),
          ),
        },
      }),
    });
    const digests = [step(0, 20), step(20, 40)].map((it) => findings(it).map(({ removalDigest }) => removalDigest));
    expect(digests[0]).toHaveLength(1);
    expect(digests[1]).toEqual(digests[0]);
    const clustersOf = (of: ReturnType<typeof step>) =>
      reviewed(of).map(({ objects: dropped, clusters: losing, isAbsent }) => [dropped, losing, isAbsent]);
    const dropped = ['v1/ConfigMap web/cm-1'];
    expect([step(0, 20), step(20, 40)].map(clustersOf)).toEqual([
      [[dropped, names, undefined]],
      [
        [dropped, names.slice(20), undefined],
        [dropped, names.slice(0, 20), true],
      ],
    ]);
  });
  it.each<[string, Parameters<typeof remembered>[2], boolean, string[], string[]]>([
    ['have it', { 0: objects(3), 1: objects(2), 2: objects(1) }, false, ['c-000', 'c-001'], ['c-002']],
    ['may have it', { 1: objects(2), 2: objects(1) }, false, ['c-000', 'c-001'], ['c-002']],
    ['never had it', { 0: objects(1), 1: objects(2), 2: objects(1) }, false, ['c-001'], ['c-000', 'c-002']],
    ['leave', { 0: objects(3), 1: objects(2), 2: objects(1) }, true, ['c-001'], ['c-000', 'c-002']],
  ])(
    'of an object dropped from a placement names clusters that follow and %s',
    (_, contents, leaves, there, absent) => {
      const names = ['c-000', 'c-001', 'c-002'];
      const input = inputOf({
        fleet: {
          members: names.map((name) => member(name, leaves && name === 'c-000')),
          placements: [rolling()],
          config: config({ maxClusters: 0 }),
        },
        placements: [remembered(rolling(), [on('c-000', 0), on('c-001', 1), on('c-002', 2)], contents)],
      });
      const steps = [planned('c-000', 0, 'wait'), planned('c-001', 2, 'update'), planned('c-002', 2, 'keep')];
      const plan = planOf({ placements: { web: steps } });
      const shown = reviewed({ input, plan }).filter(({ action }) => action === 'remove');
      expect(shown.map(({ objects: of }) => of)).toEqual([['v1/ConfigMap web/cm-1'], ['v1/ConfigMap web/cm-1']]);
      expect(shown.map(({ clusters: of, isAbsent }) => [of, isAbsent])).toEqual([
        [there, undefined],
        [absent, true],
      ]);
    },
  );
  it('of members that leave names what they take along', () => {
    const of = (names: string[]) => {
      const input = inputOf({
        fleet: { placements: [rolling()] },
        placements: [
          remembered(
            rolling(),
            names.map((name) => on(name)),
            { 0: objects(1) },
          ),
        ],
      });
      return findings({ input, plan: planOf({ placements: { web: [] } }) })[0]!.removalDigest;
    };
    expect(of(['a', 'b'])).not.toBe(of(['a', 'c']));
  });
});
