import type { FleetRecord } from '../../engine/input.ts';
import { branchRef } from '../../git/source.ts';
import { readFiles } from '../../git/status-branch.ts';
import { readRecord } from '../../repo/record/read.ts';
import { publishedTip } from '../fleet-repo/published-tip.ts';
import { inFolders } from '../status/open-status.ts';
import type { Desired } from './open-desired.ts';

/**
 * The record of the fleet that is to be changed; without a commit before the first reconciliation. With `folders` only the
 * files of those top folders, since a large fleet takes seconds to read.
 */
export async function recordFor(
  { branches }: Desired,
  statusBranch: string,
  folders?: readonly string[],
): Promise<FleetRecord> {
  const tip = await publishedTip(branches, statusBranch)();
  if (tip === undefined) return readRecord(new Map()).record;
  await branches.obtain(branchRef(statusBranch), tip);
  return readRecord(await readFiles(branches, tip, inFolders(folders))).record;
}
