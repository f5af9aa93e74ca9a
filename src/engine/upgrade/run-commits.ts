import type { UpdateRun } from '../../api/upgrade-run.ts';
import { commitsIn, withCommitsIn } from '../gate/recorded-commits.ts';
import { gateIn, gatesOf } from './gate-names.ts';

/** A run to be recorded, with the commit of this plan for what is new in it. `before`: as it was recorded last. */
export function withCommits(
  run: UpdateRun,
  { before, commit }: { readonly before: UpdateRun | undefined; readonly commit: string },
): UpdateRun {
  const { status, metadata } = run;
  if (status?.status.startTime === undefined) return run;
  const known = before?.status?.status.startTime === undefined ? undefined : commitsIn(before.metadata.annotations);
  const passed = gatesOf(metadata.name, status)
    .filter((gate) => gateIn(status, gate).status.state === 'Completed')
    .map(({ name }) => name);
  return {
    ...run,
    metadata: { ...metadata, annotations: withCommitsIn(metadata.annotations, { known, passed, commit }) },
  };
}
