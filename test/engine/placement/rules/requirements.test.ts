import { describe, expect, it } from 'vitest';
import type { ClusterSelectorTerm } from '../../../../src/api/placement.ts';
import type { PropertyOperatorName } from '../../../../src/api/property-operators.ts';
import { hasRow } from '../../../../src/engine/placement/compiled/bits.ts';
import { compileFleet } from '../../../../src/engine/placement/compiled/compile-fleet.ts';
import { matchTerm } from '../../../../src/engine/placement/rules/match-term.ts';
import { requirementsOf } from '../../../../src/engine/placement/rules/requirements.ts';
import { cluster, survey } from '../worlds.ts';

const index = compileFleet(
  survey([
    cluster('bare'),
    cluster('full', { labels: { env: 'dev', gpu: '' }, properties: { 'example.com/price': '3' } }),
  ]),
);
const [bare, full] = [index.rowOf.get('bare' as never)!, index.rowOf.get('full' as never)!];

const label = (operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist', key: string, values?: string[]) => ({
  labelSelector: { matchExpressions: [{ key, operator, ...(values && { values }) }] },
});
const price = (operator: PropertyOperatorName, ...values: string[]) => ({
  propertySelector: { matchExpressions: [{ name: 'example.com/price', operator, values }] },
});

describe('a requirement that a cluster does not meet is listed with the value of the cluster', () => {
  it.each<[term: ClusterSelectorTerm, ofBare: string[], ofFull: string[]]>([
    [
      { labelSelector: { matchLabels: { env: 'prod' } } },
      ['requires label env = prod: it has none'],
      ['requires label env = prod: it is dev'],
    ],
    [
      label('In', 'env', ['prod', 'test']),
      ['requires label env in (prod, test): it has none'],
      ['requires label env in (prod, test): it is dev'],
    ],
    [label('NotIn', 'env', ['dev']), [], ['requires label env not in (dev): it is dev']],
    [label('Exists', 'gpu'), ['requires label gpu: it has none'], []],
    [label('DoesNotExist', 'gpu'), [], ['requires no label gpu: it is empty']],
    [price('Ge', '4'), ['requires example.com/price ≥ 4: it has none'], ['requires example.com/price ≥ 4: it is 3']],
    [price('Lt', '4'), ['requires example.com/price < 4: it has none'], []],
    [
      { labelSelector: { matchLabels: { gpu: '' } }, ...price('Eq', '4') },
      ['requires label gpu = : it has none', 'requires example.com/price = 4: it has none'],
      ['requires example.com/price = 4: it is 3'],
    ],
  ])('%j', (term, ofBare, ofFull) => {
    const unmet = requirementsOf([term], index);
    expect([unmet(bare), unmet(full)]).toEqual([ofBare, ofFull]);
    // What is told and what is decided are the same.
    const matching = matchTerm(term, index);
    expect([hasRow(matching, bare), hasRow(matching, full)]).toEqual([ofBare.length === 0, ofFull.length === 0]);
  });

  it('all of several terms are listed, although one is enough', () => {
    const unmet = requirementsOf([{ labelSelector: { matchLabels: { env: 'prod' } } }, price('Gt', '3')], index);
    expect(unmet(full)).toEqual([
      'term 1 requires label env = prod: it is dev',
      'term 2 requires example.com/price > 3: it is 3',
    ]);
  });
});
