import { placementKey } from '../../api/placement.ts';
import type { StagedUpdateRun, UpdateRunStatus } from '../../api/staged.ts';
import { findCondition } from '../kernel/condition.ts';
import { parseInstant } from '../kernel/instant.ts';
import { byText } from '../kernel/ordering.ts';
import { isInitialized, isOver } from '../update-run.ts';

/** Whether a run has started and is neither over nor stopped: no other run of the placement may move anything. */
export function isActive(status: UpdateRunStatus | undefined): boolean {
  if (status === undefined || !isInitialized(status) || isOver(status)) return false;
  const progressing = findCondition(status.conditions, 'Progressing');
  return progressing !== undefined && progressing.reason !== 'UpdateRunStopped';
}

/**
 * The order in which the runs of one placement advance: active runs first, the one that started first before the others, then
 * by name (docs/compatibility.md; in KubeFleet the last writer wins).
 */
export function inExecutionOrder(
  runs: readonly StagedUpdateRun[],
  statusOf: (run: StagedUpdateRun) => UpdateRunStatus | undefined,
): readonly StagedUpdateRun[] {
  const rank = (run: StagedUpdateRun): readonly [number, number, string] => {
    const status = statusOf(run);
    return isActive(status) ? [0, startedAt(status), placementKey(run.metadata)] : [1, 0, placementKey(run.metadata)];
  };
  return runs
    .map((run) => ({ run, rank: rank(run) }))
    .sort((a, b) => a.rank[0] - b.rank[0] || a.rank[1] - b.rank[1] || byText(a.rank[2], b.rank[2]))
    .map(({ run }) => run);
}

function startedAt(status: UpdateRunStatus | undefined): number {
  const times = (status?.stagesStatus ?? []).map(({ startTime }) => parseInstant(startTime ?? ''));
  const known = times.filter((time) => time !== undefined);
  if (known.length > 0) return Math.min(...known);
  const progressing = findCondition(status?.conditions, 'Progressing')?.lastTransitionTime;
  return parseInstant(progressing ?? '') ?? Number.MAX_SAFE_INTEGER;
}
