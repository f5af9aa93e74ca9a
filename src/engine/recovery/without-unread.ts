import { type Placement, placementKey, refOf } from '../../api/placement.ts';
import { type Fleet, type FleetRecord, writtenPlacements } from '../input.ts';
import type { Hold } from '../plan-document.ts';

/**
 * The fleet without the placements whose recorded state cannot be read while no member was observed. Planned as new, they
 * would be applied to all their clusters at once. So they are left out, with a hold each.
 */
export function withoutUnread(
  fleet: Fleet,
  { unread }: Pick<FleetRecord, 'unread'>,
): { readonly fleet: Fleet; readonly holds: readonly Hold[] } {
  if (unread === undefined || unread.placements.size === 0) return { fleet, holds: [] };
  const written = writtenPlacements(fleet);
  const refs = [...unread.placements].flatMap(([key, { object }]) => {
    const placement: Placement | undefined = written.get(key) ?? object;
    return placement ? [refOf(placement)] : [];
  });
  return {
    fleet: {
      ...fleet,
      placements: fleet.placements.filter((placement) => !unread.placements.has(placementKey(refOf(placement)))),
      refused: [...fleet.refused, ...refs.map((ref) => ({ apiVersion: 'placement.kubernetes-fleet.io/v1', ...ref }))],
    },
    holds: refs.map(
      (ref): Hold => ({
        subject: ref,
        reason: 'RecordLost',
        message: `the record of ${placementKey(ref)} cannot be read and no member was observed: it is left out of this plan until its state.yaml is fixed`,
      }),
    ),
  };
}
