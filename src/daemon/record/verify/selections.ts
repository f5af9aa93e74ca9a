import type { PlacementKey } from '../../../api/meta.ts';
import type { Placement } from '../../../api/placement.ts';
import { type Fleet, writtenPlacements } from '../../../engine/input.ts';
import { memoize } from '../../../engine/kernel/memoize.ts';
import { compileHub } from '../../../engine/selection/hub.ts';
import { selectResources } from '../../../engine/selection/select.ts';
import { sha256 } from '../../../repo/sha256.ts';

export type Selected = Extract<ReturnType<typeof selectResources>, { readonly ok: true }>;

/** The resources that a placement of a fleet selects; undefined if the fleet does not have it or its selectors are invalid. */
export function selectedIn(fleet: Fleet, key: PlacementKey): Selected | undefined {
  const placement = placementsOf(fleet).get(key);
  return placement && selectionOf(placement, fleet);
}

export const placementsOf = memoize((fleet: Fleet) => writtenPlacements(fleet));

export function selectionOf(placement: Placement, { resources }: Fleet): Selected | undefined {
  const selection = selectResources({ placement, hub: compileHub(resources), digest: sha256 });
  return selection.ok ? selection : undefined;
}
