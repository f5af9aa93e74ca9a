import { describe, expect, it } from 'vitest';
import { type Fields, findings, placementIn, selector, times } from './findings.ts';

describe.each(['v1', 'v1beta1'])('in %s', (version) => {
  const placement = placementIn(version);

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
      ['an empty name is not a name', [{ ...selector, name: '', labelSelector: { matchLabels: { a: 'b' } } }], []],
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
});
