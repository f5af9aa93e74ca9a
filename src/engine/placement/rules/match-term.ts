import type { LabelSelector } from '../../../api/meta.ts';
import type { ClusterSelectorTerm } from '../../../api/placement.ts';
import { boundsOf } from '../../../api/property-operators.ts';
import { type Bits, everyRow, keepRows, noRows } from '../compiled/bits.ts';
import type { FleetIndex } from '../compiled/compile-fleet.ts';
import { canonicalPropertyName } from '../properties.ts';

/** Rows that match one required term: the label selector (absent = all) and every property expression. */
export function matchTerm({ labelSelector, propertySelector }: ClusterSelectorTerm, index: FleetIndex): Bits {
  const rows = matchLabels(labelSelector, index);
  for (const { name, operator, values } of propertySelector?.matchExpressions ?? []) {
    const bounds = boundsOf(operator, values);
    // Rejected at load; a state file can still contain it, and then it matches nothing.
    if (bounds === undefined) return noRows(index.size);
    const column = index.property(canonicalPropertyName(name));
    for (const bound of bounds) keepRows(rows, column.within(bound));
  }
  return rows;
}

/** A fresh set of the rows that a label selector matches, by metav1.LabelSelector semantics; absent matches all. */
export function matchLabels(selector: LabelSelector | undefined, index: FleetIndex): Bits {
  const rows = everyRow(index.size);
  for (const [key, value] of Object.entries(selector?.matchLabels ?? {}))
    keepRows(rows, index.label(key).matching('In', [value]));
  for (const { key, operator, values } of selector?.matchExpressions ?? [])
    keepRows(rows, index.label(key).matching(operator, values ?? []));
  return rows;
}
