import type { FleetRecord } from '../engine/input.ts';
import type { ProposedRun } from '../engine/plan-document.ts';
import { proposedRun } from '../engine/upgrade/profile-run.ts';
import { sha256 } from '../repo/sha256.ts';

/** Runs that recorded profiles propose, and the time of the proposal, by name: a proposal has no file on the status branch. */
export const proposedRuns = ({
  profiles,
}: Pick<FleetRecord, 'profiles'>): ReadonlyMap<
  string,
  { readonly run: ProposedRun; readonly at: string | undefined }
> =>
  new Map(
    [...profiles.values()].flatMap((profile) => {
      const run = proposedRun(profile, sha256);
      return run === undefined ? [] : [[run.metadata.name, { run, at: profile.status?.lastTriggeredAt }] as const];
    }),
  );
