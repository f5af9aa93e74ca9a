import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClusterObservation } from '../api/observation.ts';
import { contactOf } from '../daemon/pass/last-contact.ts';
import { loadFleet } from '../repo/fleet/load-fleet.ts';
import { makeDirectory } from '../repo/make-directory.ts';
import { readRecord } from '../repo/record/read.ts';
import { openRepo } from './fleet-repo/open-repo.ts';
import { type ObserveOptions, openObserver } from './observe-members.ts';
import { CliError, exitCodes } from './terminal/exit.ts';
import { print } from './terminal/output.ts';

/** Observes every member of the fleet once and writes the observations to files. Changes nothing. */
export async function observe(
  options: ObserveOptions & {
    readonly out: string;
    readonly repo: string;
    readonly path?: string;
    readonly ref?: string;
  },
): Promise<void> {
  const observeMembers = await openObserver(options);
  const repo = await openRepo(options.repo, { path: options.path, ref: options.ref });
  try {
    const fleet = await loadFleet(repo.tree);
    const { record } = readRecord((await repo.published()).files);
    const { observations, unreached } = await observeMembers({ fleet, record, commit: repo.tree.id });
    await makeDirectory(options.out);
    const { stringify } = await import('yaml');
    for (const observation of observations)
      await writeFile(
        join(options.out, `${observation.metadata.name}.yaml`),
        stringify(documentOf(observation), { lineWidth: 0, aliasDuplicateObjects: false }),
      );
    const reached = observations.filter(({ reachable }) => reachable);
    print(`${reached.length} of ${observations.length} members observed, written to ${options.out}`);
    if (unreached !== undefined) throw new CliError(unreached, exitCodes.unreachable);
  } finally {
    await repo.close();
  }
}

/** Of a member that does not respond only the cause, and the time of the last contact if known. */
function documentOf(observation: ClusterObservation): object {
  if (observation.reachable) return observation;
  const { apiVersion, kind, metadata, observedAt, reachable, cause } = observation;
  return { apiVersion, kind, metadata, ...(contactOf(observation) !== undefined && { observedAt }), reachable, cause };
}
