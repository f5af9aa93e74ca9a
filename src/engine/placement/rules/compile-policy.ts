import type { Placement } from '../../../api/placement.ts';
import { type Bits, everyRow, keepRows, listRows } from '../compiled/bits.ts';
import type { FleetIndex } from '../compiled/compile-fleet.ts';
import type { Filter, ScoreTerm } from './rule.ts';
import { rulesOf } from './rules.ts';

/** One policy over one fleet. */
export interface CompiledPolicy {
  /** In KubeFleet's order. */
  readonly filters: readonly NamedFilter[];
  /** Rows that pass all masks. */
  readonly passing: Bits;
  /** `variant` over all filters; undefined where some reasons are specific to this placement. */
  readonly variant: ((row: number) => number) | undefined;
  readonly terms: readonly ScoreTerm[];
  /** Affinity scores by row, as int32, of the rows that pass; computed on first use. */
  readonly affinity: () => Int32Array;
}

export interface NamedFilter {
  readonly name: string;
  readonly variants: number;
  /** Undefined where the placement leaves it nothing to do. */
  readonly filter: Filter | undefined;
}

/** Compiles the filters and scores of a placement. */
export function compilePolicy(placement: Placement, index: FleetIndex): CompiledPolicy {
  const rules = rulesOf(placement);
  const filters = rules.map(({ name, variants = 1, filter }) => ({
    name,
    variants,
    filter: filter?.(placement, index),
  }));
  const passing = everyRow(index.size);
  for (const { filter } of filters) if (filter?.mask) keepRows(passing, filter.mask);
  const terms = rules.flatMap(({ score }) => score?.(placement, index) ?? []);
  let scores: Int32Array | undefined;
  const affinity = (): Int32Array => {
    scores ??= affinityScores(terms, listRows(passing), index.size);
    return scores;
  };
  return { filters, passing, variant: variantOver(filters), terms, affinity };
}

/** One number for the variants of all filters, as digits with `variants` values each. */
function variantOver(filters: readonly NamedFilter[]): CompiledPolicy['variant'] {
  let weight = 1;
  const digits: { readonly weight: number; readonly variant: (row: number) => number }[] = [];
  for (const { filter, variants } of filters) {
    if (filter && !filter.variant) return undefined;
    if (filter?.variant && variants > 1) digits.push({ weight, variant: filter.variant });
    weight *= variants;
  }
  return (row) => {
    let sum = 0;
    for (const digit of digits) sum += digit.weight * digit.variant(row);
    return sum;
  };
}

/** 0 for all other rows. */
function affinityScores(terms: readonly ScoreTerm[], rows: readonly number[], size: number): Int32Array {
  const scores = new Int32Array(size);
  for (const { addTo } of terms) addTo(scores, rows);
  return scores;
}
