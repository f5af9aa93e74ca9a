import { placementKey } from '../api/placement.ts';
import type { StagedUpdateRun } from '../api/staged.ts';
import type { PlanContents } from '../engine/delivery/plan-contents.ts';
import type { FleetRecord } from '../engine/input.ts';
import type { Hold } from '../engine/plan-document.ts';
import { recordedStageApproval } from '../engine/staged/approval/stage-approval.ts';
import { advancePlacementRuns } from '../engine/staged/placement-runs.ts';
import { placementOfRun } from '../engine/update-run.ts';

/**
 * What holds back a run once an approval that it requests is given: the runs of its placement take their next step with it. `approval`:
 * `[ns.]name`; `record`: with what the plan of these contents recorded.
 */
export function holdsOnceApproved(
  run: StagedUpdateRun,
  approval: string,
  { contents: { works, world }, record }: { readonly contents: PlanContents; readonly record: FleetRecord },
): readonly Hold[] {
  const work = works.get(placementKey(placementOfRun(run)));
  const asked = record.approvals.get(approval);
  if (work === undefined || asked === undefined || asked.kind === 'Gate') return [];
  const { object } = recordedStageApproval(asked).file;
  const { fleet } = world.input;
  const others = fleet.approvals.filter(({ metadata }) => placementKey(metadata) !== approval);
  const input = { ...world.input, fleet: { ...fleet, approvals: [...others, object] } };
  return advancePlacementRuns(work, { ...world, record, input }, undefined).holds.filter(
    ({ subject: { kind, name, namespace } }) =>
      kind === run.kind && name === run.metadata.name && namespace === run.metadata.namespace,
  );
}
