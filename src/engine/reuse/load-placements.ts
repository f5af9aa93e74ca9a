import type { PlacementKey } from '../../api/meta.ts';
import { placementKey, refOf } from '../../api/placement.ts';
import { loadPlacement } from '../delivery/load-placement.ts';
import type { PlacementWork } from '../placement-work.ts';
import type { RunsOutcome } from '../staged/placement-runs.ts';
import type { World } from '../world.ts';
import { type Reusable, reuseFrom, type Settled } from './reuse.ts';

export interface LoadedPlacements {
  readonly works: readonly PlacementWork[];
  /** Those whose outcome in an earlier plan is still valid. */
  readonly kept: ReadonlyMap<PlacementWork, Settled>;
  /** The outcome of their update runs in that plan. */
  readonly runs: ReadonlyMap<PlacementKey, RunsOutcome>;
}

/** Every placement of the fleet: that of an earlier plan where nothing changed since, otherwise as recorded and observed. */
export function loadPlacements(world: World, earlier: Reusable | undefined): LoadedPlacements {
  const reuse = reuseFrom(earlier, world);
  const kept = new Map<PlacementWork, Settled>();
  const runs = new Map<PlacementKey, RunsOutcome>();
  const works = world.admitted.placements.map((placement) => {
    const settled = reuse(placement);
    if (!settled) return loadPlacement(placement, world);
    const { work } = settled.outcome;
    kept.set(work, settled);
    if (settled.runs) runs.set(placementKey(refOf(placement)), settled.runs);
    return work;
  });
  return { works, kept, runs };
}
