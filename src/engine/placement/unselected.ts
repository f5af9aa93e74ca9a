import type { Placement } from '../../api/placement.ts';
import type { ClusterDecision } from '../../api/placement-state.ts';
import { addRows, everyRow, listRows, removeRow, removeRows } from './compiled/bits.ts';
import type { FleetIndex } from './compiled/compile-fleet.ts';
import { rankBest } from './pick/ranking.ts';
import { reasons } from './reasons.ts';
import type { CompiledPolicy } from './rules/compile-policy.ts';
import type { Cycle } from './rules/cycle.ts';

export interface UnselectedInput {
  readonly placement: Placement;
  readonly index: FleetIndex;
  readonly compiled: CompiledPolicy;
  readonly cycle: Cycle;
  /** Rows with a live binding. */
  readonly selected: readonly number[];
  readonly limit: number;
}

/**
 * Why each other cluster was not selected: first those that passed all filters, best first and with their scores, then the
 * filtered ones by name with every filter that they fail, in KubeFleet's order.
 */
export function explainUnselected(input: UnselectedInput): ClusterDecision[] {
  const { index, compiled, cycle, selected, limit } = input;
  const scorable = Uint32Array.from(compiled.passing);
  const filtered = everyRow(index.size);
  removeRows(filtered, scorable);
  for (const row of selected) {
    removeRow(scorable, row);
    removeRow(filtered, row);
  }
  for (const { filter } of compiled.filters) {
    const refused = filter?.refused?.(listRows(scorable), cycle);
    if (!refused) continue;
    removeRows(scorable, refused);
    addRows(filtered, refused);
  }
  const outscored = explainOutscored(input, listRows(scorable));
  return outscored.concat(explainFiltered(input, listRows(filtered, limit - outscored.length)));
}

function explainOutscored({ placement, index, compiled, cycle, limit }: UnselectedInput, rows: number[]) {
  if (placement.spec.policy.placementType !== 'PickN') return [];
  const { spread, obsolete } = cycle;
  const ofGroups = spread && { groupOf: spread.groups.groupOf, scores: spread.scores };
  const best = rankBest({ rows, affinity: compiled.affinity(), spread: ofGroups, obsolete }, index.size, limit);
  return best.map((ranked) => index.shared.outscored(ranked.row, ranked.affinity, ranked.spread));
}

/**
 * Most reasons are the same for every placement (not matched, not eligible, first untolerated taint): those decisions are
 * made once per fleet and shared, since a thousand placements over ten thousand clusters have a million of them.
 */
function explainFiltered(input: UnselectedInput, rows: readonly number[]): ClusterDecision[] {
  const { variant } = input.compiled;
  if (!variant) return rows.map((row) => decide(input, row));
  return rows.map((row) => {
    const decisions = input.index.shared.filtered(variant(row));
    decisions[row] ??= decide(input, row);
    return decisions[row];
  });
}

const decide = ({ index, compiled, cycle }: UnselectedInput, row: number): ClusterDecision => ({
  clusterName: index.members[row]!.name,
  selected: false,
  reason: reasons.filtered(compiled.filters.flatMap(({ filter }) => filter?.reasons(row, cycle) ?? [])),
});
