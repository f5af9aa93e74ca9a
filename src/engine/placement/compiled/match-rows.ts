import type { LabelSelector } from '../../../api/meta.ts';
import type { ClusterSelectorTerm } from '../../../api/placement.ts';
import { parseQuantity } from '../../../api/quantity.ts';
import { canonicalPropertyName } from '../properties.ts';
import { addRows, type Bits, everyRow, keepRows, noRows, removeRows } from './bits.ts';
import type { FleetIndex } from './compile-fleet.ts';

/** Rows that match one required term: the label selector (absent = all) and every property expression. */
export function matchTerm({ labelSelector, propertySelector }: ClusterSelectorTerm, index: FleetIndex): Bits {
  const rows = matchLabels(labelSelector, index);
  for (const { name, operator, values } of propertySelector?.matchExpressions ?? []) {
    const expected = values.length === 1 ? parseQuantity(values[0]!) : undefined;
    // Refused at load; a state file can still carry it, and then it matches nothing.
    if (expected === undefined) return noRows(index.size);
    keepRows(rows, index.property(canonicalPropertyName(name)).comparing(operator, expected));
  }
  return rows;
}

/** A fresh set of the rows that a label selector matches, by metav1.LabelSelector semantics; absent matches all. */
export function matchLabels(selector: LabelSelector | undefined, index: FleetIndex): Bits {
  const rows = everyRow(index.size);
  for (const [key, value] of Object.entries(selector?.matchLabels ?? {}))
    keepRows(rows, index.label(key).having(value));
  for (const { key, operator, values } of selector?.matchExpressions ?? []) {
    const column = index.label(key);
    if (operator === 'Exists') keepRows(rows, column.present);
    else if (operator === 'DoesNotExist') removeRows(rows, column.present);
    else {
      const listed = noRows(index.size);
      for (const value of values ?? []) addRows(listed, column.having(value));
      if (operator === 'In') keepRows(rows, listed);
      else removeRows(rows, listed);
    }
  }
  return rows;
}
