import { placementKey } from '../../api/placement.ts';
import type { FleetRecord, PlanInput } from '../../engine/input.ts';
import { planFleet } from '../../engine/plan.ts';
import type { NotRolledOut } from '../../engine/staged/not-rolled-out.ts';
import { isShorter, type Shortage, shortagesOf } from '../../report/shortage.ts';
import { withRecordedStatus } from '../plan/recorded-status.ts';
import { unobservedInput } from '../unobserved-input.ts';
import type { Change } from '../what-if/changes.ts';
import { suppose } from '../what-if/suppose.ts';
import type { Desired } from './open-desired.ts';

/** Shortages of clusters before and after a change of the fleet. */
interface Ahead {
  /** That are new, or lack more clusters. */
  readonly worse: readonly Shortage[];
  /** That are there now, with what becomes of them. */
  readonly present: readonly { readonly before: Shortage; readonly after: Shortage | undefined }[];
  /** External placements that will wait for an update run, and do not yet for the same reason. */
  readonly notRolledOut: readonly NotRolledOut[];
}

/** What the scheduler would find after the change, from the record and its last status of the clusters. */
export function shortagesAhead(
  { fleet, tip }: Pick<Desired, 'fleet' | 'tip'>,
  record: FleetRecord,
  change: Change,
): Ahead {
  const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const input: PlanInput = withRecordedStatus(unobservedInput({ now, commit: tip, fleet, record }));
  const present = planFleet(input);
  const then = planFleet(suppose(input, [change]).input);
  const before = shortagesOf(present.plan);
  const after = shortagesOf(then.plan);
  const waiting = new Set(present.notRolledOut.map(textOf));
  return {
    worse: [...after].flatMap(([key, shortage]) => (isShorter(shortage, before.get(key)) ? [shortage] : [])),
    present: [...before].map(([key, shortage]) => ({ before: shortage, after: after.get(key) })),
    notRolledOut: then.notRolledOut.filter((one) => !waiting.has(textOf(one))),
  };
}

const textOf = ({ placement, why }: NotRolledOut): string => `${placementKey(placement)}: ${why}`;
