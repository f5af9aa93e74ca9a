import type { ApplyStrategy, Placement } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';

/** Under RollingUpdate the placement's strategy is in effect at once; under External that which a run gave the binding. */
export const applyStrategyOf = (
  { spec: { strategy } }: Placement,
  binding: Pick<Binding, 'applyStrategy'> | undefined,
): ApplyStrategy =>
  strategy.type === 'External' ? (binding?.applyStrategy ?? strategy.applyStrategy) : strategy.applyStrategy;
