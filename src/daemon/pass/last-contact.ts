import { memberAgentOf } from '../../api/member-cluster.ts';
import type { ClusterName } from '../../api/meta.ts';
import type { ClusterObservation } from '../../api/observation.ts';
import type { FleetRecord } from '../../engine/input.ts';
import { conditionIs } from '../../engine/kernel/condition.ts';
import { formatInstant, parseInstant } from '../../engine/kernel/instant.ts';
import type { Silence } from '../../repo/record/daemon-memory.ts';
import type { FleetMembers } from '../members.ts';

/** What the members look like, those that do not answer dated at the last contact that any daemon had. */
export interface LastContacts {
  readonly sightings: ReadonlyMap<ClusterName, ClusterObservation>;
  /** What to tell of those that do not answer, by name. */
  readonly silent: ReadonlyMap<ClusterName, Silence>;
}

/**
 * A restart is no reason to take a member for silent, nor a silent one for alive. A member that this daemon has not reached
 * yet was last heard when the status branch says so, if it is said there to be silent. Otherwise it answered whoever wrote
 * that last: it counts as heard when this daemon began to ask, so that it is given the same five minutes as one that falls
 * silent now. What that comes to is published before anything is done, so a daemon that crashes again and again finds it
 * there and does not grant them anew. A member that is not recorded as joined was never heard at all.
 */
export function lastContacts(input: {
  readonly members: Pick<FleetMembers, 'sightings' | 'unreachable' | 'askedSince'>;
  /** What the status branch says. */
  readonly told: ReadonlyMap<ClusterName, Silence>;
  readonly recorded: FleetRecord['clusters'];
  readonly now: number;
}): LastContacts {
  const { members, told, recorded, now } = input;
  const sightings = new Map<ClusterName, ClusterObservation>();
  const silent = new Map<ClusterName, Silence>();
  const causes = members.unreachable();
  for (const [name, sighting] of members.sightings()) {
    const before = told.get(name);
    const contact = sighting.reachable ? undefined : latest(contactOf(sighting), published(before?.lastContact, now));
    const answered = contact === undefined && before === undefined && hasJoined(recorded, name);
    const at = answered ? members.askedSince().get(name) : contact;
    sightings.set(
      name,
      sighting.reachable || at === undefined ? sighting : { ...sighting, observedAt: formatInstant(at) },
    );
    // Until it is known whether a member answers, what was said of it stands.
    const isOpen = !sighting.reachable && contactOf(sighting) === undefined;
    const cause = causes.get(name) ?? (isOpen ? before?.cause : undefined);
    if (cause !== undefined) silent.set(name, { cause, ...(at !== undefined && { lastContact: formatInstant(at) }) });
  }
  return { sightings, silent: new Map([...silent].sort(([a], [b]) => (a < b ? -1 : 1))) };
}

/** When a member that does not answer did last, milliseconds; undefined = never, as far as the one who looked knows. */
export function contactOf({ observedAt }: ClusterObservation): number | undefined {
  const at = observedAt === undefined ? undefined : parseInstant(observedAt);
  return at === 0 ? undefined : at;
}

/** Nobody has heard a member in the future: a branch that says so was edited by hand. */
function published(text: string | undefined, now: number): number | undefined {
  const at = text === undefined ? undefined : parseInstant(text);
  return at === undefined || at > now ? undefined : at;
}

/** Daemons that hear differently of a member come to tell the same of it. */
const latest = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);

const hasJoined = (recorded: FleetRecord['clusters'], name: ClusterName): boolean =>
  conditionIs(memberAgentOf(recorded.get(name)?.status)?.conditions, 'Joined', 'True');
