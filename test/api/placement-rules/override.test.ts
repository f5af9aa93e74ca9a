import { describe, expect, it } from 'vitest';
import { errors, type Fields, times } from './findings.ts';

describe.each(['v1', 'v1beta1'])('in %s', (version) => {
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
