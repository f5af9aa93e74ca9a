import type { IntOrPercent } from '../../../api/meta.ts';
import type { Placement } from '../../../api/placement.ts';
import type { PlacementChange } from './changes.ts';

/** How many clusters the policy of a placement requires. */
export function clustersWanted(placement: Placement, { pairs }: Pick<PlacementChange, 'pairs'>): number {
  const { placementType, clusterNames, numberOfClusters } = placement.spec.policy;
  if (placementType === 'PickFixed') return clusterNames?.length ?? 0;
  if (placementType === 'PickN') return numberOfClusters ?? 0;
  return pairs.filter(({ after }) => after && after.state !== 'Unscheduled').length;
}

/** A number, or a percentage of `total` rounded up, as KubeFleet's budgets count. */
export function scaledUp(value: IntOrPercent, total: number): number {
  const text = String(value);
  return text.endsWith('%') ? Math.ceil((Number(text.slice(0, -1)) * total) / 100) : Number(text);
}
