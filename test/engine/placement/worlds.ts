import fc from 'fast-check';
import { completePlacement } from '../../../src/api/complete-placement.ts';
import { labelOperatorNames, labelOperators } from '../../../src/api/label-operators.ts';
import { type MemberCluster, memberCluster } from '../../../src/api/member-cluster.ts';
import {
  clusterResourcePlacement,
  type Placement,
  type PlacementPolicy,
  resourcePlacement,
} from '../../../src/api/placement.ts';
import type { Binding, PolicySnapshotEntry } from '../../../src/api/placement-state.ts';
import { propertyOperatorNames, propertyOperators } from '../../../src/api/property-operators.ts';
import { byText } from '../../../src/engine/kernel/ordering.ts';
import { type Member, surveyMembers } from '../../../src/engine/placement/members.ts';
import { sha256 } from '../../../src/repo/sha256.ts';

export const now = '2026-11-20T10:00:00Z';
export const digest = sha256;

/** A MemberCluster as a file would have it; connected and healthy unless `status` says otherwise. */
export const cluster = (
  name: string,
  rest: {
    labels?: Record<string, string>;
    taints?: { key: string; value?: string }[];
    properties?: Record<string, string>;
    annotations?: Record<string, string>;
    status?: object;
    leaving?: boolean;
  } = {},
): MemberCluster =>
  memberCluster.parse({
    apiVersion: 'cluster.kubernetes-fleet.io/v1',
    kind: 'MemberCluster',
    metadata: {
      name,
      labels: rest.labels,
      annotations: rest.annotations,
      ...(rest.leaving && { deletionTimestamp: now }),
    },
    spec: { taints: rest.taints?.map((taint) => ({ ...taint, effect: 'NoSchedule' })) },
    status: {
      properties: Object.fromEntries(Object.entries(rest.properties ?? {}).map(([key, value]) => [key, { value }])),
      ...rest.status,
    },
  });

/** Members of a repo that nobody observed. */
export const survey = (members: readonly MemberCluster[], at = now): readonly Member[] =>
  surveyMembers({ now: at, observations: undefined, fleet: { members }, record: { clusters: new Map() } });

/** A placement with this policy, as a file would have it. */
export const placementOf = (
  policy: object,
  rest: { namespace?: string; revisionHistoryLimit?: number } = {},
): Placement =>
  completePlacement(
    (rest.namespace === undefined ? clusterResourcePlacement : resourcePlacement).parse({
      apiVersion: 'placement.kubernetes-fleet.io/v1',
      kind: rest.namespace === undefined ? 'ClusterResourcePlacement' : 'ResourcePlacement',
      metadata: { name: 'web', namespace: rest.namespace },
      spec: {
        resourceSelectors: [{ group: '', version: 'v1', kind: 'Namespace', name: 'web' }],
        policy,
        revisionHistoryLimit: rest.revisionHistoryLimit,
      },
    }),
  );

export interface World {
  readonly placement: Placement;
  readonly policySnapshots: readonly PolicySnapshotEntry[];
  readonly bindings: readonly Binding[];
  readonly members: readonly Member[];
}

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'];
const oneOf: typeof fc.constantFrom = fc.constantFrom;
const quantityText = oneOf(
  '0',
  '1',
  '2',
  '1000m',
  '3',
  '0.5',
  '500m',
  '2.5',
  '-1',
  '7',
  '1Ki',
  '1024',
  'lots',
  '0.1',
  '0.3',
  '300m',
  // Beyond what a float64 holds exactly: the first two and the last two round to the same.
  '64Gi',
  '68719476736000000001n',
  '9007199254740993',
  '9007199254740992',
);
const propertyNames = ['cost', 'size', 'resources.kubernetes-fleet.io/available-cpu'];

const member = (name: string): fc.Arbitrary<Member> =>
  fc
    .record({
      region: fc.option(oneOf('r1', 'r2', 'r3', ''), { nil: undefined, freq: 6 }),
      zone: fc.option(oneOf('z1', 'z2', 'z3', 'z4'), { nil: undefined, freq: 6 }),
      tier: fc.option(oneOf('gold', 'tin'), { nil: undefined }),
      taints: fc.uniqueArray(oneOf('x', 'x=1', 'y', 'y=2'), { maxLength: 2 }),
      tainted: oneOf(true, false, false, false, false),
      properties: fc.dictionary(oneOf(...propertyNames), quantityText, { maxKeys: 3, noNullPrototype: true }),
      mood: oneOf(...Array<'fine'>(8).fill('fine'), 'stale', 'leaving', 'restless'),
      namespaces: oneOf(undefined, undefined, [], ['shop'], ['shop']),
    })
    .map(
      ({ region, zone, tier, taints, tainted, properties, mood, namespaces }): Member => ({
        name,
        labels: {
          'kubernetes-fleet.io/member-name': name,
          ...(region !== undefined && { region }),
          ...(zone !== undefined && { zone }),
          ...(tier !== undefined && { tier }),
        },
        taints: (tainted ? taints : []).map((text) => {
          const [key, value] = text.split('=');
          return { key: key!, ...(value !== undefined && { value }), effect: 'NoSchedule' };
        }),
        properties,
        ...(namespaces && { namespaces: new Set(namespaces) }),
        leaving: mood === 'leaving',
        eligibility:
          mood === 'fine'
            ? { eligible: true }
            : mood === 'restless'
              ? { eligible: true, changesAt: 1_795_168_000_000 }
              : { eligible: false, reason: mood },
        status: {},
      }),
    );

const labelSelector = fc.record(
  {
    matchLabels: oneOf<Record<string, string>>({ region: 'r1' }, { tier: 'gold' }, { region: '' }, {}),
    matchExpressions: fc.array(
      oneOf(...labelOperatorNames).chain((operator) =>
        fc.record({
          key: oneOf('region', 'zone', 'tier'),
          operator: fc.constant(operator),
          ...(labelOperators[operator].takesValues && {
            values: fc.array(oneOf('r1', 'r2', 'z1', 'gold'), { minLength: 1, maxLength: 2 }),
          }),
        }),
      ),
      { maxLength: 2 },
    ),
  },
  { requiredKeys: [] },
);

const listedQuantity = oneOf('1', '500m', '2', '1Ki', '0.3', '64Gi', '9007199254740993');

const requiredTerm = fc.record(
  {
    labelSelector,
    propertySelector: fc.record({
      matchExpressions: fc.array(
        oneOf(...propertyOperatorNames).chain((operator) =>
          fc.record({
            name: oneOf(...propertyNames),
            operator: fc.constant(operator),
            values: fc.tuple(...propertyOperators[operator].relations.map(() => listedQuantity)),
          }),
        ),
        { minLength: 1, maxLength: 2 },
      ),
    }),
  },
  { requiredKeys: [] },
);

const preference = fc.record(
  {
    labelSelector,
    propertySorter: fc.record({
      name: oneOf(...propertyNames),
      sortOrder: oneOf('Ascending' as const, 'Descending' as const),
    }),
  },
  { requiredKeys: [] },
);

const clusterAffinity = fc.record(
  {
    requiredDuringSchedulingIgnoredDuringExecution: fc.record({
      clusterSelectorTerms: fc.array(requiredTerm, { maxLength: 2 }),
    }),
    preferredDuringSchedulingIgnoredDuringExecution: fc.array(
      fc.record({ weight: oneOf(-100, -5, -1, 0, 1, 5, 20, 100), preference }),
      { maxLength: 3 },
    ),
  },
  { requiredKeys: [] },
);

const tolerations = fc.array(
  oneOf(
    { key: 'x', operator: 'Equal' as const },
    { key: 'x', operator: 'Equal' as const, value: '1' },
    { key: 'y', operator: 'Exists' as const, effect: 'NoSchedule' as const },
    { operator: 'Exists' as const },
  ),
  { maxLength: 2 },
);

const constraint = fc.record({
  topologyKey: oneOf('region', 'region', 'region', 'zone', 'zone', 'kubernetes-fleet.io/member-name', 'nowhere'),
  maxSkew: oneOf(1, 1, 1, 2, 3),
  whenUnsatisfiable: oneOf('DoNotSchedule' as const, 'ScheduleAnyway' as const),
});

/** Policies of one type; every field is there half of the time. */
export const policyOf = (placementType: PlacementPolicy['placementType']): fc.Arbitrary<PlacementPolicy> => {
  const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
  const affinity = some(clusterAffinity.map((value) => ({ clusterAffinity: value })));
  switch (placementType) {
    case 'PickFixed':
      return fc.subarray([...names, 'nobody']).map((clusterNames) => ({ placementType, clusterNames }));
    case 'PickAll':
      return fc.record({ placementType: fc.constant(placementType), affinity, tolerations: some(tolerations) });
    case 'PickN':
      return fc.record({
        placementType: fc.constant(placementType),
        numberOfClusters: fc.integer({ min: 0, max: 8 }),
        affinity,
        tolerations: some(tolerations),
        topologySpreadConstraints: some(fc.array(constraint, { minLength: 1, maxLength: 3 })),
      });
  }
};

const bindingOn = (targetCluster: string): fc.Arbitrary<Binding[]> => {
  const decision = fc.option(
    fc.record({
      clusterName: fc.constant(targetCluster),
      selected: fc.constant(true),
      clusterScore: fc.option(fc.record({ affinityScore: oneOf(-3, 0, 10), topologySpreadScore: oneOf(-1, 0, 1) }), {
        nil: undefined,
      }),
      reason: oneOf('', 'recorded'),
    }),
    { nil: undefined, freq: 4 },
  );
  const live = fc.record({
    targetCluster: fc.constant(targetCluster),
    state: oneOf('Scheduled' as const, 'Bound' as const),
    policySnapshotIndex: oneOf(0, 1, 1),
    resourceSnapshotIndex: oneOf(0, 3),
    clusterDecision: decision,
  });
  const resting = live.chain((binding) =>
    oneOf(
      { ...binding, state: 'Unscheduled' as const },
      { ...binding, state: 'Unscheduled' as const, previousState: 'Bound' as const },
      { ...binding, state: 'Unscheduled' as const, previousState: 'Scheduled' as const },
    ),
  );
  const deleting = live.map((binding) => ({ ...binding, deleting: true }));
  return fc.oneof(
    { weight: 5, arbitrary: fc.constant<Binding[]>([]) },
    { weight: 4, arbitrary: live.map((binding) => [binding]) },
    { weight: 2, arbitrary: resting.map((binding) => [binding]) },
    { weight: 1, arbitrary: deleting.map((binding) => [binding]) },
    { weight: 1, arbitrary: fc.tuple(deleting, live) },
  );
};

const fleetOf = (size: number): string[] => Array.from({ length: size }, (_, at) => names[at] ?? `m${at}`);

/** A fleet of at most `largest` clusters, a policy and a remembered state that may or may not fit it. */
export const worldsOf = (largest: number): fc.Arbitrary<World> =>
  fc
    .record({
      size: fc.integer({ min: 0, max: largest }),
      type: oneOf('PickN' as const, 'PickN' as const, 'PickN' as const, 'PickAll' as const, 'PickFixed' as const),
      history: oneOf('none', 'same', 'same', 'edited', 'edited'),
      namespace: oneOf(undefined, undefined, 'shop'),
    })
    .chain(({ size, type, history, namespace }) =>
      fc
        .record({
          members: fc.tuple(...fleetOf(size).map(member)),
          policy: policyOf(type),
          older: policyOf(type),
          number: fc.integer({ min: 0, max: 8 }),
          bindings:
            history === 'none'
              ? fc.constant<Binding[][]>([])
              : fc.tuple(...[...fleetOf(Math.max(size, names.length)), 'gone'].map(bindingOn)),
        })
        .map(({ members, policy, older, number, bindings }): World => {
          const before = history === 'same' ? policy : older;
          return {
            placement: placementOf(policy, namespace === undefined ? {} : { namespace }),
            policySnapshots:
              history === 'none'
                ? []
                : [
                    { index: 0, policy: older },
                    { index: 1, latest: true, policy: before, numberOfClusters: number },
                  ],
            bindings: bindings.flat().sort((a, b) => byText(a.targetCluster, b.targetCluster)),
            members: members as Member[],
          };
        }),
    );

export const worlds = worldsOf(names.length);
