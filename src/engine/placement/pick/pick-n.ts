import type { PlacementPolicy } from '../../../api/placement.ts';
import type { Binding, ClusterDecision } from '../../../api/placement-state.ts';
import { type BindingGroups, crossReference, liveBindings, rowsOf, unschedule } from '../bindings.ts';
import { listRows, removeRow } from '../compiled/bits.ts';
import type { FleetIndex } from '../compiled/compile-fleet.ts';
import type { CompiledPolicy } from '../rules/compile-policy.ts';
import type { Cycle } from '../rules/cycle.ts';
import { startSpread } from '../rules/spread.ts';
import { bestFirst, recordedDecision } from '../selected.ts';
import { pickSpreadOut } from './pick-spread-out.ts';
import { type Ranked, rankBest } from './ranking.ts';

export interface PickNInput {
  readonly policy: PlacementPolicy;
  readonly wanted: number;
  readonly latestIndex: number;
  readonly groups: BindingGroups;
  readonly compiled: CompiledPolicy;
  readonly index: FleetIndex;
}

export interface PickNOutcome {
  readonly groups: BindingGroups;
  /** The last cycle that filtered and scored, which explains unselected clusters; undefined = there was nothing to pick. */
  readonly lastCycle: Cycle | undefined;
}

/** KubeFleet's runSchedulingCycleForPickN, repeated until nothing moves. */
export function pickN(input: PickNInput): PickNOutcome {
  const { groups, wanted } = input;
  const live = groups.scheduled.length + groups.bound.length;
  if (wanted > live) return scaleUp(input, wanted - live);
  return { groups: scaleDown(groups, live - wanted), lastCycle: undefined };
}

/**
 * With enough live bindings all obsolete ones are unscheduled, then surplus live ones: Scheduled before Bound, the lowest recorded
 * score first.
 */
function scaleDown(groups: BindingGroups, surplus: number): BindingGroups {
  const removed = surplus === 0 ? [] : lowest(groups, surplus);
  const leaving = new Set(removed);
  const stays = (binding: Binding): boolean => !leaving.has(binding);
  return {
    ...groups,
    scheduled: groups.scheduled.filter(stays),
    bound: groups.bound.filter(stays),
    obsolete: [],
    unscheduled: [...groups.unscheduled, ...groups.obsolete.map(unschedule), ...removed.map(unschedule)],
  };
}

const lowest = ({ scheduled, bound }: BindingGroups, count: number): Binding[] =>
  [...scheduled.toSorted(lowestFirst), ...bound.toSorted(lowestFirst)].slice(0, count);

/** KubeFleet's order of removal: the reverse of the order in which decisions are listed. */
const lowestFirst = (a: Binding, b: Binding): number => bestFirst(recordedDecision(b), recordedDecision(a));

function scaleUp({ policy, latestIndex, groups, compiled, index }: PickNInput, missing: number): PickNOutcome {
  const live = rowsOf(liveBindings(groups), index);
  const open = Uint32Array.from(compiled.passing);
  for (const row of live) removeRow(open, row);
  const rows = listRows(open);
  const affinity = compiled.affinity();
  const obsolete = new Set(rowsOf(groups.obsolete, index));
  const spread = startSpread(policy, index, live);
  const picked = (ranked: Ranked): ClusterDecision => index.shared.picked(ranked.row, ranked.affinity, ranked.spread);

  if (spread === undefined) {
    const best = rankBest({ rows, affinity, spread: undefined, obsolete }, index.size, missing);
    const picks = best.map(picked);
    return { groups: crossReference(groups, picks, latestIndex), lastCycle: { spread, obsolete } };
  }
  const { cycles, last } = pickSpreadOut({ rows, affinity, obsolete, spread, missing, size: index.size });
  // One cycle per pick, as in KubeFleet: the first unschedules every obsolete binding but the one that it picks, and later picks
  // restore theirs. That equals one cross reference over all picks, except that bindings picked later get the state that
  // unscheduling recorded.
  const first = cycles.slice(0, 1).map(picked);
  const later = cycles.slice(1).map(picked);
  const afterFirst = crossReference(groups, first, latestIndex);
  return { groups: crossReference(afterFirst, later, latestIndex), lastCycle: last };
}
