import { placementKey } from '../../api/placement.ts';
import { documentAt, type PlacementOutcome, stateOf } from '../delivery/placement-outcome.ts';
import type { FleetRecord, RecordedPlacement } from '../input.ts';
import { sameMaps, sameValue } from '../kernel/same-value.ts';
import type { BindingStep, PlacementWork } from '../placement-work.ts';
import { isRebuilt } from '../recovery/rebuilt-snapshot.ts';
import type { RunsOutcome } from '../staged/placement-runs.ts';

/**
 * Whether an outcome equals the record it was planned from: nothing moves, nothing is reported, and bindings wait for an update
 * run only. Then all its times are recorded ones, so that a later plan from the same record and the same facts is equal too.
 * Placements that depend on more than themselves, their runs and their clusters (reports into a namespace, statuses mirrored
 * from members) never count as unchanged.
 */
export function isUnchangedOutcome(outcome: PlacementOutcome, recorded: RecordedPlacement): boolean {
  const { work } = outcome;
  const { spec } = work.placement;
  const isStill = spec.strategy.type === 'External' ? isLeftToRuns : isSettled;
  return (
    work.selection.ok &&
    spec.statusReportingScope === 'ClusterScopeOnly' &&
    (spec.strategy.reportBackStrategy?.type ?? 'Disabled') === 'Disabled' &&
    recorded.inNamespace === undefined &&
    (recorded.mirrored?.size ?? 0) === 0 &&
    work.holds.length === 0 &&
    work.problems.length === 0 &&
    work.bindings.every((step) => isStill(step) && isKnown(step, work)) &&
    !work.resourceSnapshots.some(({ index }) => isRebuilt(work.resourceSnapshots, index)) &&
    sameMaps(work.contents, recorded.snapshots, sameValue) &&
    sameValue(stateOf(outcome), recorded.state) &&
    sameValue(documentAt(outcome, 'status.yaml')?.value, recorded.object)
  );
}

/** Unknown contents are replaced by the objects that the cluster shows, and their owners depend on other placements. */
const isKnown = ({ binding: { resourceSnapshotIndex: index } }: BindingStep, { contents }: PlacementWork): boolean =>
  index === undefined || contents.has(index);

const isSettled = (step: BindingStep): boolean =>
  step.move === 'keep' && step.binding.state === 'Bound' && isUntouched(step);

/** Under External a binding does not change, picked or not, until a run updates it. */
const isLeftToRuns = (step: BindingStep): boolean =>
  (step.move === 'keep' || step.move === 'wait') && isUntouched(step);

const isUntouched = ({ binding }: BindingStep): boolean =>
  !binding.deleting && binding.assignedAt === undefined && binding.deletionTimestamp === undefined;

/** Whether the update runs of a placement equal their records. */
export const areRunsUnchanged = ({ problems, recorded, approvals }: RunsOutcome, record: FleetRecord): boolean =>
  problems.length === 0 &&
  recorded.every((run) => sameValue(run, record.runs.get(placementKey(run.metadata)))) &&
  approvals.every(({ planned, document }) => sameValue(document?.value, record.approvals.get(placementKey(planned))));
