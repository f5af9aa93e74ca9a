import type { FleetRecord } from '../engine/input.ts';
import { readRecord } from '../repo/record-read.ts';
import { CliError, exitCodes } from './exit.ts';
import { openRepo } from './open-repo.ts';

export interface StatusOptions {
  readonly repo: string;
  readonly statusBranch?: string;
}

/** The status branch of a repo, read as the daemon would. */
export async function readStatus(
  options: StatusOptions,
): Promise<{ readonly record: FleetRecord; readonly files: ReadonlyMap<string, string> }> {
  const repo = await openRepo(options.repo, undefined, options.statusBranch);
  try {
    const files = await repo.statusFiles();
    if (files.size === 0) {
      throw new CliError(
        `${options.repo} has no branch ${options.statusBranch ?? 'fleet-status'} yet: it appears with the first pass of gitfleet run`,
        exitCodes.unreachable,
      );
    }
    return { record: readRecord(files).record, files };
  } finally {
    await repo.close();
  }
}
