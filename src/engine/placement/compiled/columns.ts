import { parseQuantity, type Quantity } from '../../../api/quantity.ts';
import { addRow, type Bits, noRows } from './bits.ts';
import { exactColumn, relations } from './exact-column.ts';

/** One label over the whole fleet. */
export interface LabelColumn {
  /** Distinct values, in the order of the first cluster that has each. */
  readonly values: readonly string[];
  readonly codeOf: ReadonlyMap<string, number>;
  /** Per row an index into `values`, -1 where the label is absent. */
  readonly codes: Int32Array;
  /** Rows that have the label. */
  readonly present: Bits;
  /** Rows with that value. */
  readonly having: (value: string) => Bits;
}

/** One property over the whole fleet. */
export interface PropertyColumn {
  /** Per row how far the value is on the way from `min` to `max`, 0 to 1; NaN where there is none or all are the same. */
  readonly shares: Float64Array;
  readonly unparsable: Bits;
  readonly anyUnparsable: boolean;
  /** Over all clusters that have it, ineligible ones included; both NaN when none has. */
  readonly min: number;
  readonly max: number;
  /** Rows whose value stands in that relation to `expected`, exactly. */
  readonly comparing: (operator: PropertyOperator, expected: Quantity) => Bits;
}

export type PropertyOperator = 'Gt' | 'Ge' | 'Eq' | 'Ne' | 'Lt' | 'Le';

/** The texts of one label, by row; undefined where a cluster does not have it. */
export function labelColumn(texts: readonly (string | undefined)[]): LabelColumn {
  const codes = new Int32Array(texts.length).fill(-1);
  const codeOf = new Map<string, number>();
  const present = noRows(texts.length);
  texts.forEach((text, row) => {
    if (text === undefined) return;
    addRow(present, row);
    const known = codeOf.get(text);
    if (known === undefined) codeOf.set(text, codeOf.size);
    codes[row] = known ?? codeOf.size - 1;
  });
  const memo = new Map<string, Bits>();
  const none = noRows(texts.length);
  const having = (value: string): Bits => {
    const code = codeOf.get(value);
    if (code === undefined) return none;
    return remembered(memo, value, () => rowsWhere(codes, (other) => other === code));
  };
  return { values: [...codeOf.keys()], codeOf, codes, present, having };
}

/** The texts of one property, by row, as quantities. */
export function propertyColumn(texts: readonly (string | undefined)[]): PropertyColumn {
  const numbers = new Float64Array(texts.length).fill(Number.NaN);
  const exact = exactColumn(texts.length);
  const unparsable = noRows(texts.length);
  let anyUnparsable = false;
  texts.forEach((text, row) => {
    if (text === undefined) return;
    const quantity = parseQuantity(text);
    if (quantity) {
      numbers[row] = quantity.number;
      exact.set(row, quantity);
    } else {
      addRow(unparsable, row);
      anyUnparsable = true;
    }
  });
  const memo = new Map<string, Bits>();
  const comparing = (operator: PropertyOperator, expected: Quantity): Bits =>
    remembered(memo, `${operator} ${expected.nanos}`, () => exact.rowsIn(accepted[operator], expected));
  const { lowest, highest } = exact.extent();
  const [min, max] = [numbers[lowest] ?? Number.NaN, numbers[highest] ?? Number.NaN];
  const shares = numbers.map((number) => (min === max ? Number.NaN : (number - min) / (max - min)));
  return { shares, unparsable, anyUnparsable, min, max, comparing };
}

const { below, equal, above } = relations;
const accepted: Readonly<Record<PropertyOperator, number>> = {
  Lt: below,
  Le: below + equal,
  Eq: equal,
  Ne: below + above,
  Ge: equal + above,
  Gt: above,
};

function rowsWhere(column: Int32Array, accepts: (value: number) => boolean): Bits {
  const bits = noRows(column.length);
  for (let row = 0; row < column.length; row++) if (accepts(column[row]!)) addRow(bits, row);
  return bits;
}

/** What `make` returned for this key the first time. */
export function remembered<K, V>(memo: Map<K, V>, key: K, make: () => V): V {
  const known = memo.get(key);
  if (known !== undefined) return known;
  const made = make();
  memo.set(key, made);
  return made;
}
