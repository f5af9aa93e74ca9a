import { labelOperators } from '../../../api/label-operators.ts';
import type { LabelSelector } from '../../../api/meta.ts';
import type { ClusterSelectorTerm } from '../../../api/placement.ts';
import { propertyOperators } from '../../../api/property-operators.ts';
import { amountText } from '../amount-text.ts';
import { type Bits, hasRow } from '../compiled/bits.ts';
import type { FleetIndex } from '../compiled/compile-fleet.ts';
import { canonicalPropertyName } from '../properties.ts';
import { matchTerm } from './match-term.ts';

/** The requirements of the required terms that one cluster does not meet, one sentence each. */
export type UnmetRequirements = (row: number) => readonly string[];

/**
 * Splits the required terms of a policy into single requirements. Each is matched by the code that matches whole terms, so that
 * explanations agree with decisions. A cluster needs to match one term; all are listed.
 */
export function requirementsOf(terms: readonly ClusterSelectorTerm[], index: FleetIndex): UnmetRequirements {
  // Computed on first use: few policies are ever explained.
  let wanted: readonly (readonly Requirement[])[] | undefined;
  return (row) => {
    wanted ??= terms.map((term) =>
      singles(term, index).map((single): Requirement => ({ ...single, rows: matchTerm(single.term, index) })),
    );
    return wanted.flatMap((requirements, at) =>
      requirements
        .filter(({ rows }) => !hasRow(rows, row))
        .map(
          ({ text, valueAt }) =>
            `${terms.length > 1 ? `term ${at + 1} ` : ''}requires ${text}: ${valueAt(row) ?? 'it has none'}`,
        ),
    );
  };
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

/** With more digits than usual: a requirement is missed by little, too. */
const exactly = (name: string, value: string): string => amountText(name, value, 9);

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
      label(expression.key, labelOperators[expression.operator].text(expression.key, expression.values ?? []), {
        matchExpressions: [expression],
      }),
    ),
    ...(propertySelector?.matchExpressions ?? []).map(
      (expression): Single => ({
        text: `${expression.name} ${propertyOperators[expression.operator].text(expression.values.map((value) => exactly(expression.name, value)))}`,
        term: { propertySelector: { matchExpressions: [expression] } },
        valueAt(row) {
          const value = index.members[row]!.properties[canonicalPropertyName(expression.name)];
          return value === undefined ? undefined : `it is ${exactly(expression.name, value)}`;
        },
      }),
    ),
  ];
}
