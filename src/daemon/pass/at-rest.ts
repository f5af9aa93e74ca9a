import type { ClusterName, Manifest } from '../../api/meta.ts';
import type { ClusterObservation } from '../../api/observation.ts';
import type { Fleet, FleetRecord } from '../../engine/input.ts';
import { parseInstant } from '../../engine/kernel/instant.ts';
import { memoize } from '../../engine/kernel/memoize.ts';
import type { PlanResult } from '../../engine/plan.ts';
import type { RequestPage } from '../../repo/record/summary.ts';
import type { Remembered } from '../record/remembered.ts';

/** The inputs of a plan that may change from pass to pass. */
export interface Basis {
  readonly remembered: Remembered;
  /** What of it is verified. */
  readonly record: FleetRecord;
  readonly fleet: Fleet;
  readonly observations: ReadonlyMap<ClusterName, ClusterObservation>;
  /** Of pull requests for approvals. */
  readonly pages: ReadonlyMap<string, RequestPage>;
  /** Of previews, the files that the status branch should have. */
  readonly previews: object;
}

/** A plan that changed nothing. Until its basis or `wakeAt` changes, planning again would give the same. */
export interface Rest {
  readonly basis: Basis;
  readonly result: PlanResult;
  /** Of the fleet's clock, milliseconds. */
  readonly plannedAtMs: number;
}

/** Longest time without a new plan, milliseconds, as a safety net. */
const longestRestMs = 5 * 60_000;

/** Whether planning now would give the same plan. `wakeAt` says when time alone would change it. */
export function stillAtRest({ basis, result, plannedAtMs }: Rest, now: { readonly basis: Basis; readonly ms: number }) {
  const wakeAt = result.plan.wakeAt === undefined ? undefined : parseInstant(result.plan.wakeAt);
  const until = Math.min(wakeAt ?? Number.POSITIVE_INFINITY, plannedAtMs + longestRestMs);
  return (
    now.ms >= plannedAtMs &&
    now.ms < until &&
    basis.remembered === now.basis.remembered &&
    basis.record === now.basis.record &&
    basis.fleet === now.basis.fleet &&
    basis.pages === now.basis.pages &&
    basis.previews === now.basis.previews &&
    sameObservations(basis.observations, now.basis.observations)
  );
}

function sameObservations(a: Basis['observations'], b: Basis['observations']): boolean {
  if (a.size !== b.size) return false;
  for (const [name, observation] of a) {
    const other = b.get(name);
    if (other === undefined || (observation !== other && !sameButForTime(observation, other))) return false;
  }
  return true;
}

/** A responding member stays eligible until `wakeAt`, and a later heartbeat only extends that. */
function sameButForTime(a: ClusterObservation, b: ClusterObservation): boolean {
  const [one, other] = [partsOf(a), partsOf(b)];
  return (
    one.lists.every((list, at) => sameList(list, other.lists[at])) &&
    JSON.stringify(one.rest, withoutTimes) === JSON.stringify(other.rest, withoutTimes)
  );
}

/** Long lists are compared item by item: most items are the same value. Plans read no events. */
function partsOf({ objects, nodes, pods, extras, ...rest }: ClusterObservation) {
  return { lists: [objects, nodes, pods, withoutEvents(extras)], rest };
}

/** The same list for the same list, so that unchanged ones are not compared item by item. */
const withoutEvents = memoize((extras: readonly Manifest[]): readonly Manifest[] =>
  extras.filter(({ kind }) => kind !== 'Event'),
);

function sameList(a: readonly Manifest[] | undefined, b: readonly Manifest[] | undefined): boolean {
  if (a === b) return true;
  return (
    a !== undefined &&
    a.length === b?.length &&
    a.every((object, at) => object === b[at] || JSON.stringify(object) === JSON.stringify(b[at]))
  );
}

const times: ReadonlySet<string> = new Set(['observedAt', 'lastReceivedHeartbeat', 'observationTime']);
const withoutTimes = (key: string, value: unknown): unknown => (times.has(key) ? undefined : value);
