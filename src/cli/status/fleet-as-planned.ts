import type { Fleet } from '../../engine/input.ts';
import { resolveCommit } from '../../git/resolve-commit.ts';
import { loadFleet } from '../../repo/fleet/load-fleet.ts';
import type { Status, StatusReader } from './open-status.ts';

/** The fleet at the commit that the status was planned from; undefined where that is not known here. A large fleet takes seconds. */
export async function fleetAsPlanned(
  { record: { commit: planned } }: Status,
  { branches, folder }: StatusReader,
): Promise<Fleet | undefined> {
  if (planned === undefined) return undefined;
  const commit = await resolveCommit(branches, planned).catch(() => undefined);
  return commit === undefined ? undefined : loadFleet(await branches.objects.files(commit, folder));
}
