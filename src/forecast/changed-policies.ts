import { maxFailuresAnnotation, onFailureAnnotation, progressDeadlineAnnotation } from '../api/run-annotations.ts';
import type { StagedUpdateRun } from '../api/staged.ts';
import { sourceKey } from '../engine/input.ts';
import { sameValue } from '../engine/kernel/same-value.ts';
import type { PlanResult } from '../engine/plan.ts';
import { isOver } from '../engine/update-run.ts';

/** What a staged update run does when clusters fail, as its annotations say. */
export interface FailurePolicy {
  readonly onFailure: string;
  /** A number, or a percentage. */
  readonly maxFailures: string;
  /** A duration. Absent: none. */
  readonly progressDeadline?: string;
}

export interface ChangedPolicy {
  readonly run: string;
  /** Absent: the change adds the run. */
  readonly before?: FailurePolicy;
  readonly after: FailurePolicy;
}

/** Runs that are not over and get another policy, and new ones with one of their own. `before`, `after`: the first plans. */
export function changedPolicies(before: PlanResult, after: PlanResult): readonly ChangedPolicy[] {
  const known = new Map(before.contents.world.admitted.runs.map((run) => [keyOf(run), policyOf(run)]));
  const over = new Set(before.plan.runs.flatMap((run) => (isOver(run.status) ? [sourceKey(run.kind, run)] : [])));
  return after.contents.world.admitted.runs.flatMap((run): ChangedPolicy[] => {
    const key = keyOf(run);
    const [was, is] = [known.get(key), policyOf(run)];
    if (over.has(key) || sameValue(was ?? usual, is)) return [];
    return [{ run: run.metadata.name, ...(was && { before: was }), after: is }];
  });
}

const usual: FailurePolicy = { onFailure: 'stop', maxFailures: '0' };

function policyOf({ metadata: { annotations = {} } }: StagedUpdateRun): FailurePolicy {
  const progressDeadline = annotations[progressDeadlineAnnotation];
  return {
    onFailure: annotations[onFailureAnnotation] ?? usual.onFailure,
    maxFailures: annotations[maxFailuresAnnotation] ?? usual.maxFailures,
    ...(progressDeadline !== undefined && { progressDeadline }),
  };
}

const keyOf = ({ kind, metadata }: StagedUpdateRun): string => sourceKey(kind, metadata);
