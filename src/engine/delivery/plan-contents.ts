import type { PlacementKey } from '../../api/meta.ts';
import type { PlacementWork } from '../placement-work.ts';
import type { World } from '../world.ts';

/**
 * From what everything that an actor needs for a target is found. Of 100,000 targets few change, so contents are rendered for
 * those that are asked for: `targetContent`, `recordedContent`, `reappliedClusters`.
 */
export interface PlanContents {
  readonly world: World;
  /** Placements of the fleet, as the plan leaves them. */
  readonly staying: readonly PlacementWork[];
  /** Those and the ones whose file is gone, until their objects are. */
  readonly works: ReadonlyMap<PlacementKey, PlacementWork>;
}
