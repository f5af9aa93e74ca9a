import type { Binding, PlacementState } from '../../api/placement-state.ts';
import { wasGiven } from '../../engine/bindings/cleanup.ts';

/** Bindings of clusters that had something of a placement, and that no binding of it names any more. */
export function bindingsGone(before: PlacementState | undefined, after: PlacementState | undefined): Binding[] {
  const remaining = new Set(after?.bindings.map(({ targetCluster }) => targetCluster));
  return (before?.bindings ?? []).filter((binding) => wasGiven(binding) && !remaining.has(binding.targetCluster));
}
