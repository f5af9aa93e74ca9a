import type { LabelSelector } from '../../../api/meta.ts';
import type { ClusterSelectorTerm } from '../../../api/placement.ts';
import { type Bits, hasRow } from '../compiled/bits.ts';
import type { FleetIndex } from '../compiled/compile-fleet.ts';
import { matchTerm } from '../compiled/match-rows.ts';
import { canonicalPropertyName } from '../properties.ts';

/** What of the required terms one cluster does not have, a sentence each. */
export type UnmetRequirements = (row: number) => readonly string[];

/**
 * Takes the required terms of a policy apart into single requirements. Each is matched by the very code that matches whole
 * terms, so that what is explained is what was decided. A cluster needs to match one term; all are told.
 */
export function requirementsOf(terms: readonly ClusterSelectorTerm[], index: FleetIndex): UnmetRequirements {
  const wanted = terms.map((term) =>
    singles(term, index).map((single): Requirement => ({ ...single, rows: matchTerm(single.term, index) })),
  );
  return (row) =>
    wanted.flatMap((requirements, at) =>
      requirements
        .filter(({ rows }) => !hasRow(rows, row))
        .map(
          ({ text, valueAt }) =>
            `${wanted.length > 1 ? `term ${at + 1} ` : ''}requires ${text}: ${valueAt(row) ?? 'it has none'}`,
        ),
    );
}

interface Single {
  readonly text: string;
  readonly term: ClusterSelectorTerm;
  /** `it is dev`; undefined where the cluster has no such label or property. */
  readonly valueAt: (row: number) => string | undefined;
}
interface Requirement extends Single {
  readonly rows: Bits;
}

const comparisons = { Gt: '>', Ge: '≥', Eq: '=', Ne: '≠', Lt: '<', Le: '≤' } as const;

function singles({ labelSelector, propertySelector }: ClusterSelectorTerm, index: FleetIndex): Single[] {
  const label = (key: string, text: string, selector: LabelSelector): Single => ({
    text,
    term: { labelSelector: selector },
    valueAt(row) {
      const { codes, values } = index.label(key);
      const value = values[codes[row]!];
      return value === undefined ? undefined : `it is ${value === '' ? 'empty' : value}`;
    },
  });
  return [
    ...Object.entries(labelSelector?.matchLabels ?? {}).map(([key, value]) =>
      label(key, `label ${key} = ${value}`, { matchLabels: { [key]: value } }),
    ),
    ...(labelSelector?.matchExpressions ?? []).map((expression) =>
      label(expression.key, expressionText(expression), { matchExpressions: [expression] }),
    ),
    ...(propertySelector?.matchExpressions ?? []).map(
      (expression): Single => ({
        text: `${expression.name} ${comparisons[expression.operator]} ${expression.values.join(', ')}`,
        term: { propertySelector: { matchExpressions: [expression] } },
        valueAt(row) {
          const value = index.members[row]!.properties[canonicalPropertyName(expression.name)];
          return value === undefined ? undefined : `it is ${value}`;
        },
      }),
    ),
  ];
}

type Expression = NonNullable<LabelSelector['matchExpressions']>[number];

function expressionText({ key, operator, values = [] }: Expression): string {
  switch (operator) {
    case 'In':
      return `label ${key} in (${values.join(', ')})`;
    case 'NotIn':
      return `label ${key} not in (${values.join(', ')})`;
    case 'Exists':
      return `label ${key}`;
    case 'DoesNotExist':
      return `no label ${key}`;
  }
}
