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
const property = (operator: string, ...values: string[]) => ({
  name: 'kubernetes-fleet.io/node-count',
  operator,
  values,
});
const expressions = (...list: Fields[]) => required({ propertySelector: { matchExpressions: list } });

const terms =
  'spec.policy.affinity.clusterAffinity.requiredDuringSchedulingIgnoredDuringExecution.clusterSelectorTerms.0';

describe('a placement is refused', () => {
  it.each<[string, Fields, string]>([
    ['without selectors', { resourceSelectors: [] }, 'error out-of-range spec.resourceSelectors'],
    [
      'with name and labels in one selector',
      { resourceSelectors: [{ ...selector, labelSelector: {} }] },
      'error exclusive-fields spec.resourceSelectors.0',
    ],
    [
      'with a scope for another kind',
      { resourceSelectors: [{ ...selector, kind: 'Node', selectionScope: 'NamespaceOnly' }] },
      'error invalid-selection-scope spec.resourceSelectors.0.selectionScope',
    ],
    [
      'PickN without a number',
      { policy: { placementType: 'PickN' } },
      'error field-required spec.policy.numberOfClusters',
    ],
    [
      'PickN with a negative number',
      { policy: { placementType: 'PickN', numberOfClusters: -1 } },
      'error out-of-range spec.policy.numberOfClusters',
    ],
    [
      'PickN with names',
      { policy: { placementType: 'PickN', numberOfClusters: 1, clusterNames: ['a'] } },
      'error field-not-allowed spec.policy.clusterNames',
    ],
    [
      'PickAll with a number',
      { policy: { placementType: 'PickAll', numberOfClusters: 1 } },
      'error field-not-allowed spec.policy.numberOfClusters',
    ],
    [
      'PickAll with spread',
      { policy: { topologySpreadConstraints: [{ topologyKey: 'region' }] } },
      'error field-not-allowed spec.policy.topologySpreadConstraints',
    ],
    [
      'PickFixed with affinity',
      { policy: { placementType: 'PickFixed', clusterNames: ['a'], affinity: {} } },
      'error field-not-allowed spec.policy.affinity',
    ],
    [
      'PickFixed with tolerations',
      { policy: { placementType: 'PickFixed', clusterNames: ['a'], tolerations: [{ operator: 'Exists' }] } },
      'error field-not-allowed spec.policy.tolerations',
    ],
    [
      'PickFixed with a name twice',
      { policy: { placementType: 'PickFixed', clusterNames: ['a', 'a'] } },
      'error duplicate spec.policy.clusterNames.1',
    ],
    [
      'PickFixed with no name',
      { policy: { placementType: 'PickFixed', clusterNames: ['A_b'] } },
      'error invalid-name spec.policy.clusterNames.0',
    ],
    [
      'a sorter in a required term',
      { policy: required({ propertySorter: { name: 'x', sortOrder: 'Ascending' } }) },
      `error field-not-allowed ${terms}.propertySorter`,
    ],
    [
      'a property selector in a preferred term',
      { policy: preferred({ propertySelector: { matchExpressions: [] } }) },
      'error field-not-allowed spec.policy.affinity.clusterAffinity.preferredDuringSchedulingIgnoredDuringExecution.0.preference.propertySelector',
    ],
    [
      'a weight above 100',
      { policy: preferred({}, 101) },
      'error out-of-range spec.policy.affinity.clusterAffinity.preferredDuringSchedulingIgnoredDuringExecution.0.weight',
    ],
    [
      'two values',
      { policy: expressions(property('Gt', '1', '2')) },
      `error out-of-range ${terms}.propertySelector.matchExpressions.0.values`,
    ],
    [
      'no value',
      { policy: expressions(property('Gt')) },
      `error invalid-property ${terms}.propertySelector.matchExpressions.0.values`,
    ],
    [
      'a value that is no quantity',
      { policy: expressions(property('Gt', 'many')) },
      `error invalid-quantity ${terms}.propertySelector.matchExpressions.0.values`,
    ],
    [
      'two different Eq',
      { policy: expressions(property('Eq', '1'), property('Eq', '2')) },
      `error contradiction ${terms}.propertySelector.matchExpressions`,
    ],
    [
      'Eq and Ne of one value',
      { policy: expressions(property('Eq', '1'), property('Ne', '1')) },
      `error contradiction ${terms}.propertySelector.matchExpressions`,
    ],
    [
      'an empty interval',
      { policy: expressions(property('Gt', '5'), property('Le', '5')) },
      `error contradiction ${terms}.propertySelector.matchExpressions`,
    ],
    [
      'Eq outside the bounds',
      { policy: expressions(property('Eq', '1Ki'), property('Lt', '1k')) },
      `error contradiction ${terms}.propertySelector.matchExpressions`,
    ],
    [
      'an unknown resource property',
      { policy: expressions({ name: 'resources.kubernetes-fleet.io/free-cpu', operator: 'Gt', values: ['1'] }) },
      `error invalid-property ${terms}.propertySelector.matchExpressions.0.name`,
    ],
    [
      'a toleration Equal without key',
      { policy: { tolerations: [{ value: 'x' }] } },
      'error field-required spec.policy.tolerations.0.key',
    ],
    [
      'a toleration twice',
      {
        policy: {
          tolerations: [
            { key: 'a', operator: 'Exists' },
            { key: 'a', operator: 'Exists' },
          ],
        },
      },
      'error duplicate spec.policy.tolerations.1',
    ],
    [
      'maxSkew 0',
      {
        policy: {
          placementType: 'PickN',
          numberOfClusters: 1,
          topologySpreadConstraints: [{ topologyKey: 'region', maxSkew: 0 }],
        },
      },
      'error out-of-range spec.policy.topologySpreadConstraints.0.maxSkew',
    ],
    [
      'rollingUpdate under External',
      { strategy: { type: 'External', rollingUpdate: {} } },
      'error field-not-allowed spec.strategy.rollingUpdate',
    ],
    [
      'a percentage above 100',
      { strategy: { rollingUpdate: { maxSurge: '101%' } } },
      'error invalid-int-or-percent spec.strategy.rollingUpdate.maxSurge',
    ],
    [
      'a negative maxUnavailable',
      { strategy: { rollingUpdate: { maxUnavailable: -1 } } },
      'error invalid-int-or-percent spec.strategy.rollingUpdate.maxUnavailable',
    ],
    [
      'force without ServerSideApply',
      { strategy: { applyStrategy: { serverSideApplyConfig: { force: true } } } },
      'error field-not-allowed spec.strategy.applyStrategy.serverSideApplyConfig',
    ],
    [
      'Mirror without destination',
      { strategy: { reportBackStrategy: { type: 'Mirror' } } },
      'error field-required spec.strategy.reportBackStrategy.destination',
    ],
    ['revisionHistoryLimit 0', { revisionHistoryLimit: 0 }, 'error out-of-range spec.revisionHistoryLimit'],
    [
      'NamespaceAccessible with two namespaces',
      { statusReportingScope: 'NamespaceAccessible', resourceSelectors: [selector, { ...selector, name: 'b' }] },
      'error invalid-status-scope spec.statusReportingScope',
    ],
    ['an unknown field', { polices: {} }, 'error unknown-field spec.polices'],
  ])('%s', (_, spec, expected) => {
    const { object } = validateFleetObject(placement(spec));
    expect(codes(placement(spec))).toContain(expected);
    expect(object).toBeUndefined();
  });

  it('a ResourcePlacement without a namespace', () => {
    expect(codes(placement({}, 'ResourcePlacement'))).toEqual(['error namespace-required metadata']);
  });
  it('a name of more than 63 characters', () => {
    expect(codes(placement({}, 'ClusterResourcePlacement', { name: 'a'.repeat(64) }))).toEqual([
      'error name-too-long metadata.name',
    ]);
  });
});

describe('a placement is accepted, with a word about it', () => {
  it.each<[string, Fields, string[]]>([
    ['nothing said at all', {}, []],
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
      'a taint effect of pods',
      {
        apiVersion: 'cluster.kubernetes-fleet.io/v1',
        kind: 'MemberCluster',
        metadata: { name: 'a' },
        spec: { taints: [{ key: 'a', effect: 'NoExecute' }] },
      },
      'error invalid-value spec.taints.0.effect',
    ],
    ['a kind that controllers write', fleet('ClusterResourceBinding', {}), 'error generated-kind kind'],
    ['a kind that nobody knows', fleet('ClusterResourcePlacment', {}), 'error unknown-kind kind'],
  ])('%s', (_, document, expected) => {
    expect(codes(document)).toContain(expected);
  });

  it('an invalid budget is kept: it must not be read as no budget', () => {
    expect(
      validateFleetObject(fleet('ClusterResourcePlacementDisruptionBudget', { maxUnavailable: '200%' })).object,
    ).toBeDefined();
  });
});
