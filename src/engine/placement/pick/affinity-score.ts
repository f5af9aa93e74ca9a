import type { ClusterSelectorTerm } from '../../../api/placement.ts';
import { type Bits, hasRow } from '../compiled/bits.ts';
import type { PropertyColumn } from '../compiled/columns.ts';
import type { FleetIndex } from '../compiled/compile-fleet.ts';
import { matchLabels } from '../compiled/match-rows.ts';
import { canonicalPropertyName } from '../properties.ts';

/** One preferred term over one fleet. */
export interface AffinityTerm {
  readonly weight: number;
  /** Rows the label selector matches; undefined = it matches all. */
  readonly matching: Bits | undefined;
  readonly sorter:
    | { readonly property: string; readonly ascending: boolean; readonly column: PropertyColumn }
    | undefined;
}

/** A preferred term, its label selector matched and its property looked up; `weight` is -100 to 100 (CRD of placements). */
export function compilePreference(weight: number, preference: ClusterSelectorTerm, index: FleetIndex): AffinityTerm {
  const { labelSelector, propertySorter } = preference;
  const property = propertySorter && canonicalPropertyName(propertySorter.name);
  return {
    weight,
    matching: labelSelector && matchLabels(labelSelector, index),
    sorter:
      property === undefined
        ? undefined
        : {
            property,
            ascending: propertySorter?.sortOrder === 'Ascending',
            column: index.property(property),
          },
  };
}

/** The affinity score of `rows`, by row (0 for all others): the sum of the terms, each rounded on its own, as an int32. */
export function affinityScores(terms: readonly AffinityTerm[], rows: readonly number[], size: number): Int32Array {
  const scores = new Int32Array(size);
  for (const term of terms) {
    for (const row of rows) scores[row]! += termScore(term, row);
  }
  return scores;
}

/**
 * KubeFleet clusteraffinity/types.go: the weight, or with a sorter the share of it that the value has between the smallest
 * and the largest of the whole fleet. 0 without the label, without the property, and where all values are the same.
 */
export function termScore({ weight, matching, sorter }: AffinityTerm, row: number): number {
  if (weight === 0 || (matching && !hasRow(matching, row))) return 0;
  if (!sorter) return weight;
  const share = sorter.column.shares[row]!;
  if (Number.isNaN(share)) return 0;
  return roundHalfAway((sorter.ascending ? 1 - share : share) * weight);
}

/** Go's math.Round: half away from zero, where JavaScript's Math.round goes half up. Never -0. */
function roundHalfAway(value: number): number {
  const rounded = value < 0 ? -Math.round(-value) : Math.round(value);
  return rounded + 0;
}
