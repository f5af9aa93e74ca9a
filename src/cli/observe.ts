import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClusterObservation } from '../api/observation.ts';
import { fleetMembers } from '../daemon/members.ts';
import { assignmentsOf } from '../daemon/pass/assignments.ts';
import { inferPlacements } from '../daemon/pass/inferred.ts';
import { contactOf } from '../daemon/pass/last-contact.ts';
import { recordedFleet } from '../daemon/record/recorded-fleet.ts';
import { nothingWithheld } from '../daemon/record/verify/withheld-targets.ts';
import { parseDuration } from '../engine/kernel/duration.ts';
import { planFleet } from '../engine/plan.ts';
import type { Assignment } from '../members/assignment.ts';
import { systemClock } from '../members/clock.ts';
import { providerOf } from '../members/upgrade/provider-setting.ts';
import { upgradeProvidersOf } from '../members/upgrade/providers.ts';
import { loadFleet } from '../repo/fleet/load-fleet.ts';
import { makeDirectory } from '../repo/make-directory.ts';
import { readRecord } from '../repo/record/read.ts';
import { sha256 } from '../repo/sha256.ts';
import { openRepo } from './fleet-repo/open-repo.ts';
import { azureFromEnv } from './run/azure-identity.ts';
import { connectBy, managementNamed } from './run/management-clusters.ts';
import { membersNamed } from './run/members-named.ts';
import { noMemberReached } from './run/no-member-reached.ts';
import { CliError, exitCodes } from './terminal/exit.ts';
import { print } from './terminal/output.ts';
import { writeError } from './terminal/write.ts';

/** Observes every member of the fleet once and writes the observations to files. Changes nothing. */
export async function observe(options: {
  readonly out: string;
  readonly repo: string;
  readonly ref?: string;
  readonly members: string;
  readonly clusterApi?: string;
  readonly timeout: string;
}): Promise<void> {
  const timeout = parseDuration(options.timeout);
  if (timeout === undefined)
    throw new CliError(`--timeout ${options.timeout} is not a duration: write for example 15s`);
  const connections = await membersNamed(options.members);
  const management = await managementNamed(options.clusterApi);
  const repo = await openRepo(options.repo, options);
  const members = fleetMembers({
    connect: connectBy(connections, management),
    providers: upgradeProvidersOf({ management, azure: await azureFromEnv() }),
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
    const fleet = await loadFleet(repo.tree);
    const { record } = readRecord(await repo.statusFiles());
    await members.follow(fleet.members, fleet);
    members.assign(new Map(fleet.members.filter(providerOf).map(({ metadata }) => [metadata.name, [preflight]])));
    await members.looked(timeout);
    await members.settled(timeout);
    await members.sweep(timeout);
    await makeDirectory(options.out);
    const { stringify } = await import('yaml');
    const published = assignmentsOf(
      planFleet({
        now: new Date().toISOString(),
        commit: repo.tree.id,
        fleet: recordedFleet(fleet, record),
        observations: undefined,
        upgradeObservations: undefined,
        record,
        unproven: new Map(),
        digest: sha256,
      }),
      { ...nothingWithheld, isDoubtedOperation: () => true },
    );
    const observations = [...members.observations().values()]
      .map((observation) => inferPlacements(observation, published.get(observation.metadata.name) ?? []))
      .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    for (const observation of observations) {
      await writeFile(
        join(options.out, `${observation.metadata.name}.yaml`),
        stringify(documentOf(observation), { lineWidth: 0, aliasDuplicateObjects: false }),
      );
    }
    const missing = observations.filter(({ reachable }) => !reachable);
    print(
      `${observations.length - missing.length} of ${observations.length} members observed, written to ${options.out}`,
    );
    for (const { metadata, cause } of missing) writeError(`${metadata.name}: ${cause}\n`);
    const unreached = noMemberReached(members);
    if (unreached !== undefined) throw new CliError(unreached, exitCodes.unreachable);
  } finally {
    members.stop();
    await repo.close();
  }
}

/** Offline plans may start an upgrade. */
const preflight: Assignment = { kind: 'preflight', key: 'preflight' };

/** Of a member that does not respond only the cause, and the time of the last contact if known. */
function documentOf(observation: ClusterObservation): object {
  if (observation.reachable) return observation;
  const { apiVersion, kind, metadata, observedAt, reachable, cause } = observation;
  return { apiVersion, kind, metadata, ...(contactOf(observation) !== undefined && { observedAt }), reachable, cause };
}
