import type { PlacementPolicy } from '../../api/placement.ts';

type Policy = Partial<Pick<PlacementPolicy, 'placementType' | 'numberOfClusters' | 'clusterNames'>>;

/** How many clusters a policy requires; undefined for PickAll, which requires no number. */
export function wantedClusters({ placementType, numberOfClusters = 0, clusterNames = [] }: Policy): number | undefined {
  if (placementType === 'PickFixed') return new Set(clusterNames).size;
  return placementType === 'PickN' ? numberOfClusters : undefined;
}
