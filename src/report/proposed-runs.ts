import type { FleetRecord } from '../engine/input.ts';
import type { ProposedRun } from '../engine/plan-document.ts';
import { proposedRun } from '../engine/upgrade/profile-run.ts';
import { sha256 } from '../repo/sha256.ts';

/** A run that a profile proposes, with the time and the message of its trigger. */
export interface Proposed {
  readonly run: ProposedRun;
  readonly at: string | undefined;
  readonly why: string | undefined;
}

/** Runs that recorded profiles propose, by name: a proposal has no file on the status branch. */
export const proposedRuns = ({ profiles }: Pick<FleetRecord, 'profiles'>): ReadonlyMap<string, Proposed> =>
  new Map(
    [...profiles.values()].flatMap((profile) => {
      const run = proposedRun(profile, sha256);
      const { lastTriggeredAt: at, lastTriggerMessage: why } = profile.status ?? {};
      return run === undefined ? [] : [[run.metadata.name, { run, at, why }] as const];
    }),
  );
