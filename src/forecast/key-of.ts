import type { PlacementKey } from '../api/meta.ts';
import { type PlacementRef, placementKey } from '../api/placement.ts';
import { memoize } from '../engine/kernel/memoize.ts';

/** The key of a placement. Targets of one share their reference to it, and there are many. */
export const keyOf = memoize((placement: PlacementRef): PlacementKey => placementKey(placement));
