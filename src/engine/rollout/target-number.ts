import { latestOf } from '../kernel/latest-of.ts';
import type { PlacementWork } from '../placement-work.ts';
import type { Classified } from './classify.ts';

/**
 * How many clusters are to have the placement. PickFixed: the names; PickN: the number; PickAll: Bound and Scheduled bindings,
 * including deleting ones.
 */
export function targetNumber(
  { placement, policySnapshots }: Pick<PlacementWork, 'placement' | 'policySnapshots'>,
  all: readonly Pick<Classified, 'step'>[],
): number {
  const { policy } = placement.spec;
  if (policy.placementType === 'PickFixed') return policy.clusterNames?.length ?? 0;
  if (policy.placementType === 'PickN')
    return policy.numberOfClusters ?? latestOf(policySnapshots)?.numberOfClusters ?? 0;
  return all.filter(({ step }) => step.binding.state !== 'Unscheduled').length;
}

/** How many of them the scheduler has not found. PickAll requires no number. */
export function unplaced(work: PlacementWork, all: readonly Classified[]): number {
  if (work.placement.spec.policy.placementType === 'PickAll') return 0;
  const staying = all.filter(({ step: { binding } }) => binding.state !== 'Unscheduled' && !binding.deleting);
  return Math.max(targetNumber(work, all) - staying.length, 0);
}

/** An empty list of names removes all bindings, ready or not (docs/compatibility.md). */
export const wantsNone = ({ placement: { spec } }: PlacementWork): boolean =>
  spec.policy.placementType === 'PickFixed' && (spec.policy.clusterNames?.length ?? 0) === 0;
