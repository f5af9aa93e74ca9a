import { type PlacementRef, placementKey } from '../api/placement.ts';
import type { ApprovalRequest, StagedUpdateRun } from '../api/staged.ts';
import { decisionIn } from '../engine/gate/decision.ts';
import { type Fleet, sourceKey } from '../engine/input.ts';
import { findCondition } from '../engine/kernel/condition.ts';
import type { PlanResult } from '../engine/plan.ts';
import type { Plan } from '../engine/plan-document.ts';
import { approvalsOf } from '../engine/staged/approval/answer.ts';
import { stateOf } from '../engine/staged/run-state.ts';
import { isOver, placementOfRun } from '../engine/update-run.ts';

/** A staged update run in progress that a change of the fleet repo ends. */
export interface StoppedRun {
  readonly run: string;
  readonly placement: PlacementRef;
  /** Its `state` became Stop; its file is gone; or one of its approvals is rejected. */
  readonly by: 'stop' | 'removal' | 'rejection';
}

const runsOver = ({ runs }: Plan): ReadonlySet<string> =>
  new Set(runs.flatMap((run) => (isOver(run.status) ? [sourceKey(run.kind, run)] : [])));

/** Those of a plan that do not go on with the next fleet. `planned`: the plan of that fleet now; not every rejection counts. */
export function stoppedRuns(
  { plan, contents }: PlanResult,
  { next, planned }: { readonly next: Fleet; readonly planned: () => PlanResult },
): StoppedRun[] {
  const { admitted, input } = contents.world;
  const over = runsOver(plan);
  const files = new Map(next.runs.map((run) => [sourceKey(run.kind, run.metadata), run]));
  const refused = new Set(next.refused.map((ref) => sourceKey(ref.kind, ref)));
  const rejectedOf = (run: StagedUpdateRun, all: readonly ApprovalRequest[]): readonly string[] =>
    approvalsOf(run, all).flatMap((file) => (decisionIn(file) === 'rejected' ? [file.metadata.name] : []));
  return admitted.runs.flatMap((run): StoppedRun[] => {
    const key = sourceKey(run.kind, run.metadata);
    if (over.has(key) || refused.has(key)) return [];
    const file = files.get(key);
    const known = new Set(rejectedOf(run, input.fleet.approvals));
    const goesOn = !isStopped(run);
    const by = !file
      ? goesOn && ('removal' as const)
      : goesOn && isStopped(file)
        ? ('stop' as const)
        : rejectedOf(run, next.approvals).some((name) => !known.has(name)) && isEndedByRejection(planned().plan, key)
          ? ('rejection' as const)
          : false;
    return by === false ? [] : [{ run: placementKey(run.metadata), placement: placementOfRun(run), by }];
  });
}

const isEndedByRejection = ({ runs }: Plan, key: string): boolean =>
  runs.some(
    (run) =>
      sourceKey(run.kind, run) === key &&
      (run.status.rollbackStatus ?? findCondition(run.status.conditions, 'Succeeded'))?.reason === 'ApprovalRejected',
  );

const isStopped = (run: StagedUpdateRun): boolean => stateOf(run) !== 'Run';
