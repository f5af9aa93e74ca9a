import type { StagedUpdateRun } from '../../api/staged.ts';
import { commitsIn, type RunCommits, withCommitsIn } from '../gate/recorded-commits.ts';
import { isInitialized } from '../update-run.ts';
import { gatesOf, isApproved, taskOf } from './approval/stage-gates.ts';

/** What the annotations of a recorded run name. */
export const commitsOf = ({ metadata }: StagedUpdateRun): RunCommits => commitsIn(metadata.annotations);

/** A run to be recorded, with the commit of this plan for what is new in it. `before`: as it was recorded last. */
export function withCommits(
  run: StagedUpdateRun,
  { before, commit }: { readonly before: StagedUpdateRun | undefined; readonly commit: string },
): StagedUpdateRun {
  const { status } = run;
  if (status === undefined || !isInitialized(status)) return run;
  const known = before?.status && isInitialized(before.status) ? commitsOf(before) : undefined;
  const passed = gatesOf(status.stagesStatus ?? []).flatMap((gate) => {
    const task = taskOf(status, gate);
    return task.approvalRequestName !== undefined && isApproved(task) ? [task.approvalRequestName] : [];
  });
  const annotations = withCommitsIn(run.metadata.annotations, { known, passed, commit });
  return { ...run, metadata: { ...run.metadata, annotations } };
}
