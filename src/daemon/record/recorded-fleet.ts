import { emptyFleet, type Fleet, type FleetRecord } from '../../engine/input.ts';

/** Only what the record knows: with it a plan is exactly what was published last. */
export function recordedFleet(fleet: Fleet, record: FleetRecord): Fleet {
  return {
    ...fleet,
    members: fleet.members.map((member) => record.clusters.get(member.metadata.name) ?? member),
    placements: [],
    beingDeleted: [],
    runs: [],
    approvals: [],
    evictions: [],
    // Nothing is concluded from what is missing here: every recorded placement stands at its last version.
    unreadable: ['(not read yet)'],
    resources: [],
  };
}

/** Stands in for a commit whose files are lost: everything is held as the record has it. */
export function fleetOfLostCommit(commit: string, record: FleetRecord): Fleet {
  return {
    ...recordedFleet({ ...emptyFleet, members: [...record.clusters.values()] }, record),
    unreadable: [`commit ${commit.slice(0, 12)}, which is in no clone any more,`],
  };
}
