import type { Binding } from '../../api/placement-state.ts';
import type { BindingStep, PlacementWork } from '../placement-work.ts';

/**
 * A plan may take several rounds: a binding that leaves frees a cluster, which the scheduler then fills again. The move of
 * an earlier round is still the plan's move of that binding, although a later round finds nothing left to do.
 */
export function carryMoves(before: PlacementWork, after: PlacementWork): PlacementWork {
  const acted = before.bindings.filter(({ move }) => move === 'add' || move === 'update' || move === 'remove');
  if (acted.length === 0) return after;
  // Of two on one cluster that both stay, or both go, the first.
  const earlier = new Map(acted.toReversed().map(({ binding, move }) => [placeOf(binding), move]));
  const bindings = after.bindings.map((step): BindingStep => {
    const move = step.move === 'keep' ? earlier.get(placeOf(step.binding)) : undefined;
    return move === undefined ? step : { ...step, move };
  });
  return { ...after, bindings };
}

const placeOf = ({ targetCluster, deleting }: Binding): string =>
  `${deleting ? 'leaving' : 'staying on'} ${targetCluster}`;
