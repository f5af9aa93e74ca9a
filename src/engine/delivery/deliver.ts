import { awaitObservation } from '../bindings/observed-removal.ts';
import { observeMoved } from '../bindings/present-bindings.ts';
import type { PlacementWork } from '../placement-work.ts';
import type { World } from '../world.ts';
import { loadDeletedPlacement, withoutLeftClusters } from './load-placement.ts';
import { deletedPlacementOutcome, type PlacementOutcome, placementOutcome } from './placement-outcome.ts';

export interface DeliveredPlacements {
  readonly staying: readonly PlacementOutcome[];
  /** Of placements whose file is gone, until their objects are. */
  readonly deleted: readonly PlacementOutcome[];
}

/** What every cluster should run of every placement now. `known`: outcomes of an earlier plan that are still valid. */
export function deliver(
  works: readonly PlacementWork[],
  known: (work: PlacementWork) => PlacementOutcome | undefined,
  world: World,
): DeliveredPlacements {
  const observed = (work: PlacementWork) =>
    awaitObservation(observeMoved(withoutLeftClusters(work, world), world), world);
  return {
    staying: works.map((work) => known(work) ?? placementOutcome(observed(work), world)),
    deleted: world.admitted.deleted
      .flatMap((deleted) => loadDeletedPlacement(deleted, world) ?? [])
      .map((work) => deletedPlacementOutcome(observed(work), world)),
  };
}
