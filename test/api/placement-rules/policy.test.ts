import { describe, expect, it } from 'vitest';
import { errors, type Fields, findings, placementIn, times } from './findings.ts';

describe.each(['v1', 'v1beta1'])('in %s', (version) => {
  const placement = placementIn(version);

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

    it('a topology key that cannot be a label is a warning: KubeFleet accepts it and finds no domain', () => {
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
      ['a quantity', asks(nodes('Gt', 'many')), [`error invalid-quantity ${list}.0.values.0`]],
      ['a quantity has no space', asks(nodes('Gt', '1 Gi')), [`error invalid-quantity ${list}.0.values.0`]],
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
});
