import type { PlacementState } from '../../../api/placement-state.ts';
import { isFulfilled } from '../../../engine/kernel/condition.ts';
import { latestOf } from '../../../engine/kernel/latest-of.ts';
import { shortList } from '../../../engine/kernel/short-list.ts';
import { suspendedAnnotation } from '../../../engine/pause/placement-pause.ts';
import { isOver, isRunOf } from '../../../engine/update-run.ts';
import { titleOf } from '../../../repo/title-of.ts';
import { failureText } from '../../../report/cause.ts';
import { shortageOf } from '../../../report/shortage.ts';
import { suspendedText } from '../../../report/suspensions.ts';
import { failedRunText } from '../../../report/waits/no-run.ts';
import { progressText } from '../../../report/waits/progress-text.ts';
import type { KnownPlacement } from '../../status/known-placements.ts';
import type { Status } from '../../status/open-status.ts';

/**
 * Why a placement is not as desired on all clusters that it requires: it is short of clusters or suspended, what its update run
 * is doing, the first object that fails, or what its conditions say of which clusters. Undefined where it is as desired.
 */
export function reasonOf(placement: KnownPlacement, { record }: Pick<Status, 'record'>): string | undefined {
  const { object, state, title } = placement;
  if (shortageOf(state)) return `Not enough clusters: explain placement ${title}`;
  const suspended = object?.metadata.annotations?.[suspendedAnnotation];
  if (suspended !== undefined) return suspendedText(suspended);
  const runs = [...record.runs.values()].filter((each) => isRunOf(each, placement));
  const run = runs.find((each) => !isOver(each.status ?? {}));
  if (run) return `${titleOf(run.metadata)}: ${progressText(run.status)}`;
  const unmet = object?.status?.conditions?.find(({ status }) => status !== 'True');
  if (unmet === undefined) return undefined;
  const late = lateBindings(state);
  const failing = late.flatMap(({ targetCluster, failedPlacements: [first] = [] }) =>
    first ? [`${targetCluster}: ${failureText(first)}`] : [],
  );
  if (failing.length > 0) return `${failing[0]}${failing.length > 1 ? `; and ${failing.length - 1} more` : ''}`;
  // KubeFleet's reason of an External placement names only who is in charge.
  const reason =
    unmet.reason === 'RolloutControlledByExternalController' ? (failedRunText(runs) ?? 'no update run') : unmet.reason;
  return late.length === 0 ? reason : `${reason}: ${shortList(late.map(({ targetCluster }) => targetCluster))}`;
}

/** `2/3`: clusters on which it is available, or compared, of all that its policy requires. */
export function upOf(state: PlacementState): string {
  const wanted = wantedBindings(state);
  const up = wanted.length - lateBindings(state).length;
  return `${up}/${Math.max(wanted.length, shortageOf(state)?.wanted ?? 0)}`;
}

/** `1`, or `0 → 1` while some clusters have an older snapshot than the latest. */
export function snapshotsOf(state: PlacementState): string | undefined {
  const latest = latestOf(state.resourceSnapshots)?.index;
  if (latest === undefined) return undefined;
  const others = wantedBindings(state).flatMap(({ resourceSnapshotIndex: index = latest }) =>
    index === latest ? [] : index,
  );
  return others.length === 0 ? `${latest}` : `${[...new Set(others)].sort((a, b) => a - b).join(', ')} → ${latest}`;
}

const wantedBindings = ({ bindings }: PlacementState) =>
  bindings.filter(({ state, deleting }) => state !== 'Unscheduled' && !deleting);

const lateBindings = (state: PlacementState) =>
  wantedBindings(state).filter(({ conditions }) => !isFulfilled(conditions));
