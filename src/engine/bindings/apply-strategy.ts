import type { ApplyStrategy, Placement } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';

/** A rolling update follows the placement at once; a run's strategy is the one it gave the binding. */
export const applyStrategyOf = (
  { spec: { strategy } }: Placement,
  binding: Pick<Binding, 'applyStrategy'> | undefined,
): ApplyStrategy =>
  strategy.type === 'External' ? (binding?.applyStrategy ?? strategy.applyStrategy) : strategy.applyStrategy;
