import { refOf } from '../../api/placement.ts';
import type { PlanInput } from '../input.ts';
import { placementLabelValue } from '../overrides/ownership.ts';
import type { PlacementWork } from '../working.ts';

/**
 * Whether a placement of the fleet marks its objects with a label: one that is planned, on its way out, or refused at load.
 * What any other label marks is nobody's, so that it can be taken over (KubeFleet drops owner references to AppliedWorks
 * whose Work is gone).
 */
export function placementLabels(
  works: readonly Pick<PlacementWork, 'placement'>[],
  { fleet, digest }: Pick<PlanInput, 'fleet' | 'digest'>,
): (label: string) => boolean {
  // A file that cannot be read may hold a placement.
  if (fleet.unreadable.length > 0) return () => true;
  const labels = new Set(works.map(({ placement }) => placementLabelValue(refOf(placement), digest)));
  for (const { kind, name, namespace } of fleet.refused) {
    if (kind === 'ClusterResourcePlacement') labels.add(placementLabelValue({ kind, name }, digest));
    if (kind === 'ResourcePlacement' && namespace !== undefined)
      labels.add(placementLabelValue({ kind, name, namespace }, digest));
  }
  return (label) => labels.has(label);
}
