import type { ClusterName } from '../../api/meta.ts';
import type { ClusterObservation } from '../../api/observation.ts';
import type { Fleet } from '../../engine/input.ts';
import { parseInstant } from '../../engine/kernel/instant.ts';
import type { PlanResult } from '../../engine/plan.ts';
import type { Remembered } from '../record/remembered.ts';

/** What a plan was made from, as far as it may change from pass to pass. */
export interface Basis {
  readonly remembered: Remembered;
  readonly fleet: Fleet;
  readonly sightings: ReadonlyMap<ClusterName, ClusterObservation>;
}

/** A plan that changed nothing: as long as its basis and its time hold, planning again would give it again. */
export interface Rest {
  readonly basis: Basis;
  readonly result: PlanResult;
  /** Of the fleet's clock, milliseconds. */
  readonly plannedAtMs: number;
}

/** However sure a plan is of the time it holds, a daemon that runs for months looks anew this often. */
const longestRestMs = 5 * 60_000;

/** Whether planning now would give the same plan. `wakeAt` says when time alone would change it. */
export function stillAtRest({ basis, result, plannedAtMs }: Rest, now: { readonly basis: Basis; readonly ms: number }) {
  const wakeAt = result.plan.wakeAt === undefined ? undefined : parseInstant(result.plan.wakeAt);
  const until = Math.min(wakeAt ?? Number.POSITIVE_INFINITY, plannedAtMs + longestRestMs);
  return (
    now.ms >= plannedAtMs &&
    now.ms < until &&
    basis.remembered === now.basis.remembered &&
    basis.fleet === now.basis.fleet &&
    sameSightings(basis.sightings, now.basis.sightings)
  );
}

function sameSightings(a: Basis['sightings'], b: Basis['sightings']): boolean {
  if (a.size !== b.size) return false;
  for (const [name, sighting] of a) {
    const other = b.get(name);
    if (other === undefined || (sighting !== other && !sameButForTime(sighting, other))) return false;
  }
  return true;
}

/** A member that answers keeps its eligibility until `wakeAt`, and a later heartbeat only puts that off. */
function sameButForTime(a: ClusterObservation, b: ClusterObservation): boolean {
  const { objects: ours, ...one } = a;
  const { objects: theirs, ...other } = b;
  return (
    ours.length === theirs.length &&
    ours.every((object, at) => object === theirs[at] || JSON.stringify(object) === JSON.stringify(theirs[at])) &&
    JSON.stringify(one, withoutTimes) === JSON.stringify(other, withoutTimes)
  );
}

const times: ReadonlySet<string> = new Set(['observedAt', 'lastReceivedHeartbeat', 'observationTime']);
const withoutTimes = (key: string, value: unknown): unknown => (times.has(key) ? undefined : value);
