import type { Timestamp } from '../../api/meta.ts';
import { placementKey } from '../../api/placement.ts';
import type { StagedUpdateRun, UpdateRunStatus } from '../../api/staged.ts';
import type { Hold, PlannedRun } from '../plan-document.ts';
import { isInitialized, isOver } from '../update-run.ts';
import { plannedRun } from './advance-run.ts';
import { withCommits } from './run-commits.ts';
import { withReason } from './run-conditions.ts';

/**
 * Runs whose placement does not exist: they get Initialized=False for good, or fail if they were initialized (KubeFleet
 * updaterun/validation.go: parent placement not found). Where the placement's file is only invalid, without a last good
 * version, they wait.
 */
export function orphanRuns(request: {
  readonly runs: readonly StagedUpdateRun[];
  readonly recordedRuns: ReadonlyMap<string, StagedUpdateRun>;
  readonly placementIsRefused: (run: StagedUpdateRun) => boolean;
  readonly now: Timestamp;
  readonly commit: string;
}): {
  readonly runs: readonly PlannedRun[];
  readonly holds: readonly Hold[];
  readonly recorded: readonly StagedUpdateRun[];
} {
  const { runs, recordedRuns, placementIsRefused, now, commit } = request;
  const holds: Hold[] = [];
  const advanced = (run: StagedUpdateRun, before: UpdateRunStatus): StagedUpdateRun => {
    if (isOver(before)) return { ...run, status: before };
    if (!placementIsRefused(run)) return { ...run, status: withoutPlacement(run, before, now) };
    const { name, namespace } = run.metadata;
    holds.push({
      subject: { kind: run.kind, name, ...(namespace === undefined ? {} : { namespace }) },
      reason: 'NotFullyScheduled',
      message: `run ${name} is waiting for the file of placement ${run.spec.placementName} to become valid`,
    });
    return { ...run, status: before };
  };
  const recorded = runs.map((run) => {
    const before = recordedRuns.get(placementKey(run.metadata));
    // The commits by which it is verified stay, too: its placement may come back.
    return withCommits(advanced(run, before?.status ?? {}), { before, commit });
  });
  return { runs: recorded.map((run) => plannedRun(run, run.status ?? {})), holds, recorded };
}

const withoutPlacement = (run: StagedUpdateRun, status: UpdateRunStatus, now: Timestamp): UpdateRunStatus =>
  withReason(
    status,
    isInitialized(status) ? 'UpdateRunFailed' : 'UpdateRunInitializedFailed',
    `parent placement ${run.spec.placementName} not found`,
    now,
  );
