import type { BindingStep, PlacementWork } from './working.ts';

/**
 * A plan may go round several times (an eviction frees a cluster that the scheduler then fills anew). What an earlier
 * round did with a binding is still what the plan does with it, although the later round finds nothing left to do.
 */
export function carryMoves(before: PlacementWork, after: PlacementWork): PlacementWork {
  const acted = before.bindings.filter(({ move }) => move === 'add' || move === 'update' || move === 'remove');
  if (acted.length === 0) return after;
  const bindings = after.bindings.map((step): BindingStep => {
    if (step.move !== 'keep') return step;
    const earlier = acted.find(
      ({ binding }) =>
        binding.targetCluster === step.binding.targetCluster &&
        (binding.deleting ?? false) === (step.binding.deleting ?? false),
    );
    return earlier ? { ...step, move: earlier.move } : step;
  });
  return { ...after, bindings };
}
