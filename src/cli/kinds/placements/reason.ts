import type { Binding, PlacementState } from '../../../api/placement-state.ts';
import type { StagedUpdateRun } from '../../../api/staged.ts';
import { parseIndex } from '../../../api/syntax.ts';
import { findCondition, isFulfilled } from '../../../engine/kernel/condition.ts';
import { latestOf } from '../../../engine/kernel/latest-of.ts';
import { shortList } from '../../../engine/kernel/short-list.ts';
import { suspendedAnnotation } from '../../../engine/pause/placement-pause.ts';
import { isActive } from '../../../engine/staged/execution-order.ts';
import { isBringing } from '../../../engine/staged/step.ts';
import { isOver, isRunOf } from '../../../engine/update-run.ts';
import { titleOf } from '../../../repo/title-of.ts';
import { failureText } from '../../../report/cause.ts';
import { deliveryReason } from '../../../report/placements/delivery-reason.ts';
import { shortageOf } from '../../../report/shortage.ts';
import { suspendedText } from '../../../report/suspensions.ts';
import { failedRunText, needsRunText } from '../../../report/waits/no-run.ts';
import { progressOf, runProgress } from '../../../report/waits/progress-text.ts';
import type { KnownPlacement } from '../../status/known-placements.ts';
import type { Status } from '../../status/open-status.ts';

/**
 * Why a placement is not as desired on all clusters that it requires: it is short of clusters or suspended, what its update run
 * is doing, the first object that fails, or what its conditions say of which clusters; and what no update run brings, which
 * conditions do not show. Undefined where it is as desired.
 */
export function reasonOf(
  placement: KnownPlacement,
  status: Pick<Status, 'record' | 'holds' | 'unreachable' | 'notRolledOut'>,
): string | undefined {
  const missing = needsRunText(placement, status.notRolledOut);
  const reasons = [shownReason(placement, status, missing !== undefined), missing];
  return reasons.some((one) => one !== undefined) ? reasons.filter((one) => one !== undefined).join('; ') : undefined;
}

function shownReason(
  placement: KnownPlacement,
  { record, holds, unreachable }: Pick<Status, 'record' | 'holds' | 'unreachable'>,
  needsRun: boolean,
): string | undefined {
  const { object, state, title } = placement;
  if (shortageOf(state)) return `Not enough clusters: explain placement ${title}`;
  const suspended = object?.metadata.annotations?.[suspendedAnnotation];
  if (suspended !== undefined) return suspendedText(suspended);
  const runs = [...record.runs.values()].filter((each) => isRunOf(each, placement));
  const open = runs.filter(({ status }) => !isOver(status ?? {}));
  const run = open.find(({ status }) => progressOf(status?.conditions)) ?? open[0];
  if (run) {
    const more = open.length > 1 ? `; and ${open.length - 1} more` : '';
    return `${titleOf(run.metadata)}: ${runProgress({ ...run, ...run.metadata }, holds)}${more}`;
  }
  const unmet = object?.status?.conditions?.find(({ status }) => status !== 'True');
  if (unmet === undefined) return undefined;
  const wanted = wantedBindings(state);
  const failing = lateBindings(state).flatMap(({ targetCluster, failedPlacements: [first] = [] }) =>
    first ? [`${targetCluster}: ${failureText(first)}`] : [],
  );
  if (failing.length > 0) return `${failing[0]}${failing.length > 1 ? `; and ${failing.length - 1} more` : ''}`;
  // KubeFleet's reason of an External placement names only who is in charge.
  if (needsRun && unmet.reason === 'RolloutControlledByExternalController') return undefined;
  const down = wanted.filter(({ targetCluster }) => unreachable.has(targetCluster));
  const unfulfilled = wanted.filter((binding) => !down.includes(binding) && !hasReached(unmet.type, binding));
  const reason =
    unmet.reason === 'RolloutControlledByExternalController'
      ? (failedRunText(runs) ?? 'no update run')
      : deliveryReason(
          unmet,
          unfulfilled.map(({ conditions }) => conditions),
        );
  const parts = [
    ...(down.length === 0 ? [] : [`not responding: ${namesOf(down)}`]),
    ...(unfulfilled.length === 0 ? [] : [`${reason}: ${namesOf(unfulfilled)}`]),
  ];
  return parts.length === 0 ? reason : parts.join('; ');
}

/** Whether a cluster has what its placement lacks. One that is available may still wait for its next snapshot. */
function hasReached(type: string, { conditions }: Binding): boolean {
  const own = findCondition(conditions, type);
  return own ? own.status === 'True' : isFulfilled(conditions);
}

const namesOf = (bindings: readonly Binding[]): string => shortList(bindings.map(({ targetCluster }) => targetCluster));

/** `2/3`: clusters on which it is available, or compared, of all that its policy requires. */
export function upOf(state: PlacementState): string {
  const wanted = wantedBindings(state);
  const up = wanted.length - lateBindings(state).length;
  return `${up}/${Math.max(wanted.length, shortageOf(state)?.wanted ?? 0)}`;
}

/**
 * `1`, or `0 → 1` while some clusters have another snapshot than the one that they are to get, which an update run says; `0, 1` where
 * none is to get another, or each is to return to its own.
 */
export function snapshotsOf(
  placement: KnownPlacement,
  status: Pick<Status, 'record' | 'notRolledOut'>,
): string | undefined {
  const { state } = placement;
  const latest = latestOf(state.resourceSnapshots)?.index;
  if (latest === undefined) return undefined;
  const run = runBringing(placement, status.record)?.status;
  const target = parseIndex(run?.resourceSnapshotIndexUsed ?? '') ?? latest;
  const indexes = wantedBindings(state).map(({ resourceSnapshotIndex: index = target }) => index);
  const all = [...new Set(indexes)].sort((a, b) => a - b);
  const others = all.filter((index) => index !== target);
  if (others.length === 0) return `${target}`;
  return run?.rollbackStatus !== undefined || isReturned(placement, status)
    ? all.join(', ')
    : `${others.join(', ')} → ${target}`;
}

/** Whether clusters run an earlier snapshot than the latest as desired: update runs brought it, and none is to bring another. */
export function isReturned(
  placement: KnownPlacement,
  { record, notRolledOut }: Pick<Status, 'record' | 'notRolledOut'>,
): boolean {
  return (
    placement.object?.spec.strategy.type === 'External' &&
    needsRunText(placement, notRolledOut) === undefined &&
    runBringing(placement, record) === undefined
  );
}

/** The one in progress, where several are not over. */
function runBringing(placement: KnownPlacement, { runs }: Status['record']): StagedUpdateRun | undefined {
  const open = [...runs.values()].filter((run) => isRunOf(run, placement) && isBringing(run));
  return open.find(({ status }) => isActive(status)) ?? open[0];
}

const wantedBindings = ({ bindings }: PlacementState) =>
  bindings.filter(({ state, deleting }) => state !== 'Unscheduled' && !deleting);

const lateBindings = (state: PlacementState) =>
  wantedBindings(state).filter(({ conditions }) => !isFulfilled(conditions));
