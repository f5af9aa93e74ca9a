import type { PlacementKey } from '../api/meta.ts';
import { isPlacementKind, type PlacementRef, placementKey, refNamed } from '../api/placement.ts';
import type { PlanResult } from '../engine/plan.ts';
import { lastingHolds } from './held-by-change.ts';
import type { HeldByCluster } from './held-objects.ts';
import type { Leaving, ObjectChanges } from './object-changes.ts';
import { pendingChanges } from './pending-changes.ts';
import type { InSteps } from './steps.ts';
import { sameWanted } from './wanted-on.ts';

/**
 * Placements with changes that need an update run, or are held, without a change of the fleet repo, and that it takes back: it wants what
 * clusters have. `before`, `after`: the last plans without it and with it. `effect`: what it changes on clusters; `ends`, `leaving`: as of
 * `pendingChanges`.
 */
export function* takenBack(
  before: PlanResult,
  after: PlanResult,
  {
    effect: { placements },
    ...of
  }: {
    readonly effect: ObjectChanges;
    readonly ends: Readonly<Record<'before' | 'after', HeldByCluster>>;
    readonly leaving: Leaving;
  },
): InSteps<readonly PlacementRef[]> {
  const was = waitingIn(before);
  // What is not valid leaves the last good version, until it is corrected.
  const { unreadable, refused } = after.contents.world.input.fleet;
  if (was.size === 0 || unreadable.length + refused.length > 0) return [];
  const still = waitingIn(after);
  const changing = new Set(placements.map(({ placement }) => placementKey(placement)));
  const isSame = sameWanted(before, after);
  const back: PlacementRef[] = [];
  for (const [key, placement] of was) {
    if (changing.has(key) || isSame(placement)) continue;
    // It may roll out a new snapshot with the same contents.
    const left = still.has(key) ? yield* pendingChanges([placement], { ...of, last: after }) : undefined;
    if (left === undefined || left.changes.length + left.failing.length === 0) back.push(placement);
  }
  return back;
}

function waitingIn({ plan, notRolledOut, contents: { works } }: PlanResult): ReadonlyMap<PlacementKey, PlacementRef> {
  const held = lastingHolds(plan).flatMap(({ subject }) => (isPlacementKind(subject.kind) ? [refNamed(subject)] : []));
  const all = [...held, ...notRolledOut.map(({ placement }) => placement)];
  return new Map(all.map((of) => [placementKey(of), of] as const).filter(([key]) => works.has(key)));
}
