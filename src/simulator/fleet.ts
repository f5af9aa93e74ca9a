import type { SimulatedFleet } from '../api/simulated-fleet.ts';
import type { SimClock } from './clock.ts';
import { openMember, type SimulatedMember } from './member.ts';

/** Opens the members of a file, in its order. Throws when an initial object of a member is refused. */
export async function openFleet(fleet: SimulatedFleet, clock: SimClock): Promise<ReadonlyMap<string, SimulatedMember>> {
  const { defaults, members } = fleet.spec;
  const opened = new Map<string, SimulatedMember>();
  for (const member of members) opened.set(member.name, await openMember({ ...defaults, ...member }, clock));
  return opened;
}
