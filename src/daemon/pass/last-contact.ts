import { memberAgentOf } from '../../api/member-cluster.ts';
import type { ClusterName } from '../../api/meta.ts';
import type { ClusterObservation } from '../../api/observation.ts';
import type { FleetRecord } from '../../engine/input.ts';
import { conditionIs } from '../../engine/kernel/condition.ts';
import { formatInstant, parseInstant } from '../../engine/kernel/instant.ts';
import type { UnreachableMember } from '../../repo/record/daemon-memory.ts';
import type { FleetMembers } from '../members.ts';

/** The observations of members; those of unreachable members have the last contact of any daemon. */
export interface LastContacts {
  readonly observations: ReadonlyMap<ClusterName, ClusterObservation>;
  /** Members that do not respond, by name, with cause and last contact. */
  readonly unreachable: ReadonlyMap<ClusterName, UnreachableMember>;
}

/**
 * A restart must neither make a member unreachable nor an unreachable one reachable. The last contact of a member that this daemon has
 * not reached yet is the one on the status branch. Without one it responded to the last daemon, so it counts as reached when this
 * daemon started: it gets the same five minutes as a member that fails now. The result is published before any action, so a daemon
 * that restarts repeatedly does not grant the time again. A member that is not recorded as joined was never reached.
 */
export function lastContacts(input: {
  readonly members: Pick<FleetMembers, 'observations' | 'unreachable' | 'askedSince'>;
  /** Unreachable members according to the status branch. */
  readonly recordedUnreachable: ReadonlyMap<ClusterName, UnreachableMember>;
  readonly recorded: FleetRecord['clusters'];
  readonly now: number;
}): LastContacts {
  const { members, recordedUnreachable, recorded, now } = input;
  const observations = new Map<ClusterName, ClusterObservation>();
  const unreachable = new Map<ClusterName, UnreachableMember>();
  const causes = members.unreachable();
  for (const [name, observation] of members.observations()) {
    const before = recordedUnreachable.get(name);
    const contact = observation.reachable
      ? undefined
      : latest(contactOf(observation), published(before?.lastContact, now));
    const answered = contact === undefined && before === undefined && hasJoined(recorded, name);
    const at = answered ? members.askedSince().get(name) : contact;
    observations.set(
      name,
      observation.reachable || at === undefined ? observation : { ...observation, observedAt: formatInstant(at) },
    );
    // Until the first probe ends, the published cause stays.
    const isOpen = !observation.reachable && contactOf(observation) === undefined;
    const cause = causes.get(name) ?? (isOpen ? before?.cause : undefined);
    if (cause !== undefined)
      unreachable.set(name, { cause, ...(at !== undefined && { lastContact: formatInstant(at) }) });
  }
  return { observations, unreachable: new Map([...unreachable].sort(([a], [b]) => (a < b ? -1 : 1))) };
}

/** Last contact of a member that does not respond, milliseconds; undefined = none known. */
export function contactOf({ observedAt }: ClusterObservation): number | undefined {
  const at = observedAt === undefined ? undefined : parseInstant(observedAt);
  return at === 0 ? undefined : at;
}

/** The published last contact. A time in the future was edited by hand, and is ignored. */
function published(text: string | undefined, now: number): number | undefined {
  const at = text === undefined ? undefined : parseInstant(text);
  return at === undefined || at > now ? undefined : at;
}

/** Takes the later time, so that daemons with different contacts publish the same. */
const latest = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);

const hasJoined = (recorded: FleetRecord['clusters'], name: ClusterName): boolean =>
  conditionIs(memberAgentOf(recorded.get(name)?.status)?.conditions, 'Joined', 'True');
