import { placementKey } from '../api/placement.ts';
import type { StagedUpdateRun } from '../api/staged.ts';
import type { PlanContents } from '../engine/delivery/plan-contents.ts';
import type { FleetRecord } from '../engine/input.ts';
import type { Hold } from '../engine/plan-document.ts';
import { recordedStageApproval } from '../engine/staged/approval/stage-approval.ts';
import { advancePlacementRuns } from '../engine/staged/placement-runs.ts';
import { placementOfRun } from '../engine/update-run.ts';
import { withApproval } from './steps.ts';

/**
 * What holds back the runs of a placement once an approval that one of them requests is given: they take their next step with it.
 * `approval`: `[ns.]name`; `record`: with what the plan of these contents recorded.
 */
export function holdsOnceApproved(
  run: StagedUpdateRun,
  approval: string,
  { contents: { works, world }, record }: { readonly contents: PlanContents; readonly record: FleetRecord },
): readonly Hold[] {
  const work = works.get(placementKey(placementOfRun(run)));
  const asked = record.approvals.get(approval);
  if (work === undefined || asked === undefined || asked.kind === 'Gate') return [];
  const input = { ...world.input, fleet: withApproval(world.input.fleet, recordedStageApproval(asked)) };
  return advancePlacementRuns(work, { ...world, record, input }, undefined).holds;
}
