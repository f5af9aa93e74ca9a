import type { RecordedPlacement } from '../input.ts';
import { sameMaps, sameValue } from '../kernel/same-value.ts';
import { documentAt, type Outcome, stateOf } from '../placement-outcome.ts';
import { isRebuilt } from '../selection/rebuilt.ts';
import type { BindingStep, PlacementWork } from '../working.ts';

/**
 * Whether an outcome is the record it was made from: nothing moves, nothing waits, nothing is to be told. Then every time in
 * it was taken from the record, so that a later plan from the same record and the same facts says the same. What follows
 * rules beyond one placement and its clusters (update runs, reports into a namespace, statuses mirrored from members) is
 * left out whether it would stand or not.
 */
export function isRestful(outcome: Outcome, recorded: RecordedPlacement): boolean {
  const { work } = outcome;
  const { spec } = work.placement;
  return (
    work.selection.ok &&
    spec.strategy.type === 'RollingUpdate' &&
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

/** Otherwise what its cluster shows stands for it, and whose that is depends on other placements. */
const isKnown = ({ binding: { resourceSnapshotIndex: index } }: BindingStep, { contents }: PlacementWork): boolean =>
  index === undefined || contents.has(index);

const isStill = ({ move, binding }: BindingStep): boolean =>
  move === 'keep' &&
  binding.state === 'Bound' &&
  !binding.deleting &&
  binding.assignedAt === undefined &&
  binding.deletionTimestamp === undefined;
