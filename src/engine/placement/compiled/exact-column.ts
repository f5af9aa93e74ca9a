import { relations } from '../../../api/property-operators.ts';
import type { Quantity } from '../../../api/quantity.ts';
import { addRow, type Bits, noRows } from './bits.ts';

/** Quantities by row, compared exactly. */
export interface ExactColumn {
  /** May be called at most once for a row. */
  readonly set: (row: number, quantity: Quantity) => void;
  /** Rows that have a value, in one of the `accepted` relations to `expected`. */
  readonly rowsIn: (accepted: number, expected: Quantity) => Bits;
  /** Rows of the smallest and the largest value, of equal ones the first row; -1 without any value. */
  readonly extent: () => { readonly lowest: number; readonly highest: number };
}

/**
 * Each bound scans the column, since sorting it costs as much as a hundred scans. It holds float64s: rounding keeps the order, so
 * that only equal values are compared again, and of those only values that are not safe integers in billionths (above nine
 * million, like bytes of memory).
 */
export function exactColumn(size: number): ExactColumn {
  const rounded = new Float64Array(size).fill(Number.NaN);
  const large = new Map<number, bigint>();

  const relate = (row: number, nanos: number | bigint, near: number): number => {
    const value = rounded[row]!;
    if (value < near) return relations.below;
    if (value > near) return relations.above;
    return value === near ? relateEqual(large.get(row), nanos) : 0;
  };
  const rowsIn = (accepted: number, { nanos }: Quantity): Bits => {
    const near = Number(nanos);
    const bits = noRows(size);
    for (let row = 0; row < size; row++) if ((relate(row, nanos, near) & accepted) !== 0) addRow(bits, row);
    return bits;
  };
  const furthest = (direction: number): number => {
    let best = -1;
    for (let row = 0; row < size; row++) {
      if (Number.isNaN(rounded[row]!)) continue;
      if (best < 0 || relate(row, large.get(best) ?? rounded[best]!, rounded[best]!) === direction) best = row;
    }
    return best;
  };
  return {
    set: (row, { nanos }) => {
      rounded[row] = Number(nanos);
      if (typeof nanos === 'bigint') large.set(row, nanos);
    },
    rowsIn,
    extent: () => ({ lowest: furthest(relations.below), highest: furthest(relations.above) }),
  };
}

/** The relation of two values with the same float64, which a safe integer shares with no other value. */
function relateEqual(value: bigint | undefined, expected: number | bigint): number {
  if (value === undefined || value === expected) return relations.equal;
  return value < expected ? relations.below : relations.above;
}
