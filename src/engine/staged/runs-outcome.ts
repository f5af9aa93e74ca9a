import type { PlacementKey } from '../../api/meta.ts';
import { placementKey, refOf } from '../../api/placement.ts';
import type { StagedUpdateRun } from '../../api/staged.ts';
import type { SectionOutcome } from '../domain.ts';
import { findCondition } from '../kernel/condition.ts';
import { by } from '../kernel/ordering.ts';
import type { PlannedRun } from '../plan-document.ts';
import { directoryOf, objectDocument } from '../record/documents.ts';
import { isOver, isRunOf, placementOfRun } from '../update-run.ts';
import type { World } from '../world.ts';
import { approvalKind } from './approval/answer.ts';
import { recordedStageApproval, type StageApproval } from './approval/stage-approval.ts';
import { orphanRuns } from './orphan-runs.ts';
import { keyOfPlacement, type RunsOutcome } from './placement-runs.ts';
import { allStages, hasStarted } from './step.ts';

/** The outcome of all update runs, including those whose placement does not exist. */
export function runsOutcome(
  advanced: ReadonlyMap<PlacementKey, RunsOutcome>,
  world: World,
): SectionOutcome<'runs'> & { /** As they will be recorded. */ readonly recorded: readonly StagedUpdateRun[] } {
  const all = [...advanced.values()];
  const orphans = runsWithoutPlacement(world);
  const recorded = [...all.flatMap((outcome) => outcome.recorded), ...orphans.recorded];
  const runs = [...all.flatMap((outcome) => outcome.runs), ...orphans.runs].sort(by(keyOf));
  const objects = recorded.map((run) => ({ name: placementKey(run.metadata), document: objectDocument(run) }));
  return {
    holds: [...all.flatMap(({ holds }) => holds), ...orphans.holds],
    wakes: all.flatMap(({ wakes }) => wakes),
    problems: all.flatMap(({ problems }) => problems),
    documents: directoryOf('runs', objects, world.input.digest),
    approvals: [
      ...all.flatMap(({ approvals }) => approvals),
      ...orphans.recorded.flatMap((run) => decidedOf(run, world)),
    ],
    targets: [],
    section: runs,
    digested: () => runs,
    // A plan that waits for its push must not keep what it started before a freeze or a stop, also where the cluster has it already.
    starts: recorded.some((run) => startedIn(run) > startedIn(world.record.runs.get(placementKey(run.metadata)))),
    recorded,
  };
}

/** Recorded approvals of a run that is over, and whose placement is gone: they were decided. */
function decidedOf(run: StagedUpdateRun, { record }: World): StageApproval[] {
  if (run.status === undefined || !isOver(run.status)) return [];
  const { name, namespace } = run.metadata;
  return [...record.approvals.values()].flatMap((recorded) =>
    recorded.kind === approvalKind(run) &&
    recorded.metadata.namespace === namespace &&
    recorded.spec.parentStageRollout === name &&
    findCondition(recorded.status?.conditions, 'Approved')
      ? [recordedStageApproval(recorded)]
      : [],
  );
}

/** So many clusters have started. */
const startedIn = (run: StagedUpdateRun | undefined): number =>
  allStages(run?.status ?? {}).reduce((sum, { clusters }) => sum + clusters.filter(hasStarted).length, 0);

const keyOf = (run: PlannedRun): string => `${run.kind}/${placementKey(run)}`;

/** Runs that name a placement which does not exist. */
function runsWithoutPlacement(world: World): ReturnType<typeof orphanRuns> {
  const { admitted, input, record } = world;
  const present = new Set(admitted.placements.map((placement) => keyOfPlacement(refOf(placement))));
  const runs = admitted.runs.filter((run) => !present.has(keyOfPlacement(placementOfRun(run))));
  return orphanRuns({
    runs,
    recordedRuns: record.runs,
    placementIsRefused: (run) =>
      input.fleet.unreadable.length > 0 ||
      input.fleet.refused.some((ref) => ref.kind.endsWith('ResourcePlacement') && isRunOf(run, ref)),
    now: input.now,
    commit: input.commit,
  });
}
