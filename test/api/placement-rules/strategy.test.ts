import { describe, expect, it } from 'vitest';
import { clusterResourcePlacement } from '../../../src/api/placement.ts';
import { validateFleetObject } from '../../../src/api/validate.ts';
import { errors, type Fields, findings, placementIn, selector } from './findings.ts';

describe.each(['v1', 'v1beta1'])('in %s', (version) => {
  const placement = placementIn(version);

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

    it('budgets beside External are dropped where no rule refuses them, as in a record', () => {
      const read = (strategy: Fields) => clusterResourcePlacement.parse(placement({ strategy })).spec.strategy;
      expect(read({ type: 'External', rollingUpdate: { maxSurge: 1 } })).toEqual(read({ type: 'External' }));
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
});
