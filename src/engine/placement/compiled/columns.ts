import { compareQuantities, parseQuantity, type Quantity } from '../../../api/quantity.ts';
import { addRow, type Bits, noRows } from './bits.ts';

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
  /** Distinct exact values, ascending. */
  readonly ranked: readonly Quantity[];
  /** Per row an index into `ranked`, -1 where the property is absent or unparsable: comparisons of ranks are exact. */
  readonly ranks: Int32Array;
  /** Per row the approximate value, NaN where there is none. */
  readonly numbers: Float64Array;
  readonly unparsable: Bits;
  readonly anyUnparsable: boolean;
  /** Over all clusters that have it, ineligible ones included; both NaN when none has. */
  readonly min: number;
  readonly max: number;
  /** Rows whose value stands in that relation to `expected`. */
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
  const size = texts.length;
  const numbers = new Float64Array(size).fill(Number.NaN);
  const unparsable = noRows(size);
  let anyUnparsable = false;
  const parsed = new Map<string, Quantity | undefined>();
  const quantities = texts.map((text, row) => {
    if (text === undefined) return undefined;
    const quantity = parsed.has(text) ? parsed.get(text) : parseQuantity(text);
    parsed.set(text, quantity);
    if (quantity) numbers[row] = quantity.number;
    else {
      addRow(unparsable, row);
      anyUnparsable = true;
    }
    return quantity;
  });

  // `sort` is stable and the texts come by row, so of equal values the one of the first cluster stands for all: the same
  // value can have two float64s, depending on how it was written.
  const ascending = [...parsed.values()].filter((quantity) => quantity !== undefined).sort(compareQuantities);
  const ranked = ascending.filter((quantity, at) => at === 0 || compareQuantities(ascending[at - 1]!, quantity) !== 0);
  const rankOf = new Map(ranked.map((quantity, rank) => [quantity.nanos, rank]));
  const ranks = Int32Array.from(quantities, (quantity) => (quantity ? rankOf.get(quantity.nanos)! : -1));

  const memo = new Map<string, Bits>();
  const comparing = (operator: PropertyOperator, expected: Quantity): Bits =>
    remembered(memo, `${operator} ${expected.nanos}`, () => {
      const [from, to] = rankRange(ranked, operator, expected);
      if (operator === 'Ne') return rowsWhere(ranks, (rank) => rank >= 0 && (rank < from || rank >= to));
      return rowsWhere(ranks, (rank) => rank >= from && rank < to);
    });
  return {
    ranked,
    ranks,
    numbers,
    unparsable,
    anyUnparsable,
    min: ranked[0]?.number ?? Number.NaN,
    max: ranked.at(-1)?.number ?? Number.NaN,
    comparing,
  };
}

/** The half-open range of ranks an operator accepts; for `Ne` the range it refuses. */
function rankRange(ranked: readonly Quantity[], operator: PropertyOperator, expected: Quantity): [number, number] {
  let below = 0;
  let end = ranked.length;
  while (below < end) {
    const middle = (below + end) >>> 1;
    if (ranked[middle]!.nanos < expected.nanos) below = middle + 1;
    else end = middle;
  }
  const after = ranked[below]?.nanos === expected.nanos ? below + 1 : below;
  switch (operator) {
    case 'Gt':
      return [after, ranked.length];
    case 'Ge':
      return [below, ranked.length];
    case 'Lt':
      return [0, below];
    case 'Le':
      return [0, after];
    case 'Eq':
    case 'Ne':
      return [below, after];
  }
}

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
