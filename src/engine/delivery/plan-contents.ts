import type { PlacementKey } from '../../api/meta.ts';
import type { PlacementWork } from '../placement-work.ts';
import type { World } from '../world.ts';

/**
 * The input of `targetContent`, `recordedContent` and `reappliedClusters`, which render contents on demand: of 100,000 targets
 * few change.
 */
export interface PlanContents {
  readonly world: World;
  /** Placements of the fleet, as the plan leaves them. */
  readonly staying: readonly PlacementWork[];
  /** Those and the ones whose file is gone, until their objects are. */
  readonly works: ReadonlyMap<PlacementKey, PlacementWork>;
}
