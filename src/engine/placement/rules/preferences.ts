import type { ClusterSelectorTerm } from '../../../api/placement.ts';
import { hasRow } from '../compiled/bits.ts';
import type { FleetIndex } from '../compiled/compile-fleet.ts';
import { canonicalPropertyName } from '../properties.ts';
import { matchLabels } from './match-term.ts';
import type { ScoreTerm } from './rule.ts';

/**
 * A preferred term (KubeFleet clusteraffinity/types.go): the weight or, with a sorter, a share of it by the position of the value
 * between the smallest and the largest of the whole fleet. 0 without the label, without the property, and where all values are
 * the same. `weight` is -100 to 100 (CRD of placements).
 */
export function compilePreference(weight: number, preference: ClusterSelectorTerm, index: FleetIndex): ScoreTerm {
  const { labelSelector, propertySorter } = preference;
  const matching = labelSelector && matchLabels(labelSelector, index);
  const property = propertySorter && canonicalPropertyName(propertySorter.name);
  const column = property === undefined ? undefined : index.property(property);
  const ascending = propertySorter?.sortOrder === 'Ascending';
  const scoreOf = (row: number): number => {
    if (weight === 0 || (matching && !hasRow(matching, row))) return 0;
    if (!column) return weight;
    const share = column.shares[row]!;
    if (Number.isNaN(share)) return 0;
    return roundHalfAway((ascending ? 1 - share : share) * weight);
  };
  return {
    addTo(scores, rows) {
      for (const row of rows) scores[row]! += scoreOf(row);
    },
    explain(row) {
      const value = property && index.members[row]!.properties[property];
      return {
        weight,
        labelsMatch: matching === undefined || hasRow(matching, row),
        ...(propertySorter && property && { property, sortOrder: propertySorter.sortOrder }),
        ...(value !== undefined && { value }),
        ...(column && !Number.isNaN(column.min) && { min: column.min, max: column.max }),
        score: scoreOf(row),
      };
    },
  };
}

/** Go's math.Round: half away from zero, where JavaScript's Math.round goes half up. Never -0. */
function roundHalfAway(value: number): number {
  const rounded = value < 0 ? -Math.round(-value) : Math.round(value);
  return rounded + 0;
}
