import { emptyFleet, type Fleet, type FleetRecord, noRequests } from '../../engine/input.ts';

/**
 * A fleet as the record has it: its plan is exactly what was published last. Nothing starts that became due since, by time or by
 * changes of files: a daemon that takes over a record first needs the state of the clusters.
 */
export const recordedFleet = (fleet: Fleet, record: FleetRecord): Fleet => ({
  ...heldFleet(fleet, record),
  frozenUntil: 'the members were observed',
});

/**
 * Replaces a commit whose files are lost or not trusted: everything stays as the record has it, and nothing new starts. What the record
 * lacks, such as an override that cannot be read, would otherwise be rolled out.
 */
export function fleetOfLostCommit(commit: string, record: FleetRecord): Fleet {
  return {
    ...heldFleet({ ...emptyFleet, members: [...record.clusters.values()] }, record),
    unreadable: [`commit ${commit.slice(0, 12)}, which no clone contains,`],
    frozenUntil: 'the followed branch has the commit in effect, or its rewind is accepted',
  };
}

const heldFleet = (fleet: Fleet, record: FleetRecord): Fleet => ({
  ...fleet,
  members: fleet.members.map((member) => record.clusters.get(member.metadata.name) ?? member),
  placements: [],
  beingDeleted: [],
  ...noRequests,
  // Missing files mean nothing here: every recorded placement stays at its last version.
  unreadable: ['(not read yet)'],
  resources: [],
  // Then the recorded one is in effect, as the missing file may be unreadable.
  config: undefined,
});
