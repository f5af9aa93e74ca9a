import { type PlacementRef, placementKey, refOf } from '../../api/placement.ts';
import type { ApprovalRequest, StagedUpdateRun } from '../../api/staged.ts';
import { movedAsObserved } from '../bindings/present-bindings.ts';
import { successorReplacesRemaining } from '../bindings/successor.ts';
import { sourceKey } from '../input.ts';
import { latestOf } from '../kernel/latest-of.ts';
import { memoize } from '../kernel/memoize.ts';
import { unseenUntil } from '../observed.ts';
import { placementPause } from '../pause/placement-pause.ts';
import type { PlacementWork } from '../placement-work.ts';
import { overridesFor } from '../rollout/overrides-for.ts';
import { snapshotForRun } from '../rollout/snapshot-resources.ts';
import { placementOfRun } from '../update-run.ts';
import { unavailableByUpgrade, type World } from '../world.ts';
import { advanceRuns, type RunsOutcome } from './advance-runs.ts';
import { stageGateInput } from './approval/answer.ts';
import { lastGoodVersionsIn } from './last-good-versions.ts';
import { repoDigest } from './return.ts';

export type { RunsOutcome };

/** Advances the update runs of one placement. `before`: their outcome in an earlier round of the same plan. */
export function advancePlacementRuns(work: PlacementWork, world: World, before: RunsOutcome | undefined): RunsOutcome {
  const ref = refOf(work.placement);
  const runs = runsOf(ref, world);
  if (runs.length === 0 && work.placement.spec.strategy.type !== 'External') {
    return { work, runs: [], approvals: [], holds: [], wakes: [], problems: [], recorded: [] };
  }
  const recordedRuns = before
    ? new Map(before.recorded.map((run) => [placementKey(run.metadata) as string, run]))
    : world.record.runs;
  return advanceRuns(work, {
    runs,
    recordedRuns,
    strategies: world.input.fleet.strategies,
    approvals: world.input.fleet.approvals,
    recordedApprovals: stageApprovals(world.record),
    clusters: clustersOf(world.members),
    upgrading: world.upgrading,
    isUnavailable: unavailableByUpgrade(world),
    now: world.input.now,
    commit: world.input.commit,
    pause: placementPause(work, world),
    digest: world.input.digest,
    observed: (present) => movedAsObserved(present, world),
    unseenUntil: (present, binding) => unseenUntil(binding, refOf(present.placement), world.input),
    lastGoodIn: (taken) => lastGoodVersionsIn(taken, { holds: world.admitted.holds, fleet: world.input.fleet }),
    repoDigest: (present) => repoDigest(present, world),
    takeSnapshot: (present) => snapshotForRun(present, world),
    overridesFor(present, cluster, index) {
      const latest = latestOf(present.resourceSnapshots);
      const entry = present.resourceSnapshots.find((candidate) => candidate.index === index);
      // A rollback uses the override snapshots last used with that index (docs/compatibility.md, Staged update runs).
      const pinned = entry && entry !== latest ? entry.overrides : undefined;
      return overridesFor(present, world, index, pinned)(cluster);
    },
    replacesRemaining: (present, leaving, successor) => successorReplacesRemaining(present, leaving, successor, world),
    budgets: world.input.fleet.budgets,
    refused: world.input.fleet.refused,
    ...stageGateInput(world.input.fleet),
    recordLost: world.recordLost,
    unread: world.record.unread?.runs,
    sources: world.input.fleet.sources,
  });
}

/** One list for all placements of a plan, so that what is memoized by it is computed once. */
const clustersOf = memoize((members: World['members']) =>
  [...members.values()].map(({ name, labels, leaving }) => ({ name, labels, left: leaving })),
);

/** Recorded approvals of staged runs. */
const stageApprovals = memoize(
  ({ approvals }: World['record']): ReadonlyMap<string, ApprovalRequest> =>
    new Map([...approvals].flatMap(([key, it]) => (it.kind === 'Gate' ? [] : [[key, it] as const]))),
);

/** The update runs of a placement, as admitted. */
export const runsOf = (placement: PlacementRef, { admitted }: World): readonly StagedUpdateRun[] =>
  byPlacement(admitted).get(keyOfPlacement(placement)) ?? [];

const byPlacement = memoize(({ runs }: World['admitted']) =>
  Map.groupBy(runs, (run) => keyOfPlacement(placementOfRun(run))),
);

export const keyOfPlacement = (placement: PlacementRef): string => sourceKey(placement.kind, placement);
