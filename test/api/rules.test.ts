import { describe, expect, it } from 'vitest';
import { validateFleetObject } from '../../src/api/validate.ts';

type Fields = Record<string, unknown>;
const selector = { group: '', version: 'v1', kind: 'Namespace', name: 'web' };
const placement = (spec: Fields, kind = 'ClusterResourcePlacement', metadata: Fields = { name: 'web' }) => ({
  apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
  kind,
  metadata,
  spec: { resourceSelectors: [selector], ...spec },
});
const codes = (document: unknown) =>
  validateFleetObject(document).issues.map(({ severity, code, path }) => `${severity} ${code} ${path.join('.')}`);

const required = (term: Fields) => ({
  placementType: 'PickAll',
  affinity: { clusterAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { clusterSelectorTerms: [term] } } },
});
const preferred = (preference: unknown, weight: unknown = 1) => ({
  placementType: 'PickN',
  numberOfClusters: 1,
  affinity: { clusterAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, preference }] } },
});
const terms =
  'spec.policy.affinity.clusterAffinity.requiredDuringSchedulingIgnoredDuringExecution.clusterSelectorTerms.0';

describe('a placement is accepted, with a word about it', () => {
  it.each<[string, Fields, string[]]>([
    ['an empty selection', {}, []],
    [
      'preferred terms under PickAll',
      { policy: { ...preferred({}), placementType: 'PickAll', numberOfClusters: undefined } },
      ['warning ignored-field spec.policy.affinity.clusterAffinity.preferredDuringSchedulingIgnoredDuringExecution'],
    ],
    [
      'both budgets 0',
      { strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: '0%' } } },
      ['warning rollout-cannot-move spec.strategy.rollingUpdate'],
    ],
    [
      'maxSurge 0',
      { strategy: { rollingUpdate: { maxSurge: 0 } } },
      ['warning zero-budget spec.strategy.rollingUpdate.maxSurge'],
    ],
    ...[
      { placementType: 'PickAll' },
      { placementType: 'PickN', numberOfClusters: 2 },
      { placementType: 'PickFixed', clusterNames: ['a', 'b'] },
    ].map((policy): [string, Fields, string[]] => [
      `statuses mirrored to the original object under ${policy.placementType} of several`,
      { policy, strategy: { reportBackStrategy: { type: 'Mirror', destination: 'OriginalResource' } } },
      ['warning ignored-field spec.strategy.reportBackStrategy'],
    ]),
    ...[
      { placementType: 'PickN', numberOfClusters: 1 },
      { placementType: 'PickFixed', clusterNames: ['a'] },
    ].map((policy): [string, Fields, string[]] => [
      `statuses mirrored to the original object under ${policy.placementType} of one`,
      { policy, strategy: { reportBackStrategy: { type: 'Mirror', destination: 'OriginalResource' } } },
      [],
    ]),
    [
      'statuses mirrored beside the placement under PickAll',
      { strategy: { reportBackStrategy: { type: 'Mirror', destination: 'WorkAPI' } } },
      [],
    ],
    [
      'no names',
      { policy: { placementType: 'PickFixed', clusterNames: [] } },
      ['warning selects-nothing spec.policy.clusterNames'],
    ],
    [
      'preference as a list',
      { policy: preferred([{ labelSelector: {} }]) },
      [
        'warning old-spelling spec.policy.affinity.clusterAffinity.preferredDuringSchedulingIgnoredDuringExecution.0.preference',
      ],
    ],
    [
      'metricSorter',
      { policy: preferred({ metricSorter: { name: 'kubernetes-fleet.io/node-count', sortOrder: 'Ascending' } }) },
      [
        'warning old-spelling spec.policy.affinity.clusterAffinity.preferredDuringSchedulingIgnoredDuringExecution.0.preference.metricSorter',
      ],
    ],
    [
      'an unquoted label',
      { policy: required({ labelSelector: { matchLabels: { level: 1 } } }) },
      [`warning unquoted-label ${terms}.labelSelector.matchLabels.level`],
    ],
  ])('%s', (_, spec, expected) => {
    expect(codes(placement(spec))).toEqual(expected);
    expect(validateFleetObject(placement(spec)).object).toBeDefined();
  });

  it('unquoted annotations of gitfleet, and no others', () => {
    const run = (annotations: object) => ({
      apiVersion: 'placement.kubernetes-fleet.io/v1',
      kind: 'ClusterStagedUpdateRun',
      metadata: { name: 'web-1', annotations },
      spec: { placementName: 'web', stagedRolloutStrategyName: 'steps' },
    });
    const own = run({ 'gitfleet.dev/max-failures': 2 });
    expect(codes(own)).toEqual(['warning unquoted-annotation metadata.annotations.gitfleet.dev/max-failures']);
    expect(validateFleetObject(own).object).toMatchObject({
      metadata: { annotations: { 'gitfleet.dev/max-failures': '2' } },
    });
    expect(codes(run({ 'example.com/level': 2 }))).toEqual(['error wrong-type metadata.annotations.example.com/level']);
  });

  it('with every default filled in', () => {
    expect(validateFleetObject(placement({})).object).toMatchObject({
      spec: {
        policy: { placementType: 'PickAll' },
        strategy: {
          type: 'RollingUpdate',
          rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%', unavailablePeriodSeconds: 60 },
          applyStrategy: {
            type: 'ClientSideApply',
            comparisonOption: 'PartialComparison',
            whenToApply: 'Always',
            whenToTakeOver: 'Always',
            allowCoOwnership: false,
          },
        },
        revisionHistoryLimit: 10,
        statusReportingScope: 'ClusterScopeOnly',
      },
    });
  });
});

describe('other kinds', () => {
  const fleet = (kind: string, spec: Fields, metadata: Fields = { name: 'x' }) => ({
    apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
    kind,
    metadata,
    spec,
  });
  const override = (rule: Fields) =>
    fleet('ClusterResourceOverride', { clusterResourceSelectors: [selector], policy: { overrideRules: [rule] } });
  const patch = (item: Fields) => override({ clusterSelector: {}, jsonPatchOverrides: [item] });
  const stage = (item: Fields) => fleet('ClusterStagedUpdateStrategy', { stages: [{ name: 'one', ...item }] });
  const here = 'spec.policy.overrideRules.0.jsonPatchOverrides';
  it.each<[string, unknown, string]>([
    ['JSONPatch without patches', override({}), `error field-required ${here}`],
    [
      'Delete with patches',
      override({ overrideType: 'Delete', jsonPatchOverrides: [{ op: 'remove', path: '/a' }] }),
      `error field-not-allowed ${here}`,
    ],
    ['a path without a slash', patch({ op: 'remove', path: 'spec' }), `error invalid-patch ${here}.0.path`],
    ['a path to kind', patch({ op: 'replace', path: '/kind', value: 'x' }), `error invalid-patch ${here}.0.path`],
    [
      'a path to a name',
      patch({ op: 'replace', path: '/metadata/name', value: 'x' }),
      `error invalid-patch ${here}.0.path`,
    ],
    [
      'remove with a value',
      patch({ op: 'remove', path: '/spec', value: 1 }),
      `error field-not-allowed ${here}.0.value`,
    ],
    ['add without a value', patch({ op: 'add', path: '/spec/a' }), `error field-required ${here}.0.value`],
    [
      'a cluster override for a namespaced placement',
      fleet('ClusterResourceOverride', {
        placement: { name: 'a', scope: 'Namespaced' },
        clusterResourceSelectors: [selector],
        policy: { overrideRules: [{ clusterSelector: {}, overrideType: 'Delete' }] },
      }),
      'error invalid-scope spec.placement.scope',
    ],
    ['a stage name with capitals', stage({ name: 'One' }), 'error invalid-name spec.stages.0.name'],
    [
      'two stages of one name',
      fleet('ClusterStagedUpdateStrategy', { stages: [{ name: 'one' }, { name: 'two' }, { name: 'one' }] }),
      'warning duplicate spec.stages.2.name',
    ],
    ['maxConcurrency 0', stage({ maxConcurrency: 0 }), 'error invalid-int-or-percent spec.stages.0.maxConcurrency'],
    [
      'a wait before a stage',
      stage({ beforeStageTasks: [{ type: 'TimedWait', waitTime: '1m' }] }),
      'error field-not-allowed spec.stages.0.beforeStageTasks.0.type',
    ],
    [
      'an approval with a wait',
      stage({ afterStageTasks: [{ type: 'Approval', waitTime: '1m' }] }),
      'error field-not-allowed spec.stages.0.afterStageTasks.0.waitTime',
    ],
    [
      'a wait in days',
      stage({ afterStageTasks: [{ type: 'TimedWait', waitTime: '1d' }] }),
      'error invalid-duration spec.stages.0.afterStageTasks.0.waitTime',
    ],
    [
      'both budget fields',
      fleet('ClusterResourcePlacementDisruptionBudget', { maxUnavailable: 1, minAvailable: 1 }),
      'error exclusive-fields spec',
    ],
    [
      'a number of a budget in quotes',
      fleet('ClusterResourcePlacementDisruptionBudget', { minAvailable: '5' }),
      'error invalid-int-or-percent spec.minAvailable',
    ],
    [
      'a concurrency in quotes',
      stage({ maxConcurrency: '3' }),
      'error invalid-int-or-percent spec.stages.0.maxConcurrency',
    ],
    [
      'a concurrency of nothing',
      stage({ maxConcurrency: '0%' }),
      'error invalid-int-or-percent spec.stages.0.maxConcurrency',
    ],
    [
      'a taint effect of pods',
      {
        apiVersion: 'cluster.kubernetes-fleet.io/v1',
        kind: 'MemberCluster',
        metadata: { name: 'a' },
        spec: { taints: [{ key: 'a', effect: 'NoExecute' }] },
      },
      'error invalid-value spec.taints.0.effect',
    ],
    [
      'a simulated node of an amount that is none',
      {
        apiVersion: 'gitfleet.dev/v1alpha1',
        kind: 'SimulatedFleet',
        metadata: { name: 'a' },
        spec: { members: [{ name: 'a', nodes: [{ memory: '64GiB' }] }] },
      },
      'error invalid spec.members.0.nodes.0.memory',
    ],
    ['a kind that controllers write', fleet('ClusterResourceBinding', {}), 'error generated-kind kind'],
    ['an unknown kind', fleet('ClusterResourcePlacment', {}), 'error unknown-kind kind'],
  ])('%s', (_, document, expected) => {
    expect(codes(document)).toContain(expected);
  });

  it('an invalid budget is kept: it must not be read as no budget', () => {
    expect(
      validateFleetObject(fleet('ClusterResourcePlacementDisruptionBudget', { maxUnavailable: '200%' })).object,
    ).toBeDefined();
  });
});

describe('errors contain a fix', () => {
  const fixes = (document: unknown) =>
    validateFleetObject(document).issues.map(({ path, fix }) => `${path.at(-1)}: ${fix}`);
  it.each<[string, Fields, string]>([
    ['a word that is none of those', { strategy: { type: 'Weekly' } }, 'type: write one of them'],
    [
      'neither a number nor a percentage',
      { strategy: { rollingUpdate: { maxSurge: [1] } } },
      'maxSurge: write for example 1 or 25%',
    ],
    ['too few', { resourceSelectors: [] }, 'resourceSelectors: write at least 1'],
    ['a number out of bounds', { revisionHistoryLimit: 0 }, 'revisionHistoryLimit: write a number of at least 1'],
    [
      'a field of another type of strategy',
      { strategy: { applyStrategy: { serverSideApplyConfig: { force: true } } } },
      'serverSideApplyConfig: remove serverSideApplyConfig, or write type: ServerSideApply',
    ],
    [
      'a value that no label has',
      { policy: { tolerations: [{ key: 'a', operator: 'Equal', value: 'b c' }] } },
      'value: write at most 63 letters, digits, -, _ and ., beginning and ending with a letter or digit',
    ],
  ])('%s', (_, spec, reported) => {
    expect(fixes(placement(spec))).toEqual([reported]);
  });
});

describe('names are those that an API server accepts for custom resources', () => {
  const named = (metadata: Fields) =>
    validateFleetObject(
      placement({}, metadata['namespace'] ? 'ResourcePlacement' : 'ClusterResourcePlacement', metadata),
    )
      .issues.filter(({ code }) => code === 'invalid-name')
      .map(({ path, fix }) => `${path.join('.')}: ${fix}`);
  it.each<[Fields, string[]]>([
    [{ name: 'web' }, []],
    [{ name: 'web.shop-1' }, []],
    [{ name: 'a'.repeat(253) }, []],
    [{ name: 'web', namespace: 'shop-1' }, []],
    [{ name: 'Web_1' }, ['metadata.name: write for example web-1']],
    [{ name: 'the web' }, ['metadata.name: write for example the-web']],
    [{ name: '../../etc' }, ['metadata.name: write for example etc']],
    [{ name: '-web' }, ['metadata.name: write for example web']],
    [{ name: 'a..b' }, ['metadata.name: use lower-case letters, digits and -']],
    [{ name: 'a'.repeat(254) }, ['metadata.name: use at most 253 characters']],
    [{ name: 'web', namespace: 'a'.repeat(64) }, ['metadata.namespace: use at most 63 characters']],
    [{ name: 'web', namespace: 'Shop.EU' }, ['metadata.namespace: write for example shop-eu']],
  ])('%j', (metadata, reported) => {
    expect(named(metadata)).toEqual(reported);
  });
});

describe('metadata has the fields of Kubernetes, and no others', () => {
  const found = (metadata: Fields) =>
    validateFleetObject({
      apiVersion: 'cluster.kubernetes-fleet.io/v1',
      kind: 'MemberCluster',
      metadata: { name: 'eu-1', ...metadata },
    }).issues.map(({ severity, code, path, fix }) => `${severity} ${code} ${path.join('.')}: ${fix}`);
  it.each<[string, Fields, string[]]>([
    ['misspelt labels', { labesl: { env: 'prod' } }, ['error unknown-field metadata.labesl: did you mean labels?']],
    [
      'misspelt annotations',
      { annotation: {} },
      ['error unknown-field metadata.annotation: did you mean annotations?'],
    ],
    ['something else', { team: 'web' }, ['error unknown-field metadata.team: remove team']],
    [
      'what a server filled in',
      {
        uid: '1',
        resourceVersion: '2',
        generation: 3,
        creationTimestamp: '2026-11-20T10:00:00Z',
        managedFields: [{ manager: 'kubectl' }],
        ownerReferences: [{ kind: 'Deployment', name: 'web' }],
        finalizers: ['a/b'],
        deletionGracePeriodSeconds: 0,
        selfLink: '/apis',
        generateName: 'eu-',
      },
      [],
    ],
  ])('%s', (_, metadata, expected) => {
    expect(found(metadata)).toEqual(expected);
  });
});

describe('instants are dates of the calendar with a zone, as Kubernetes reads them', () => {
  const member = (metadata: Fields, agent: Fields = {}) => ({
    apiVersion: 'cluster.kubernetes-fleet.io/v1',
    kind: 'MemberCluster',
    metadata: { name: 'eu-1', ...metadata },
    status: { agentStatus: [{ type: 'MemberAgent', ...agent }] },
  });
  const written = (at: unknown) => [
    codes(member({ deletionTimestamp: at })),
    codes(member({}, { lastReceivedHeartbeat: at })),
    codes(member({}, { conditions: [{ type: 'Healthy', status: 'False', lastTransitionTime: at }] })),
  ];
  it.each([
    '2026-11-20T10:00:00Z',
    '2026-11-20T10:00:00.123456789Z',
    '2026-11-20T12:00:00+02:00',
    '2024-02-29T10:00:00Z',
  ])('%s', (at) => expect(written(at)).toEqual([[], [], []]));
  it.each(['', 'tomorrow', '2026-11-20', '2026-11-20T10:00Z', '2026-11-20T10:00:00', '2026-02-30T10:00:00Z'])(
    'not %j',
    (at) =>
      expect(written(at)).toEqual([
        ['error invalid-instant metadata.deletionTimestamp'],
        ['error invalid-instant status.agentStatus.0.lastReceivedHeartbeat'],
        ['error invalid-instant status.agentStatus.0.conditions.0.lastTransitionTime'],
      ]),
  );
});
