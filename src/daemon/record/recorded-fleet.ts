import type { FleetConfig } from '../../api/gitfleet.ts';
import { emptyFleet, type Fleet, type FleetRecord, noRequests } from '../../engine/input.ts';

/**
 * Only what the record knows: with it a plan is exactly what was published last. Nothing begins that could begin since, by time or by
 * what people changed: for who takes up a record only what the clusters hold counts.
 */
export const recordedFleet = (fleet: Fleet, record: FleetRecord): Fleet => ({
  ...heldFleet(fleet, record),
  config: alwaysFrozen,
});

/** Stands in for a commit whose files are lost: everything is held as the record has it. */
export function fleetOfLostCommit(commit: string, record: FleetRecord): Fleet {
  return {
    ...heldFleet({ ...emptyFleet, members: [...record.clusters.values()] }, record),
    unreadable: [`commit ${commit.slice(0, 12)}, which is in no clone any more,`],
  };
}

const heldFleet = (fleet: Fleet, record: FleetRecord): Fleet => ({
  ...fleet,
  members: fleet.members.map((member) => record.clusters.get(member.metadata.name) ?? member),
  placements: [],
  beingDeleted: [],
  ...noRequests,
  // Nothing is concluded from what is missing here: every recorded placement stands at its last version.
  unreadable: ['(not read yet)'],
  resources: [],
});

/** Nothing new starts. */
export const alwaysFrozen: FleetConfig = {
  apiVersion: 'gitfleet.dev/v1alpha1',
  kind: 'FleetConfig',
  spec: { freeze: [{ name: 'as recorded', schedule: '* * * * *', duration: '1h' }] },
};
