import type { ClusterObservation } from '../api/observation.ts';
import { fleetMembers } from '../daemon/members.ts';
import { assignmentsOf } from '../daemon/pass/assignments.ts';
import { inferPlacements } from '../daemon/pass/inferred.ts';
import { recordedFleet } from '../daemon/record/recorded-fleet.ts';
import { nothingWithheld } from '../daemon/record/verify/withheld-targets.ts';
import type { Fleet, FleetRecord } from '../engine/input.ts';
import { parseDuration } from '../engine/kernel/duration.ts';
import { planFleet } from '../engine/plan.ts';
import type { Assignment } from '../members/assignment.ts';
import { systemClock } from '../members/clock.ts';
import { providerOf } from '../members/upgrade/provider-setting.ts';
import { upgradeProvidersOf } from '../members/upgrade/providers.ts';
import { azureFromEnv } from './run/azure-identity.ts';
import { connectBy, managementNamed } from './run/management-clusters.ts';
import { membersNamed } from './run/members-named.ts';
import { noMemberReached } from './run/no-member-reached.ts';
import { CliError } from './terminal/exit.ts';
import { writeError } from './terminal/write.ts';
import { unobservedInput } from './unobserved-input.ts';

export interface ObserveOptions {
  readonly members: string;
  readonly clusterApi?: string;
  readonly timeout: string;
}

/** What was seen of every member, by name; `unreached`: the error if none responds. */
interface Observed {
  readonly observations: readonly ClusterObservation[];
  readonly unreached: string | undefined;
}

/** How to reach members: opened first, so that a mistake in an option is reported before anything is read. */
export async function openObserver(
  options: ObserveOptions,
): Promise<
  (of: { readonly fleet: Fleet; readonly record: FleetRecord; readonly commit: string }) => Promise<Observed>
> {
  const timeout = parseDuration(options.timeout);
  if (timeout === undefined)
    throw new CliError(`--timeout ${options.timeout} is not a duration: write for example 15s`);
  const connections = await membersNamed(options.members);
  const management = await managementNamed(options.clusterApi);
  const azure = await azureFromEnv();
  return async ({ fleet, record, commit }) => {
    const members = fleetMembers({
      connect: connectBy(connections, management),
      providers: upgradeProvidersOf({ management, azure }),
      clock: systemClock,
      pace: systemClock,
      changed: () => {},
      // It assigns nothing, so nothing can conflict with it.
      conflict: () => {},
      // It ends before the first list would be repeated.
      watchMembers: 0,
      recordAgeMs: 0,
    });
    try {
      await members.follow(fleet.members, fleet);
      members.assign(new Map(fleet.members.filter(providerOf).map(({ metadata }) => [metadata.name, [preflight]])));
      await members.looked(timeout);
      await members.settled(timeout);
      await members.sweep(timeout);
      const published = assignmentsOf(
        planFleet(
          unobservedInput({ now: new Date().toISOString(), commit, fleet: recordedFleet(fleet, record), record }),
        ),
        { ...nothingWithheld, isDoubtedOperation: () => true, pushed: false },
      );
      const observations = [...members.observations().values()]
        .map((observation) => inferPlacements(observation, published.get(observation.metadata.name) ?? []))
        .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
      for (const { metadata, reachable, cause } of observations)
        if (!reachable) writeError(`${metadata.name}: ${cause}\n`);
      return { observations, unreached: noMemberReached(members) };
    } finally {
      members.stop();
    }
  };
}

/** Offline plans may start an upgrade. */
const preflight: Assignment = { kind: 'preflight', key: 'preflight' };
