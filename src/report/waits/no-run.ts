import type { StagedUpdateRun } from '../../api/staged.ts';
import { failedLast } from '../../engine/staged/not-rolled-out.ts';
import { titleOf } from '../../repo/title-of.ts';

/** `update run web-1 failed`, of the runs of an External placement that are all over; undefined: none did since. */
export function failedRunText(runs: readonly StagedUpdateRun[]): string | undefined {
  const failed = failedLast(runs);
  return failed && `update run ${titleOf(failed.metadata)} failed`;
}
