import { type LabelOperatorName, labelOperators } from '../../../api/label-operators.ts';
import type { Bound } from '../../../api/property-operators.ts';
import { parseQuantity } from '../../../api/quantity.ts';
import { addRow, type Bits, noRows } from './bits.ts';
import { exactColumn } from './exact-column.ts';

/** One label over the whole fleet. */
export interface LabelColumn {
  /** Distinct values, in the order of the first cluster that has each. */
  readonly values: readonly string[];
  /** Per row an index into `values`, -1 where the label is absent. */
  readonly codes: Int32Array;
  /** Rows whose label, or lack of it, the operator accepts. */
  readonly matching: (operator: LabelOperatorName, listed: readonly string[]) => Bits;
}

/** One property over the whole fleet. */
export interface PropertyColumn {
  /** Per row the position of the value between `min` and `max`, 0 to 1; NaN without a value, or where all are the same. */
  readonly shares: Float64Array;
  /** Rows whose text is not a quantity; undefined if there are none. */
  readonly unparsable: Bits | undefined;
  /** Over all clusters that have it, ineligible ones included; both NaN when none has. */
  readonly min: number;
  readonly max: number;
  /** Rows whose value is within the bound, compared exactly. */
  readonly within: (bound: Bound) => Bits;
}

/** The texts of one label, by row; undefined where a cluster does not have it. */
export function labelColumn(texts: readonly (string | undefined)[]): LabelColumn {
  const codes = new Int32Array(texts.length).fill(-1);
  const codeOf = new Map<string, number>();
  texts.forEach((text, row) => {
    if (text === undefined) return;
    const known = codeOf.get(text);
    if (known === undefined) codeOf.set(text, codeOf.size);
    codes[row] = known ?? codeOf.size - 1;
  });
  const values = [...codeOf.keys()];
  const memo = new Map<string, Bits>();
  const matching = (operator: LabelOperatorName, listed: readonly string[]): Bits =>
    getOrMake(memo, JSON.stringify([operator, ...listed]), () => {
      const { accepts } = labelOperators[operator];
      const accepted = Uint8Array.from(values, (value) => (accepts(value, listed) ? 1 : 0));
      const absent = accepts(undefined, listed) ? 1 : 0;
      const bits = noRows(codes.length);
      codes.forEach((code, row) => {
        if ((code < 0 ? absent : accepted[code]) === 1) addRow(bits, row);
      });
      return bits;
    });
  return { values, codes, matching };
}

/** The texts of one property, by row, as quantities. */
export function propertyColumn(texts: readonly (string | undefined)[]): PropertyColumn {
  const numbers = new Float64Array(texts.length).fill(Number.NaN);
  const exact = exactColumn(texts.length);
  let unparsable: Bits | undefined;
  texts.forEach((text, row) => {
    if (text === undefined) return;
    const quantity = parseQuantity(text);
    if (quantity) {
      numbers[row] = quantity.number;
      exact.set(row, quantity);
    } else {
      unparsable ??= noRows(texts.length);
      addRow(unparsable, row);
    }
  });
  const memo = new Map<string, Bits>();
  const within = ({ relation, quantity }: Bound): Bits =>
    getOrMake(memo, `${relation} ${quantity.nanos}`, () => exact.rowsIn(relation, quantity));
  const { lowest, highest } = exact.extent();
  const [min, max] = [numbers[lowest] ?? Number.NaN, numbers[highest] ?? Number.NaN];
  const shares = numbers.map((number) => (min === max ? Number.NaN : (number - min) / (max - min)));
  return { shares, unparsable, min, max, within };
}

/** The value of a key, made on first use. */
export function getOrMake<K, V>(memo: Map<K, V>, key: K, make: () => V): V {
  const known = memo.get(key);
  if (known !== undefined) return known;
  const made = make();
  memo.set(key, made);
  return made;
}
