import type { MemberClusterStatus } from '../../api/member-cluster.ts';
import type { ClusterName } from '../../api/meta.ts';
import { showsRecorded } from '../../engine/fleet/cluster-document.ts';
import type { Fleet, FleetRecord } from '../../engine/input.ts';
import { sameValue } from '../../engine/kernel/same-value.ts';
import { chooseByProperties } from '../../engine/placement/rules/cluster-affinity.ts';
import { isActive } from '../../engine/staged/execution-order.ts';
import type { Clock } from '../../members/clock.ts';
import type { Currency } from '../../members/property-reading.ts';
import type { FleetMembers } from '../members.ts';

/** Which properties of members a plan needs newer than the last reading, which may be an hour old (members/property-reading.ts). */
export interface NeededProperties {
  /** Before the members are observed. */
  loaded(of: Loaded): void;
  /** Reads what is too old. Waits at most `ms` of pace. */
  read(ms: number): Promise<void>;
}

interface Loaded {
  readonly fleet: Pick<Fleet, 'placements'>;
  readonly record: Pick<FleetRecord, 'placements' | 'runs' | 'clusters'>;
}

/**
 * A member is read again before a plan in two cases. Plans depend on properties from now on: then after each change too. Or the record
 * shows others, which another daemon may have read later: two daemons must not publish their readings by turns.
 */
export function neededProperties({
  members,
  clock,
}: {
  readonly members: FleetMembers;
  readonly clock: Clock;
}): NeededProperties {
  /** Since when plans depend on them, milliseconds; undefined: they do not. */
  let needed: number | undefined;
  /** What the record shows, and since when. */
  const recorded = new Map<ClusterName, { readonly status: MemberClusterStatus; readonly atMs: number }>();

  function sinceOf(name: ClusterName, status: MemberClusterStatus): number | undefined {
    const shown = recorded.get(name);
    const isOther = shown !== undefined && !showsRecorded(status, shown.status);
    return isOther ? Math.max(shown.atMs, needed ?? 0) : needed;
  }

  return {
    loaded({ fleet, record }) {
      const currency = currencyOf({ fleet, record });
      members.needProperties(currency);
      needed = currency !== 'hour' ? (needed ?? clock.now()) : undefined;
      for (const name of recorded.keys()) if (!record.clusters.has(name)) recorded.delete(name);
      for (const [name, { status }] of record.clusters)
        if (status && !sameValue(recorded.get(name)?.status, status)) recorded.set(name, { status, atMs: clock.now() });
    },
    async read(ms) {
      const instants = new Map<ClusterName, number>();
      for (const [name, { reachable, memberStatus }] of members.observations()) {
        const since = reachable && memberStatus ? sinceOf(name, memberStatus) : undefined;
        if (since !== undefined) instants.set(name, since);
      }
      await members.readSince(instants, ms);
    },
  };
}

function currencyOf({ fleet, record }: Loaded): Currency {
  // Approvers of an update run read which pods restarted.
  if ([...record.runs.values()].some(({ status }) => isActive(status))) return 'heartbeat';
  return chooseByProperties(fleet, record) ? 'change' : 'hour';
}
