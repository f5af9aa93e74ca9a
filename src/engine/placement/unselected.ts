import type { Placement } from '../../api/placement.ts';
import type { ClusterDecision } from '../../api/placement-state.ts';
import { addRow, everyRow, hasRow, listRows, noRows, removeRow, removeRows } from './compiled/bits.ts';
import type { FleetIndex } from './compiled/compile-fleet.ts';
import type { CompiledPolicy } from './compiled/compile-policy.ts';
import type { CycleView } from './pick/pick-n.ts';
import { rankBest } from './pick/ranking.ts';
import { isHard } from './pick/spread.ts';
import { reasons } from './reasons.ts';

export interface UnselectedInput {
  readonly placement: Placement;
  readonly index: FleetIndex;
  readonly compiled: CompiledPolicy;
  readonly view: CycleView;
  /** Rows with a live binding. */
  readonly selected: readonly number[];
  readonly limit: number;
}

/**
 * Why each other cluster was not selected: first those that passed all filters, best first and with their scores, then the
 * filtered ones by name with every filter they fail, KubeFleet's first.
 */
export function explainUnselected(input: UnselectedInput): ClusterDecision[] {
  const { index, compiled, view, selected, limit } = input;
  const scorable = Uint32Array.from(compiled.passing);
  const filtered = everyRow(index.size);
  removeRows(filtered, scorable);
  for (const row of selected) {
    removeRow(scorable, row);
    removeRow(filtered, row);
  }
  const { verdicts } = view;
  const groups = verdicts && spreadGroups(input);
  if (verdicts && groups) {
    const refused = noRows(index.size);
    for (const row of listRows(scorable)) if (verdicts.forbidden[groups.groupOf[row]!] === 1) addRow(refused, row);
    removeRows(scorable, refused);
    for (const row of listRows(refused)) addRow(filtered, row);
  }
  const outscored = explainOutscored(input, listRows(scorable));
  return outscored.concat(explainFiltered(input, listRows(filtered, limit - outscored.length)));
}

function explainOutscored(
  { placement, index, compiled, view, limit }: UnselectedInput,
  rows: number[],
): ClusterDecision[] {
  if (placement.spec.policy.placementType !== 'PickN') return [];
  const { verdicts, obsolete } = view;
  const spread = verdicts && { groupOf: spreadGroups({ placement, index }).groupOf, scores: verdicts.scores };
  const best = rankBest({ rows, affinity: compiled.affinity(), spread, obsolete }, index.size, limit);
  return best.map((ranked) => index.shared.outscored(ranked.row, ranked.affinity, ranked.spread));
}

/** Same order of constraints as `startSpread`, so the same groups come back from the index. */
function spreadGroups({ placement, index }: Pick<UnselectedInput, 'placement' | 'index'>) {
  return index.domains(orderedConstraints(placement).map(({ topologyKey }) => topologyKey));
}

function orderedConstraints({ spec }: Placement) {
  const constraints = spec.policy.topologySpreadConstraints ?? [];
  return [...constraints.filter(isHard), ...constraints.filter((constraint) => !isHard(constraint))];
}

/**
 * Most reasons are the same for every placement (not matched, not eligible, first untolerated taint): those decisions are
 * made once per fleet and shared, since a thousand placements over ten thousand clusters have a million of them.
 */
function explainFiltered(input: UnselectedInput, rows: readonly number[]): ClusterDecision[] {
  const { index, compiled, view } = input;
  const particular = view.verdicts !== undefined || compiled.namespaced !== undefined || compiled.unparsable.length > 0;
  if (particular) return rows.map((row) => decide(input, row));
  return rows.map((row) => {
    const unmatched = compiled.matching !== undefined && !hasRow(compiled.matching, row) ? 1 : 0;
    const decisions = index.shared.filtered((firstUntolerated(input, row) + 1) * 2 + unmatched);
    decisions[row] ??= decide(input, row);
    return decisions[row];
  });
}

/** Position of the first taint of the cluster that the policy does not tolerate, -1 when it tolerates all. */
const firstUntolerated = ({ index, compiled }: UnselectedInput, row: number): number =>
  hasRow(compiled.untolerated, row) ? index.members[row]!.taints.findIndex((taint) => !compiled.tolerated(taint)) : -1;

const decide = (input: UnselectedInput, row: number): ClusterDecision => ({
  clusterName: input.index.members[row]!.name,
  selected: false,
  reason: reasons.filtered(failures(input, row)),
});

/** Every filter a cluster fails, in KubeFleet's order; each plugin gives its first reason. */
export function failures(input: Omit<UnselectedInput, 'selected' | 'limit'>, row: number): string[] {
  const { placement, index, compiled, view } = input;
  const member = index.members[row]!;
  const found: string[] = [];
  if (compiled.matching && !hasRow(compiled.matching, row)) found.push(reasons.affinity);
  for (const { property, rows } of compiled.unparsable) {
    if (hasRow(rows, row)) found.push(reasons.unparsable(property, member.properties[property]!));
  }
  if (!member.eligibility.eligible) found.push(member.eligibility.reason);
  if (compiled.namespaced && !hasRow(compiled.namespaced, row)) {
    found.push(reasons.namespace(placement.metadata.namespace ?? ''));
  }
  const taint = member.taints.find((candidate) => !compiled.tolerated(candidate));
  if (taint) found.push(reasons.taint(taint));
  if (view.verdicts) {
    const { violations } = view.verdicts;
    const groups = spreadGroups({ placement, index });
    const domains = groups.domains[groups.groupOf[row]!]!;
    orderedConstraints(placement).forEach((constraint, at) => {
      const domain = domains[at]!;
      if (isHard(constraint) && domain >= 0 && violations[at]![domain] === 1) found.push(reasons.spread(constraint));
    });
  }
  return found;
}
