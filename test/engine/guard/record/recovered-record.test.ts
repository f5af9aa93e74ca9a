import { describe, expect, it } from 'vitest';
import type { Manifest, PlacementKey } from '../../../../src/api/meta.ts';
import type { ClusterObservation } from '../../../../src/api/observation.ts';
import type { Binding } from '../../../../src/api/placement-state.ts';
import type { FleetRecord, PlanInput, RecordedPlacement, Unread } from '../../../../src/engine/input.ts';
import { memberObservation } from '../../member-observation.ts';
import {
  findings,
  healthy,
  inputOf,
  members,
  named,
  objects,
  on,
  planned,
  planOf,
  remembered,
  rolling,
  target,
} from '../world.ts';

const web = 'web' as PlacementKey;
const other = 'other' as PlacementKey;

const ours = (name: string, of = 'web', kind = 'ConfigMap'): Manifest => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'web', labels: { 'gitfleet.dev/placement': of } },
});
const report = (index?: number, name = 'web') => ({
  placement: { kind: 'ClusterResourcePlacement' as const, name },
  ...(index === undefined ? {} : { resourceSnapshotIndex: index }),
  done: true,
  results: [],
});
const look = (shown: readonly Manifest[], index?: number): ClusterObservation =>
  memberObservation({ objects: [...shown], placements: index === undefined ? [] : [report(index)] });

/** What was put together of `web`: bindings by cluster and index, contents by index. */
const rebuilt = (
  bindings: Readonly<Record<string, number>>,
  contents: Readonly<Record<number, Manifest[]>>,
  more: Partial<Binding> = {},
): RecordedPlacement => {
  const { state, snapshots } = remembered(
    rolling(),
    Object.entries(bindings).map(([name, index]) => ({
      targetCluster: name,
      state: 'Bound',
      resourceSnapshotIndex: index,
      ...more,
    })),
    contents,
  );
  return {
    object: undefined,
    state: { ...state, resourceSnapshots: state.resourceSnapshots.map((entry) => ({ ...entry, hash: 'lost' })) },
    snapshots,
  };
};

const nothing = planOf({});
const recordRules = (input: PlanInput, record: FleetRecord, lost: boolean, plan = nothing): string[] =>
  findings({ input, recovered: { record, lost }, plan })
    .map(({ rule }) => rule)
    .filter((rule) => rule.startsWith('record-'));

describe('a record that is gone', () => {
  // Two clusters show what they have of web, one of them in another version.
  const shown = new Map([
    ['a', look([ours('one'), ours('two')], 4)],
    ['b', look([ours('one')], 5)],
    ['c', look([], undefined)],
  ]);
  const input = inputOf({
    fleet: { members: members('a', 'b', 'c'), placements: [rolling()] },
    record: { exists: false },
    observations: shown,
  });
  const whole = rebuilt({ a: 4, b: 5 }, { 4: [ours('one'), ours('two')], 5: [ours('one')] });
  const judged = (recovered: RecordedPlacement | undefined, of: Partial<PlanInput> = {}, lost = true) => {
    const placements = new Map(recovered ? [[web, recovered]] : []);
    const from = { ...input, ...of };
    return recordRules(from, { ...from.record, exists: true, placements }, lost);
  };
  const { fleet } = input;
  const withoutIndex = new Map([...shown, ['b', look([ours('one')])]]);
  const annotated = { ...ours('one', 'x-1234'), metadata: { ...ours('one', 'x-1234').metadata } };
  annotated.metadata.annotations = { 'gitfleet.dev/placement': 'web' };

  it.each<[string, ReturnType<typeof judged>, readonly string[]]>([
    ['is rebuilt from what members show', judged(whole), []],
    [
      'has no binding where nothing is shown',
      judged(rebuilt({ a: 4, b: 5, c: 5 }, { 4: [], 5: [] })),
      ['record-invented'],
    ],
    ['misses no binding', judged(rebuilt({ a: 4 }, { 4: [] })), ['record-incomplete']],
    ['misses no placement', judged(undefined), ['record-incomplete']],
    ['has the index that a member reports', judged(rebuilt({ a: 5, b: 5 }, { 5: [ours('one')] })), ['record-invented']],
    [
      'continues above the highest index where none is reported',
      judged(rebuilt({ a: 4, b: 5 }, { 4: [], 5: [ours('one')] }), { observations: withoutIndex }),
      [],
    ],
    [
      'does not give an index again that may be another version',
      judged(rebuilt({ a: 4, b: 4 }, { 4: [] }), { observations: withoutIndex }),
      ['record-invented'],
    ],
    [
      'removes nothing',
      judged(rebuilt({ a: 4, b: 5 }, { 4: [], 5: [] }, { deleting: true })),
      ['record-invented', 'record-invented'],
    ],
    [
      'has one binding for a cluster',
      judged({ ...whole, state: { ...whole.state, bindings: [...whole.state.bindings, on('a', 4)] } }),
      ['record-invented'],
    ],
    ['lists only what is shown', judged(rebuilt({ a: 4, b: 5 }, { 4: [ours('three')], 5: [] })), ['record-invented']],
    [
      'lists in a version only what its clusters show',
      judged(rebuilt({ a: 4, b: 5 }, { 4: [], 5: [ours('two')] })),
      ['record-invented'],
    ],
    [
      'lists no Secret of a member',
      judged(rebuilt({ a: 4, b: 5 }, { 4: [ours('s', 'web', 'Secret')], 5: [] }), {
        observations: new Map([...shown, ['a', look([ours('s', 'web', 'Secret')], 4)]]),
      }),
      ['record-invented'],
    ],
    [
      'has no snapshot that might be applied',
      judged({ ...whole, state: { ...whole.state, resourceSnapshots: [{ index: 4, hash: 'abc' }] } }),
      ['record-invented'],
    ],
    [
      'has nothing that the repo does not name',
      judged(whole, { fleet: { ...fleet, placements: [named('other')] } }),
      ['record-invented'],
    ],
    [
      'leaves alone what the repo does not name',
      judged(undefined, { fleet: { ...fleet, placements: [named('other')] } }),
      [],
    ],
    [
      'has what a file that cannot be read may name',
      judged(whole, { fleet: { ...fleet, placements: [], unreadable: ['x.yaml'] } }),
      [],
    ],
    [
      'has what an invalid file names',
      judged(undefined, {
        fleet: {
          ...fleet,
          placements: [],
          refused: [{ apiVersion: '', kind: 'ClusterResourcePlacement', name: 'web' }],
        },
      }),
      ['record-incomplete'],
    ],
    [
      'knows long names by their annotation',
      judged(rebuilt({ a: 4 }, { 4: [annotated] }), { observations: new Map([['a', look([annotated], 4)]]) }),
      [],
    ],
    ['is noticed', judged(whole, {}, false), ['record-incomplete']],
    [
      'was there while nothing of ours is shown',
      judged(undefined, { observations: new Map([['a', look([])]]) }, false),
      [],
    ],
    [
      'is not lost while nothing of ours is shown',
      judged(undefined, { observations: new Map([['a', look([])]]) }),
      ['record-incomplete'],
    ],
    ['is not lost while nothing was observed', judged(undefined, { observations: undefined }, false), []],
  ])('%s', (_, found, expected) => {
    expect(found).toEqual(expected);
  });
});

describe('a state that cannot be read', () => {
  const status = (index?: string) => ({
    ...rolling(),
    status: {
      placementStatuses: [{ clusterName: 'b', ...(index === undefined ? {} : { observedResourceIndex: index }) }],
    },
  });
  const unread = (object: RecordedPlacement['object'], snapshots: Record<number, Manifest[]> = {}): Unread => ({
    placements: new Map([
      [
        web,
        {
          object,
          files: new Map(),
          snapshots: new Map(Object.entries(snapshots).map(([index, list]) => [Number(index), list])),
        },
      ],
    ]),
    runs: new Set(),
    evictions: new Set(),
    upgrades: new Set(),
  });
  const shown = new Map([['a', look([ours('one')], 4)]]);
  const judged = (
    recovered: RecordedPlacement | undefined,
    of: { unread?: Unread; observations?: PlanInput['observations']; plan?: typeof nothing } & Partial<
      PlanInput['fleet']
    > = {},
  ) => {
    const { unread: lost = unread(status('3'), { 3: objects(1) }), observations = shown, plan, ...fleet } = of;
    const read = remembered(named('other'), [on('c')], { 0: objects(1) });
    const input = inputOf({
      fleet: { members: members('a', 'b', 'c'), placements: [named('other'), rolling()], ...fleet },
      record: { unread: lost, placements: new Map([[other, read]]) },
      observations: 'observations' in of ? of.observations : observations,
    });
    const record = recovered
      ? {
          ...input.record,
          placements: new Map([
            [other, read],
            [web, recovered],
          ]),
          unread: { ...lost, placements: new Map<PlacementKey, never>() },
        }
      : input.record;
    return recordRules(input, record, false, plan);
  };
  it.each<[string, ReturnType<typeof judged>, readonly string[]]>([
    [
      'is rebuilt from members and the recorded status',
      judged(rebuilt({ a: 4, b: 3 }, { 3: objects(1), 4: [ours('one')] })),
      [],
    ],
    ['has the index of the status', judged(rebuilt({ a: 4, b: 2 }, { 2: [], 4: [] })), ['record-invented']],
    ['or one above all known ones', judged(rebuilt({ a: 4, b: 5 }, { 4: [], 5: [] })), []],
    ['has nothing where neither shows it', judged(rebuilt({ a: 4, c: 5 }, { 4: [], 5: [] })), ['record-invented']],
    ['misses nothing that is shown', judged(rebuilt({ b: 3 }, { 3: [] })), ['record-incomplete']],
    [
      'lists nothing that is neither shown nor written',
      judged(rebuilt({ a: 4 }, { 3: objects(1, 1), 4: [] })),
      ['record-invented'],
    ],
    [
      'of a deleted placement is rebuilt too',
      judged(rebuilt({ a: 4 }, { 4: [ours('one')] }), { placements: [named('other')] }),
      [],
    ],
    [
      'of a placement that nothing names is not',
      judged(rebuilt({ a: 4 }, { 4: [ours('one')] }), { placements: [named('other')], unread: unread(undefined) }),
      ['record-invented'],
    ],
    ['without observations is left out of the plan', judged(undefined, { observations: undefined }), []],
    [
      'without observations is not planned',
      judged(undefined, { observations: undefined, plan: planOf({ placements: { web: [planned('a', 1, 'add')] } }) }),
      ['record-incomplete'],
    ],
    [
      'without observations has no targets',
      judged(undefined, { observations: undefined, plan: planOf({ targets: [target('a')] }) }),
      ['record-incomplete'],
    ],
  ])('%s', (_, found, expected) => {
    expect(found).toEqual(expected);
  });
});

describe('a record that can be read', () => {
  const input = inputOf({
    fleet: { members: members('a'), placements: [rolling()] },
    record: { clusters: new Map([['a', members('a')[0]!]]) },
    placements: [remembered(rolling(), [on('a')], { 0: objects(1) })],
  });
  const { record } = input;
  const recorded = record.placements.get(web)!;
  const withWeb = (web: RecordedPlacement): FleetRecord => ({
    ...record,
    placements: new Map([['web' as PlacementKey, web]]),
  });
  const withBindings = (bindings: Binding[]) => withWeb({ ...recorded, state: { ...recorded.state, bindings } });
  it.each<[string, FleetRecord, readonly string[]]>([
    ['is taken as it is', record, []],
    ['may be copied', withBindings([{ ...on('a'), conditions: [...healthy] }]), []],
    ['keeps its bindings', withBindings([]), ['record-changed']],
    ['gets no bindings', withBindings([on('a'), on('b')]), ['record-changed']],
    ['keeps indexes', withBindings([on('a', 1)]), ['record-changed']],
    ['keeps contents', withWeb({ ...recorded, snapshots: new Map([[0, objects(2)]]) }), ['record-changed']],
    ['keeps its placements', { ...record, placements: new Map() }, ['record-changed']],
    [
      'gets no placements',
      { ...record, placements: new Map([...record.placements, [other, recorded]]) },
      ['record-invented'],
    ],
    ['keeps members', { ...record, clusters: new Map() }, ['record-changed']],
    ['keeps its commit', { ...record, commit: 'c9' }, ['record-changed']],
  ])('%s', (_, recovered, found) => {
    expect(recordRules(input, recovered, false)).toEqual(found);
  });

  describe('and was rebuilt while the file of a placement could not be read', () => {
    const before = rebuilt({ a: 4 }, { 4: [ours('one')] });
    const policy = [{ index: 0, latest: true, policy: rolling().spec.policy }];
    const bound = before.state.bindings.map((binding) => ({ ...binding, policySnapshotIndex: 0 }));
    const withState = (state: Partial<RecordedPlacement['state']>) => ({
      ...before,
      state: { ...before.state, ...state },
    });
    it.each<[string, RecordedPlacement, boolean, readonly string[]]>([
      [
        'has the policy of the file once that can be read',
        withState({ policySnapshots: policy, bindings: bound }),
        true,
        [],
      ],
      ['has none before', withState({ policySnapshots: policy, bindings: bound }), false, ['record-changed']],
      ['keeps its bindings then', withState({ policySnapshots: policy, bindings: [] }), true, ['record-changed']],
    ])('%s', (_, recovered, isRead, found) => {
      const from = inputOf({
        fleet: { placements: isRead ? [rolling()] : [], unreadable: isRead ? [] : ['x.yaml'] },
        placements: [before],
      });
      expect(recordRules(from, { ...from.record, placements: new Map([[web, recovered]]) }, false)).toEqual(found);
    });
  });
});
