import { type PlacementRef, placementKey } from '../api/placement.ts';
import type { PlanResult } from '../engine/plan.ts';
import { lastingHolds } from './held-by-change.ts';
import type { ObjectChanges } from './object-changes.ts';
import { sameWanted } from './wanted-on.ts';

/**
 * Placements with changes that need an update run, or are held, without a change of the fleet repo and no longer with it: it wants what
 * clusters have. `before`, `after`: the last plans without it and with it. The third is what it changes on clusters.
 */
export function takenBack(before: PlanResult, after: PlanResult, { placements }: ObjectChanges): PlacementRef[] {
  const was = waitingIn(before);
  // What is not valid leaves the last good version, until it is corrected.
  const { unreadable, refused } = after.contents.world.input.fleet;
  if (was.size === 0 || unreadable.length + refused.length > 0) return [];
  const others = new Set([...waitingIn(after).keys(), ...placements.map(({ placement }) => idOf(placement))]);
  const isSame = sameWanted(before, after);
  return [...was].flatMap(([id, placement]) => (others.has(id) || isSame(placement) ? [] : [placement]));
}

function waitingIn({ plan, notRolledOut, contents: { works } }: PlanResult): ReadonlyMap<string, PlacementRef> {
  const held = lastingHolds(plan).flatMap(({ subject: { kind, name, namespace } }): PlacementRef[] =>
    kind === 'ClusterResourcePlacement' || kind === 'ResourcePlacement'
      ? [{ kind, name, ...(namespace !== undefined && { namespace }) }]
      : [],
  );
  const all = [...held, ...notRolledOut.map(({ placement }) => placement)];
  return new Map(all.filter((of) => works.has(placementKey(of))).map((of) => [idOf(of), of]));
}

const idOf = (placement: PlacementRef): string => `${placement.kind} ${placementKey(placement)}`;
