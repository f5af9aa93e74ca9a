import { describe, expect, it } from 'vitest';
import { validateFleetObject } from '../../src/api/validate.ts';

/*
 * Every rule by which KubeFleet's schema, CEL or webhook refuses a placement, a member or an override, in both versions: what
 * stands in the spec, and the finding it gives as `severity code path`.
 */

type Fields = Readonly<Record<string, unknown>>;

const selector = { group: '', version: 'v1', kind: 'Namespace', name: 'web' };
const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const findings = (document: unknown): string[] =>
  validateFleetObject(document).issues.map(({ severity, code, path }) => `${severity} ${code} ${path.join('.')}`);

describe.each(['v1', 'v1beta1'])('in %s', (version) => {
  const placement = (spec: Fields, kind = 'ClusterResourcePlacement') => ({
    apiVersion: `placement.kubernetes-fleet.io/${version}`,
    kind,
    metadata: { name: 'web', ...(kind === 'ResourcePlacement' && { namespace: 'shop' }) },
    spec: { resourceSelectors: [selector], ...spec },
  });
  const errors = (document: unknown): string[] => findings(document).filter((text) => text.startsWith('error'));

  describe('resource selectors', () => {
    const withScope = (rest: Fields = {}) => ({
      ...selector,
      selectionScope: 'NamespaceWithResourceSelectors',
      ...rest,
    });
    const { name: _, ...nameless } = selector;
    const labelled = (labelSelector: Fields) => [{ ...nameless, labelSelector }];
    it.each<[rule: string, selectors: readonly Fields[], expected: readonly string[]]>([
      ['at least one', [], ['error out-of-range spec.resourceSelectors']],
      [
        'at most 100',
        times(101, (at) => ({ ...selector, name: `n${at}` })),
        ['error out-of-range spec.resourceSelectors'],
      ],
      ['100 are fine', times(100, (at) => ({ ...selector, name: `n${at}` })), []],
      ['a kind is needed', [{ group: '', version: 'v1' }], ['error field-required spec.resourceSelectors.0.kind']],
      [
        'name and labels exclude each other',
        [{ ...selector, labelSelector: { matchLabels: { a: 'b' } } }],
        ['error exclusive-fields spec.resourceSelectors.0'],
      ],
      ['an empty name is no name', [{ ...selector, name: '', labelSelector: { matchLabels: { a: 'b' } } }], []],
      ['neither name nor labels means all', [nameless], []],
      [
        'labels must parse: In needs values',
        labelled({ matchExpressions: [{ key: 'a', operator: 'In' }] }),
        ['error invalid-selector spec.resourceSelectors.0.labelSelector.matchExpressions.0'],
      ],
      [
        'labels must parse: Exists takes none',
        labelled({ matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] }),
        ['error invalid-selector spec.resourceSelectors.0.labelSelector.matchExpressions.0'],
      ],
      [
        'labels must parse: an operator that is known',
        labelled({ matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1'] }] }),
        ['error invalid-value spec.resourceSelectors.0.labelSelector.matchExpressions.0.operator'],
      ],
      [
        'labels must parse: a key',
        labelled({ matchLabels: { 'a b': 'c' } }),
        ['error invalid-label spec.resourceSelectors.0.labelSelector.matchLabels.a b'],
      ],
      [
        'labels must parse: a value',
        labelled({ matchLabels: { a: 'c d' } }),
        ['error invalid-label spec.resourceSelectors.0.labelSelector.matchLabels.a'],
      ],
      [
        'a scope that is known',
        [{ ...selector, selectionScope: 'Namespace' }],
        ['error invalid-value spec.resourceSelectors.0.selectionScope'],
      ],
      [
        'a scope on another kind is ignored',
        [
          { ...selector, kind: 'Node', selectionScope: 'NamespaceOnly' },
          { ...selector, kind: 'Node', name: 'b', selectionScope: 'NamespaceWithResourceSelectors' },
        ],
        [
          'warning ignored-field spec.resourceSelectors.0.selectionScope',
          'warning ignored-field spec.resourceSelectors.1.selectionScope',
        ],
      ],
      ['one NamespaceWithResourceSelectors', [withScope(), { ...selector, group: 'apps', kind: 'Deployment' }], []],
      [
        'not two',
        [withScope(), withScope({ name: 'b' })],
        [
          'error invalid-selection-scope spec.resourceSelectors.1',
          'error invalid-selection-scope spec.resourceSelectors.1',
        ],
      ],
      [
        'it has a name',
        [{ ...nameless, selectionScope: 'NamespaceWithResourceSelectors' }],
        ['error invalid-selection-scope spec.resourceSelectors.0'],
      ],
      [
        'and no labels',
        [{ ...nameless, selectionScope: 'NamespaceWithResourceSelectors', labelSelector: {} }],
        ['error invalid-selection-scope spec.resourceSelectors.0'],
      ],
      [
        'beside it no other Namespace',
        [withScope(), { ...selector, name: 'b' }],
        ['error invalid-selection-scope spec.resourceSelectors.1'],
      ],
    ])('%s', (_, resourceSelectors, expected) => {
      expect(findings(placement({ resourceSelectors }))).toEqual(expected);
    });
  });

  describe('the policy', () => {
    const at = 'spec.policy';
    const pickN = { placementType: 'PickN', numberOfClusters: 1 };
    const fixed = { placementType: 'PickFixed', clusterNames: ['a'] };
    const spread = [{ topologyKey: 'region' }];
    it.each<[rule: string, policy: Fields, expected: readonly string[]]>([
      ['no type is PickAll', {}, []],
      ['a type that is known', { placementType: 'PickSome' }, [`error invalid-value ${at}.placementType`]],
      ['PickAll: no names', { clusterNames: ['a'] }, [`error field-not-allowed ${at}.clusterNames`]],
      ['PickAll: no number', { numberOfClusters: 0 }, [`error field-not-allowed ${at}.numberOfClusters`]],
      [
        'PickAll: no spread',
        { topologySpreadConstraints: spread },
        [`error field-not-allowed ${at}.topologySpreadConstraints`],
      ],
      ['PickAll: tolerations', { tolerations: [{ operator: 'Exists' }] }, []],
      ['PickN: a number', { placementType: 'PickN' }, [`error field-required ${at}.numberOfClusters`]],
      ['PickN: of 0 or more', { ...pickN, numberOfClusters: 0 }, []],
      ['PickN: not less', { ...pickN, numberOfClusters: -1 }, [`error out-of-range ${at}.numberOfClusters`]],
      ['PickN: no names', { ...pickN, clusterNames: ['a'] }, [`error field-not-allowed ${at}.clusterNames`]],
      ['PickN: one key may be named twice', { ...pickN, topologySpreadConstraints: [...spread, ...spread] }, []],
      [
        'PickN: whenUnsatisfiable that is known',
        { ...pickN, topologySpreadConstraints: [{ topologyKey: 'region', whenUnsatisfiable: 'Ignore' }] },
        [`error invalid-value ${at}.topologySpreadConstraints.0.whenUnsatisfiable`],
      ],
      [
        'PickN: a topologyKey',
        { ...pickN, topologySpreadConstraints: [{}] },
        [`error field-required ${at}.topologySpreadConstraints.0.topologyKey`],
      ],
      [
        'PickN: maxSkew of 1 or more',
        { ...pickN, topologySpreadConstraints: [{ topologyKey: 'region', maxSkew: 0 }] },
        [`error out-of-range ${at}.topologySpreadConstraints.0.maxSkew`],
      ],
      ['PickFixed: names', fixed, []],
      ['PickFixed: no affinity', { ...fixed, affinity: {} }, [`error field-not-allowed ${at}.affinity`]],
      ['PickFixed: no number', { ...fixed, numberOfClusters: 1 }, [`error field-not-allowed ${at}.numberOfClusters`]],
      [
        'PickFixed: no spread',
        { ...fixed, topologySpreadConstraints: spread },
        [`error field-not-allowed ${at}.topologySpreadConstraints`],
      ],
      [
        'PickFixed: no tolerations',
        { ...fixed, tolerations: [{ operator: 'Exists' }] },
        [`error field-not-allowed ${at}.tolerations`],
      ],
      ['PickFixed: each once', { ...fixed, clusterNames: ['a', 'a'] }, [`error duplicate ${at}.clusterNames.1`]],
      ['PickFixed: names of clusters', { ...fixed, clusterNames: ['A'] }, [`error invalid-name ${at}.clusterNames.0`]],
      [
        'PickFixed: of at most 63 characters',
        { ...fixed, clusterNames: ['a'.repeat(64)] },
        [`error invalid-name ${at}.clusterNames.0`],
      ],
      [
        'PickFixed: at most 100',
        { ...fixed, clusterNames: times(101, (n) => `c${n}`) },
        [`error out-of-range ${at}.clusterNames`],
      ],
    ])('%s', (_, policy, expected) => {
      expect(errors(placement({ policy }))).toEqual(expected);
    });

    it('a topology key that cannot be a label is a warning: KubeFleet takes it and finds no domain', () => {
      const policy = { ...pickN, topologySpreadConstraints: [{ topologyKey: 'my region' }] };
      expect(findings(placement({ policy }))).toEqual([
        `warning invalid-label ${at}.topologySpreadConstraints.0.topologyKey`,
      ]);
    });
  });

  describe('affinity', () => {
    const required = (...clusterSelectorTerms: readonly Fields[]) => ({
      policy: {
        affinity: { clusterAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { clusterSelectorTerms } } },
      },
    });
    const preferred = (preference: Fields, weight: number) => ({
      policy: {
        placementType: 'PickN',
        numberOfClusters: 1,
        affinity: {
          clusterAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, preference }] },
        },
      },
    });
    const asks = (...matchExpressions: readonly Fields[]) => required({ propertySelector: { matchExpressions } });
    const nodes = (operator: string, ...values: readonly string[]) => ({ name: 'nodes', operator, values });
    const terms =
      'spec.policy.affinity.clusterAffinity.requiredDuringSchedulingIgnoredDuringExecution.clusterSelectorTerms';
    const list = `${terms}.0.propertySelector.matchExpressions`;
    const first = 'spec.policy.affinity.clusterAffinity.preferredDuringSchedulingIgnoredDuringExecution.0';
    it.each<[rule: string, spec: Fields, expected: readonly string[]]>([
      ['at most ten required terms', required(...times(11, () => ({}))), [`error out-of-range ${terms}`]],
      ['ten are fine', required(...times(10, () => ({}))), []],
      [
        'a required term does not sort',
        required({ propertySorter: { name: 'nodes', sortOrder: 'Ascending' } }),
        [`error field-not-allowed ${terms}.0.propertySorter`],
      ],
      [
        'a preferred term does not select',
        preferred({ propertySelector: { matchExpressions: [nodes('Gt', '1')] } }, 1),
        [`error field-not-allowed ${first}.preference.propertySelector`],
      ],
      ['a weight is at least -100', preferred({}, -101), [`error out-of-range ${first}.weight`]],
      ['and at most 100', preferred({}, 101), [`error out-of-range ${first}.weight`]],
      ['both ends are fine', preferred({}, -100), []],
      [
        'a sort order that is known',
        preferred({ propertySorter: { name: 'nodes', sortOrder: 'Up' } }, 1),
        [`error invalid-value ${first}.preference.propertySorter.sortOrder`],
      ],
      [
        'a sorter has the name of a property',
        preferred({ propertySorter: { name: '', sortOrder: 'Ascending' } }, 1),
        [`error invalid-property ${first}.preference.propertySorter.name`],
      ],
      ['an operator that is known', asks(nodes('In', '1')), [`error invalid-value ${list}.0.operator`]],
      ['one value, not none', asks(nodes('Gt')), [`error invalid-property ${list}.0.values`]],
      ['one value, not two', asks(nodes('Gt', '1', '2')), [`error out-of-range ${list}.0.values`]],
      ['a quantity', asks(nodes('Gt', 'many')), [`error invalid-quantity ${list}.0.values`]],
      ['a quantity has no space', asks(nodes('Gt', '1 Gi')), [`error invalid-quantity ${list}.0.values`]],
      ['two different Eq contradict', asks(nodes('Eq', '1'), nodes('Eq', '2')), [`error contradiction ${list}`]],
      ['one Eq written twice does not', asks(nodes('Eq', '700m'), nodes('Eq', '0.7')), []],
      [
        'Eq and Ne of a value contradict',
        asks(nodes('Eq', '1'), nodes('Ne', '1000m')),
        [`error contradiction ${list}`],
      ],
      ['two Ne do not', asks(nodes('Ne', '1'), nodes('Ne', '2')), []],
      ['bounds that cross contradict', asks(nodes('Gt', '2'), nodes('Lt', '1')), [`error contradiction ${list}`]],
      ['bounds that touch contradict', asks(nodes('Ge', '1'), nodes('Lt', '1')), [`error contradiction ${list}`]],
      ['closed bounds that touch do not', asks(nodes('Ge', '1Gi'), nodes('Le', '1024Mi')), []],
      [
        'of several bounds the narrowest count',
        asks(nodes('Gt', '1'), nodes('Gt', '5'), nodes('Lt', '9'), nodes('Lt', '4')),
        [`error contradiction ${list}`],
      ],
      ['Eq below the bounds contradicts', asks(nodes('Eq', '1'), nodes('Gt', '1')), [`error contradiction ${list}`]],
      ['Eq above the bounds contradicts', asks(nodes('Eq', '9'), nodes('Le', '8')), [`error contradiction ${list}`]],
      ['Eq on a closed bound does not', asks(nodes('Eq', '8'), nodes('Le', '8')), []],
      [
        'values compare exactly, far beyond a float',
        asks(nodes('Eq', '9007199254740993'), nodes('Eq', '9007199254740992')),
        [`error contradiction ${list}`],
      ],
      ['properties are apart', asks(nodes('Eq', '1'), { ...nodes('Eq', '2'), name: 'cores' }), []],
      [
        'terms are apart',
        required(
          { propertySelector: { matchExpressions: [nodes('Eq', '1')] } },
          { propertySelector: { matchExpressions: [nodes('Eq', '2')] } },
        ),
        [],
      ],
    ])('%s', (_, spec, expected) => {
      expect(errors(placement(spec))).toEqual(expected);
    });

    it.each<[name: string, valid: boolean]>([
      ['nodes', true],
      ['kubernetes-fleet.io/node-count', true],
      ['kubernetes.azure.com/per-cpu-core-cost', true],
      ['example.com/a/b', true],
      ['Upper_case.1', true],
      ['resources.kubernetes-fleet.io/total-cpu', true],
      ['resources.kubernetes-fleet.io/allocatable-memory', true],
      ['resources.kubernetes-fleet.io/available-ephemeral-storage', true],
      ['resources.kubernetes-fleet.io/available-nvidia.com/gpu', true],
      ['resources.kubernetes-fleet.io/cpu', false],
      ['resources.kubernetes-fleet.io/free-cpu', false],
      ['resources.kubernetes-fleet.io/total-', false],
      ['example.com/', false],
      ['/nodes', false],
      ['no spaces', false],
      ['-nodes', false],
    ])('%s as the name of a property: %s', (name, valid) => {
      expect(errors(placement(asks({ name, operator: 'Gt', values: ['1'] })))).toEqual(
        valid ? [] : [`error invalid-property ${list}.0.name`],
      );
    });
  });

  describe('tolerations', () => {
    const at = 'spec.policy.tolerations';
    it.each<[rule: string, tolerations: readonly Fields[], expected: readonly string[]]>([
      ['Equal is the default', [{ key: 'a', value: 'b' }], []],
      ['Equal needs a key', [{ value: 'b' }], [`error field-required ${at}.0.key`]],
      ['Equal without a value is the empty one', [{ key: 'a' }], []],
      ['Equal: a value of labels', [{ key: 'a', value: 'b c' }], [`error invalid-label ${at}.0.value`]],
      ['Exists without a key is all', [{ operator: 'Exists' }], []],
      [
        'Exists takes no value',
        [{ key: 'a', operator: 'Exists', value: 'b' }],
        [`error field-not-allowed ${at}.0.value`],
      ],
      ['a key of labels', [{ key: 'a b', operator: 'Exists' }], [`error invalid-label ${at}.0.key`]],
      ['an operator that is known', [{ key: 'a', operator: 'In' }], [`error invalid-value ${at}.0.operator`]],
      ['an effect that is known', [{ key: 'a', effect: 'NoExecute' }], [`error invalid-value ${at}.0.effect`]],
      ['each once', [{ key: 'a' }, { key: 'a', operator: 'Equal' }], [`error duplicate ${at}.1`]],
      ['with another effect it is another', [{ key: 'a' }, { key: 'a', effect: 'NoSchedule' }], []],
      ['at most 100', times(101, (n) => ({ key: `k${n}` })), [`error out-of-range ${at}`]],
    ])('%s', (_, tolerations, expected) => {
      expect(errors(placement({ policy: { tolerations } }))).toEqual(expected);
    });
  });

  describe('strategy and the rest', () => {
    const at = 'spec.strategy';
    const rolling = (rollingUpdate: Fields) => ({ strategy: { rollingUpdate } });
    it.each<[rule: string, spec: Fields, expected: readonly string[]]>([
      ['a type that is known', { strategy: { type: 'Recreate' } }, [`error invalid-value ${at}.type`]],
      [
        'External has no rollingUpdate',
        { strategy: { type: 'External', rollingUpdate: {} } },
        [`error field-not-allowed ${at}.rollingUpdate`],
      ],
      [
        'unavailablePeriodSeconds of 0 or more',
        rolling({ unavailablePeriodSeconds: -1 }),
        [`error out-of-range ${at}.rollingUpdate.unavailablePeriodSeconds`],
      ],
      ['a number', rolling({ maxUnavailable: 250, maxSurge: '100%' }), []],
      [
        'a number of 0 or more',
        rolling({ maxUnavailable: -1 }),
        [`error invalid-int-or-percent ${at}.rollingUpdate.maxUnavailable`],
      ],
      [
        'a percentage up to 100',
        rolling({ maxSurge: '101%' }),
        [`error invalid-int-or-percent ${at}.rollingUpdate.maxSurge`],
      ],
      [
        'a whole percentage',
        rolling({ maxSurge: '2.5%' }),
        [`error invalid-int-or-percent ${at}.rollingUpdate.maxSurge`],
      ],
      [
        'force only with ServerSideApply',
        { strategy: { applyStrategy: { serverSideApplyConfig: { force: true } } } },
        [`error field-not-allowed ${at}.applyStrategy.serverSideApplyConfig`],
      ],
      [
        'with it',
        { strategy: { applyStrategy: { type: 'ServerSideApply', serverSideApplyConfig: { force: true } } } },
        [],
      ],
      [
        'Mirror needs a destination',
        { strategy: { reportBackStrategy: { type: 'Mirror' } } },
        [`error field-required ${at}.reportBackStrategy.destination`],
      ],
      ['no field that does not exist', { polices: {} }, ['error unknown-field spec.polices']],
      ['a history of 1 or more', { revisionHistoryLimit: 0 }, ['error out-of-range spec.revisionHistoryLimit']],
      ['a history of at most 1000', { revisionHistoryLimit: 1001 }, ['error out-of-range spec.revisionHistoryLimit']],
      [
        'NamespaceAccessible: one Namespace',
        { statusReportingScope: 'NamespaceAccessible', resourceSelectors: [{ ...selector, kind: 'Node' }] },
        ['error invalid-status-scope spec.statusReportingScope'],
      ],
      [
        'NamespaceAccessible: not two',
        { statusReportingScope: 'NamespaceAccessible', resourceSelectors: [selector, { ...selector, name: 'b' }] },
        ['error invalid-status-scope spec.statusReportingScope'],
      ],
      ['a scope that is known', { statusReportingScope: 'All' }, ['error invalid-value spec.statusReportingScope']],
    ])('%s', (_, spec, expected) => {
      expect(errors(placement(spec))).toEqual(expected);
    });

    it('a ResourcePlacement reports nowhere else and selects in its own namespace', () => {
      const scoped = { ...selector, selectionScope: 'NamespaceWithResourceSelectors' };
      expect(findings(placement({ statusReportingScope: 'NamespaceAccessible' }, 'ResourcePlacement'))).toEqual([
        'warning ignored-field spec.statusReportingScope',
      ]);
      expect(errors(placement({ resourceSelectors: [scoped] }, 'ResourcePlacement'))).toEqual([
        'error invalid-selection-scope spec.resourceSelectors.0',
      ]);
    });

    it('null is absent, as an API server reads it', () => {
      const spec = {
        policy: { placementType: 'PickN', numberOfClusters: 1, affinity: null, tolerations: null },
        strategy: null,
        revisionHistoryLimit: null,
      };
      const written = { ...placement(spec), metadata: { name: 'web', labels: null, annotations: null } };
      const plain = placement({ policy: { placementType: 'PickN', numberOfClusters: 1 } });
      expect(validateFleetObject(written)).toEqual(validateFleetObject(plain));
      expect(errors(placement({ policy: { placementType: 'PickN', numberOfClusters: null } }))).toEqual([
        'error field-required spec.policy.numberOfClusters',
      ]);
      expect(errors(placement({ resourceSelectors: [null] }))).toEqual(['error wrong-type spec.resourceSelectors.0']);
    });

    it('a name has at most 63 characters', () => {
      expect(errors({ ...placement({}), metadata: { name: 'a'.repeat(63) } })).toEqual([]);
      expect(errors({ ...placement({}), metadata: { name: 'a'.repeat(64) } })).toEqual([
        'error name-too-long metadata.name',
      ]);
    });

    it('a ResourcePlacement is in a namespace, a ClusterResourcePlacement in none', () => {
      expect(errors({ ...placement({}, 'ResourcePlacement'), metadata: { name: 'web' } })).toEqual([
        'error namespace-required metadata',
      ]);
      expect(errors({ ...placement({}), metadata: { name: 'web', namespace: 'shop' } })).toEqual([
        'error namespace-not-allowed metadata.namespace',
      ]);
    });

    it('fields that only v1beta1 has are taken in both, with a word in v1', () => {
      const strategy = { deleteStrategy: { propagationPolicy: 'Abandon' } };
      expect(findings(placement({ strategy }))).toEqual(
        version === 'v1' ? ['info v1beta1-field spec.strategy.deleteStrategy'] : [],
      );
    });
  });

  describe('a MemberCluster', () => {
    const member = (spec: Fields, name = 'a') => ({
      apiVersion: `cluster.kubernetes-fleet.io/${version}`,
      kind: 'MemberCluster',
      metadata: { name },
      spec,
    });
    const taint = { key: 'a', effect: 'NoSchedule' };
    it.each<[rule: string, document: unknown, expected: readonly string[]]>([
      ['a name of at most 63 characters', member({}, 'a'.repeat(64)), ['error name-too-long metadata.name']],
      [
        'a heartbeat of 1 s or more',
        member({ heartbeatPeriodSeconds: 0 }),
        ['error out-of-range spec.heartbeatPeriodSeconds'],
      ],
      [
        'and at most 600 s',
        member({ heartbeatPeriodSeconds: 601 }),
        ['error out-of-range spec.heartbeatPeriodSeconds'],
      ],
      ['a taint', member({ taints: [taint] }), []],
      [
        'the one effect there is',
        member({ taints: [{ ...taint, effect: 'NoExecute' }] }),
        ['error invalid-value spec.taints.0.effect'],
      ],
      ['an effect is needed', member({ taints: [{ key: 'a' }] }), ['error field-required spec.taints.0.effect']],
      ['a key of labels', member({ taints: [{ ...taint, key: 'a b' }] }), ['error invalid-label spec.taints.0.key']],
      [
        'a value of labels',
        member({ taints: [{ ...taint, value: 'a b' }] }),
        ['error invalid-label spec.taints.0.value'],
      ],
      ['each once', member({ taints: [taint, taint] }), ['error duplicate spec.taints.1']],
      [
        'at most 100',
        member({ taints: times(101, (n) => ({ ...taint, key: `k${n}` })) }),
        ['error out-of-range spec.taints'],
      ],
    ])('%s', (_, document, expected) => {
      expect(errors(document)).toEqual(expected);
    });

    it('labels are texts, and what to write is told', () => {
      const labelled = { ...member({}), metadata: { name: 'a', labels: { level: 1 } } };
      expect(validateFleetObject(labelled).issues).toEqual([
        {
          severity: 'error',
          code: 'wrong-type',
          path: ['metadata', 'labels', 'level'],
          message: 'level must be of type string',
          fix: 'write "1"',
        },
      ]);
    });
  });

  describe('an override', () => {
    const byName = { group: 'apps', version: 'v1', kind: 'Deployment', name: 'web' };
    const rule = { clusterSelector: {}, jsonPatchOverrides: [{ op: 'remove', path: '/spec/a' }] };
    const override = (spec: Fields) => ({
      apiVersion: `placement.kubernetes-fleet.io/${version}`,
      kind: 'ResourceOverride',
      metadata: { name: 'x', namespace: 'shop' },
      spec: { resourceSelectors: [byName], policy: { overrideRules: [rule] }, ...spec },
    });
    const ruled = (rest: Fields) => override({ policy: { overrideRules: [{ ...rule, ...rest }] } });
    const patched = (patch: Fields) => ruled({ jsonPatchOverrides: [patch] });
    const rules = 'spec.policy.overrideRules';
    const patches = `${rules}.0.jsonPatchOverrides`;
    it('of a cluster selects as an API server writes it back: with the default scope, which means nothing', () => {
      const written = (selectionScope: string) => ({
        apiVersion: `placement.kubernetes-fleet.io/${version}`,
        kind: 'ClusterResourceOverride',
        metadata: { name: 'x' },
        spec: { clusterResourceSelectors: [{ ...byName, selectionScope }], policy: { overrideRules: [rule] } },
      });
      expect(errors(written('NamespaceWithResources'))).toEqual([]);
      expect(errors(written('NamespaceOnly'))).toEqual([
        'error invalid-value spec.clusterResourceSelectors.0.selectionScope',
      ]);
    });

    it.each<[rule: string, document: unknown, expected: readonly string[]]>([
      ['one', override({}), []],
      ['selects something', override({ resourceSelectors: [] }), ['error out-of-range spec.resourceSelectors']],
      [
        'selects at most 20',
        override({ resourceSelectors: times(21, (n) => ({ ...byName, name: `n${n}` })) }),
        ['error out-of-range spec.resourceSelectors'],
      ],
      ['each once', override({ resourceSelectors: [byName, byName] }), ['error duplicate spec.resourceSelectors.1']],
      [
        'by a name that is one',
        override({ resourceSelectors: [{ ...byName, name: '' }] }),
        ['error out-of-range spec.resourceSelectors.0.name'],
      ],
      [
        'by name only',
        override({ resourceSelectors: [{ ...byName, labelSelector: {} }] }),
        ['error unknown-field spec.resourceSelectors.0.labelSelector'],
      ],
      ['has a rule', override({ policy: { overrideRules: [] } }), [`error out-of-range ${rules}`]],
      ['at most 20', override({ policy: { overrideRules: times(21, () => rule) } }), [`error out-of-range ${rules}`]],
      [
        'a term has labels',
        ruled({ clusterSelector: { clusterSelectorTerms: [{}] } }),
        [`error field-required ${rules}.0.clusterSelector.clusterSelectorTerms.0`],
      ],
      [
        'and nothing else',
        ruled({ clusterSelector: { clusterSelectorTerms: [{ labelSelector: {}, propertySelector: {} }] } }),
        [`error unknown-field ${rules}.0.clusterSelector.clusterSelectorTerms.0.propertySelector`],
      ],
      ['Delete has no patches', ruled({ overrideType: 'Delete' }), [`error field-not-allowed ${patches}`]],
      ['JSONPatch has some', ruled({ jsonPatchOverrides: [] }), [`error field-required ${patches}`]],
      [
        'at most 20 patches',
        ruled({ jsonPatchOverrides: times(21, (n) => ({ op: 'remove', path: `/spec/${n}` })) }),
        [`error out-of-range ${patches}`],
      ],
      ['an op that is known', patched({ op: 'test', path: '/spec' }), [`error invalid-value ${patches}.0.op`]],
      ['a path begins with /', patched({ op: 'remove', path: 'spec' }), [`error invalid-patch ${patches}.0.path`]],
      ['no part is empty', patched({ op: 'remove', path: '/spec//a' }), [`error invalid-patch ${patches}.0.path`]],
      ['not the last either', patched({ op: 'remove', path: '/spec/' }), [`error invalid-patch ${patches}.0.path`]],
      ['not kind', patched({ op: 'remove', path: '/kind' }), [`error invalid-patch ${patches}.0.path`]],
      ['not apiVersion', patched({ op: 'remove', path: '/apiVersion' }), [`error invalid-patch ${patches}.0.path`]],
      ['not status', patched({ op: 'remove', path: '/status/x' }), [`error invalid-patch ${patches}.0.path`]],
      [
        'not the whole metadata',
        patched({ op: 'remove', path: '/metadata' }),
        [`error invalid-patch ${patches}.0.path`],
      ],
      ['not the name', patched({ op: 'remove', path: '/metadata/name' }), [`error invalid-patch ${patches}.0.path`]],
      ['labels', patched({ op: 'remove', path: '/metadata/labels/a' }), []],
      ['annotations', patched({ op: 'remove', path: '/metadata/annotations/a' }), []],
      [
        'remove has no value',
        patched({ op: 'remove', path: '/spec/a', value: 1 }),
        [`error field-not-allowed ${patches}.0.value`],
      ],
      ['add has one', patched({ op: 'add', path: '/spec/a' }), [`error field-required ${patches}.0.value`]],
      ['null is one', patched({ op: 'add', path: '/spec/a', value: null }), []],
    ])('%s', (_, document, expected) => {
      expect(errors(document)).toEqual(expected);
    });
  });
});

describe('an envelope', () => {
  const box = (data: unknown) => ({
    apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
    kind: 'ResourceEnvelope',
    metadata: { name: 'box', namespace: 'shop' },
    data,
  });
  const settings = (more: Fields = {}) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'settings' },
    ...more,
  });
  it.each<[rule: string, data: unknown, expected: readonly string[]]>([
    ['holds something', {}, ['error invalid data']],
    ['is not without data', undefined, ['error field-required data']],
    ['holds at most 50', Object.fromEntries(times(51, (at) => [`m${at}`, settings()])), ['error invalid data']],
    ['50 are fine', Object.fromEntries(times(50, (at) => [`m${at}`, settings()])), []],
    ['holds objects', { a: 'text' }, ['error wrong-type data.a']],
    ['of a kind', { a: { apiVersion: 'v1', metadata: { name: 'a' } } }, ['error field-required data.a.kind']],
    [
      'with a name',
      { a: { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} } },
      ['error field-required data.a.metadata.name'],
    ],
  ])('%s', (_, data, expected) => {
    expect(findings(box(data))).toEqual(expected);
  });

  it('and a patch keep their nulls', () => {
    const data = { a: settings({ data: null }) };
    expect(validateFleetObject(box(data)).object).toMatchObject({ data });
  });
});
