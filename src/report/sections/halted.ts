import type { PlacementKey } from '../../api/meta.ts';
import { type PlacementRef, placementKey } from '../../api/placement.ts';
import type { StagedUpdateRun } from '../../api/staged.ts';
import { conditionIs } from '../../engine/kernel/condition.ts';
import { type Hold, type Plan, plannedUpgradeRuns, type RequestedApproval } from '../../engine/plan-document.ts';
import { endTimeOf, failedLast } from '../../engine/staged/not-rolled-out.ts';
import { isOver, placementOfRun } from '../../engine/update-run.ts';
import type { InEffect } from '../in-effect.ts';
import { haltOfState } from '../upgrades/halted.ts';
import { progressOf } from '../waits/progress-text.ts';

/**
 * Why nothing starts in a run of either kind until a file changes. A failed run needs someone. One that is stopped does not: someone
 * stopped it on purpose.
 */
export function haltOf({ kind, name, namespace }: Hold['subject'], plan: Plan): 'failed' | 'stopped' | undefined {
  if (kind === 'UpdateRun') {
    const run = plannedUpgradeRuns(plan).find((of) => of.name === name);
    return run && haltOfState(run.status.status);
  }
  const run = plan.runs.find((it) => it.kind === kind && it.name === name && it.namespace === namespace);
  if (conditionIs(run?.status.conditions, 'Succeeded', 'False')) return 'failed';
  const reason = progressOf(run?.status.conditions)?.reason;
  return reason === 'UpdateRunStopped' || reason === 'UpdateRunStopping' ? 'stopped' : undefined;
}

/**
 * Requests that need an approver now. A gate without a file opens by itself, and that of a run in which nothing starts is answered for
 * later: whoever continues the run, or stopped it, is reported apart.
 */
export const waitingApprovals = (approvals: InEffect['approvals'], plan: Plan): readonly RequestedApproval[] =>
  approvals.filter(({ file, subject }) => file !== undefined && haltOf(subject, plan) === undefined);

/** Staged runs that failed, with no later run of their placement. `listed`: placements for which a part of the page says so. */
export function failedRuns(all: Iterable<StagedUpdateRun>, listed: readonly PlacementRef[]): StagedUpdateRun[] {
  const known = new Set(listed.map(placementKey));
  return [...Map.groupBy(all, (run) => placementKey(placementOfRun(run)))].flatMap(([placement, runs]) => {
    const isOpen = runs.some(({ status }) => status === undefined || !isOver(status));
    return isOpen || known.has(placement) ? [] : (failedLast(runs) ?? []);
  });
}

/** Names of staged runs that are over and need nobody: they have succeeded, or a run of their placement that ended later has. */
export const supersededRuns = (all: Iterable<StagedUpdateRun>): ReadonlySet<PlacementKey> =>
  new Set(
    [...Map.groupBy(all, (run) => placementKey(placementOfRun(run))).values()].flatMap((runs) => {
      const over = runs.filter(({ status }) => status && isOver(status));
      const ends = over.filter((run) => failedLast([run]) === undefined).map(endTimeOf);
      const last = ends.sort().at(-1);
      return over.flatMap((run) => (last !== undefined && endTimeOf(run) <= last ? [placementKey(run.metadata)] : []));
    }),
  );
