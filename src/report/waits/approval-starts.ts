import { placementKey } from '../../api/placement.ts';
import type { PlacementState } from '../../api/placement-state.ts';
import type { ClusterUpdatingStatus, StagedUpdateRun, TaskStatus } from '../../api/staged.ts';
import type { PlanContents } from '../../engine/delivery/plan-contents.ts';
import { freezeOf } from '../../engine/freeze/freeze.ts';
import { conditionIs } from '../../engine/kernel/condition.ts';
import { formatDuration } from '../../engine/kernel/duration.ts';
import { listUpTo } from '../../engine/kernel/short-list.ts';
import { placementPause } from '../../engine/pause/placement-pause.ts';
import { isMereHold } from '../../engine/recovery/held-since-loss.ts';
import { rebuiltHash } from '../../engine/selection/content-hash.ts';
import { soakOf } from '../../engine/staged/execute/after-stage.ts';
import { hasSucceeded } from '../../engine/staged/execute/current-stage.ts';
import { stagesToReturn } from '../../engine/staged/execute/roll-back.ts';
import { isActive } from '../../engine/staged/execution-order.ts';
import { failuresAllowed, progressDeadlineOf, rollsBack } from '../../engine/staged/failure-policy.ts';
import { stateOf } from '../../engine/staged/run-state.ts';
import { hasFinished, hasStarted, isSkipped } from '../../engine/staged/step.ts';
import { isOver, isRunOf, placementOfRun } from '../../engine/update-run.ts';
import type { IsRemovedFrom } from '../../forecast/run-removals.ts';
import { titleOf } from '../../repo/title-of.ts';
import { clustersOf, namesOf, type Opened, openedBy, openedTexts, type StageAhead } from './opened.ts';
import { type StageTaskState, stageTasks } from './stage-tasks.ts';

/** Texts of a line that says what happens to stages. */
const mostStages = 10;

/**
 * Everything that the run does behind a gate, up to the next gate or its end. An earlier stage whose approval was withdrawn is not
 * passed: its gate is asked again, too.
 */
export function openedByTask(
  { status }: Pick<StagedUpdateRun, 'status'>,
  task: Pick<StageTaskState, 'stage' | 'timing'>,
  isRemovedFrom: IsRemovedFrom,
): Opened<ClusterUpdatingStatus> {
  const { stagesStatus = [], stagedUpdateStrategySnapshot: strategy, deletionStageStatus } = status ?? {};
  const own = stagesStatus.findIndex(({ stageName }) => stageName === task.stage);
  const { beforeStageTaskStatus: before = [], afterStageTaskStatus: after = [] } = stagesStatus[own] ?? {};
  // What was started by it may be finished.
  const isGiven = closedGates(task.timing === 'before' ? before : after).length === 0;
  const ahead = stagesStatus.flatMap((stage, at): StageAhead<ClusterUpdatingStatus>[] => {
    const { stageName: name, clusters: all, beforeStageTaskStatus = [], afterStageTaskStatus = [] } = stage;
    const isPassed = at < own ? hasSucceeded(stage) : at === own && task.timing === 'after';
    if (isPassed || all.length === 0) return [];
    const { maxConcurrency = 1, afterStageTasks = [] } = strategy?.stages[at] ?? {};
    const clusters = all.filter((cluster) => (isGiven ? !isSkipped(cluster) : !hasFinished(cluster)));
    const isEntered = at === own || clusters.length === 0 || all.some(hasStarted);
    const soakMs = Math.max(0, ...afterStageTasks.map(soakOf));
    return [
      {
        name,
        clusters,
        maxConcurrency,
        waits: [],
        before: isEntered ? [] : closedGates(beforeStageTaskStatus),
        ends: [],
        after: closedGates(afterStageTaskStatus),
        waitsAfter: soakMs === 0 ? [] : [`after a soak of ${formatDuration(soakMs)}`],
      },
    ];
  });
  return openedBy(
    ahead,
    deletionStageStatus?.clusters.filter(({ clusterName }) => isRemovedFrom(clusterName)),
  );
}

const closedGates = (tasks: readonly TaskStatus[]): string[] =>
  tasks.flatMap(({ type, conditions, approvalRequestName: name = '' }) =>
    type === 'Approval' && !conditionIs(conditions, 'ApprovalRequestApproved', 'True') ? [name] : [],
  );

/** What an approval starts, stage by stage, and what else must happen first. `pause`: what ends the pause of the placement. */
export function approvalStarts(
  run: StagedUpdateRun,
  task: StageTaskState,
  {
    isRemovedFrom,
    pause,
    refusal,
    runs,
  }: {
    readonly isRemovedFrom: IsRemovedFrom;
    readonly pause?: string | undefined;
    /** Why the guard may refuse what it starts. */
    readonly refusal?: string | undefined;
    /** Of all placements, as recorded. */
    readonly runs?: Iterable<StagedUpdateRun> | undefined;
  },
): string[] {
  const opened = openedByTask(run, task, isRemovedFrom);
  const after = opened.next === undefined ? waitingFor(run, runs) : [];
  return [
    ...openedTexts(opened),
    ...(after.length === 0 ? [] : [`once the run is over, what waits for it: ${after.join(', ')}`]),
    ...openSoaks(run, task).map(({ until }) => `not before the soak of stage ${task.stage} is over, at ${until}`),
    ...(run.spec.state === 'Stop'
      ? [`not before someone resumes the run, which is stopped: gitfleet resume run ${titleOf(run.metadata)}`]
      : []),
    ...(pause === undefined ? [] : [`not before ${pause}`]),
    ...(refusal === undefined ? [] : [refusal]),
  ];
}

/** Update runs of the same placement that start by themselves once this one is over, in the order of their names. */
export function waitingFor(run: StagedUpdateRun, runs: Iterable<StagedUpdateRun> = []): string[] {
  const placement = placementOfRun(run);
  return [...runs]
    .filter(
      (other) =>
        placementKey(other.metadata) !== placementKey(run.metadata) &&
        isRunOf(other, placement) &&
        stateOf(other) === 'Run' &&
        !isMereHold(other) &&
        !isOver(other.status ?? {}) &&
        !isActive(other.status),
    )
    .map(({ metadata }) => titleOf(metadata))
    .sort();
}

/** Soaks that have to end as well, under way. */
const openSoaks = (run: StagedUpdateRun, task: StageTaskState): StageTaskState[] =>
  stageTasks(run).filter(
    ({ stage: name, timing, type, isOpen }) =>
      name === task.stage && timing === task.timing && type === 'TimedWait' && isOpen,
  );

/** What ends the pause of the placement when what an approval starts could begin: now, or once the soaks that are under way are over. */
export function pauseBehind(
  run: StagedUpdateRun,
  task: StageTaskState,
  { works, world }: PlanContents,
): string | undefined {
  const work = works.get(placementKey(placementOfRun(run)));
  const { fleet, now } = world.input;
  const begins = openSoaks(run, task).reduce((latest, { until = now }) => (until > latest ? until : latest), now);
  const pause = work && placementPause(work, { ...world, pause: freezeOf(fleet, begins) });
  return pause?.kind === 'paused' ? pause.endsWhen : undefined;
}

/**
 * What happens if clusters fail, also those that it has updated before. None where no cluster starts any more. `state`: of the placement,
 * as recorded; `refusal`: why the guard may refuse the rollback.
 */
export function failureText(
  { run, task }: { readonly run: StagedUpdateRun; readonly task: StageTaskState },
  state: RecordedState | undefined,
  refusal: string | undefined,
): string[] {
  const { stages, next } = openedByTask(run, task, () => false);
  const started = [...stages, ...(next?.stage ? [next.stage] : [])].flatMap((stage) => stage.clusters);
  if (started.length === 0 && next === undefined) return [];
  const clusters = (run.status?.stagesStatus ?? []).flatMap((stage) => stage.clusters);
  const most = failuresAllowed(run, clusters.length);
  const when =
    most === 0
      ? 'If a cluster fails'
      : `If more than ${most} ${most === 1 ? 'cluster of the run fails' : 'clusters of the run fail'}`;
  const without = new Set(
    state?.bindings.flatMap((of) => (of.resourceSnapshotIndex === undefined ? of.targetCluster : [])),
  );
  const staying = [
    ...returningIn(run, state).staying,
    ...started.filter((cluster) => !hasStarted(cluster) && without.has(cluster.clusterName)),
  ];
  const except = staying.length === 0 ? '' : `, except ${namesOf(staying)}: ${unknownBefore}`;
  const then = rollsBack(run)
    ? `those that it reached return to the snapshot that they had${except}`
    : 'no further one starts, and all keep what they have';
  const waits =
    progressDeadlineOf(run) === undefined && (rollsBack(run) || most > 0)
      ? ' It has no progress-deadline: it waits for a cluster that does not become available, which is no failure.'
      : '';
  return [`${when}, the run fails: ${then}.${waits}`, ...(refusal === undefined ? [] : [sentenceOf(refusal)])];
}

const sentenceOf = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/**
 * What rejecting a gate of a run does: `ends the run`. `state`: of its placement; `runs`: all; as recorded. `refusal`: why the guard may
 * refuse the rollback.
 */
export function rejectionText(
  run: StagedUpdateRun | undefined,
  {
    state,
    runs,
    refusal,
  }: {
    readonly state: RecordedState | undefined;
    readonly runs: Iterable<StagedUpdateRun>;
    readonly refusal?: string | undefined;
  },
): string {
  const after = run === undefined ? [] : waitingFor(run, runs);
  return [
    endText(run, state),
    ...(after.length === 0 ? [] : [`then starts what waits for it: ${after.join(', ')}`]),
    ...(refusal === undefined ? [] : [refusal]),
  ].join('; ');
}

function endText(run: StagedUpdateRun | undefined, state: RecordedState | undefined): string {
  if (run === undefined || !rollsBack(run)) return 'ends the run';
  const { stages, staying } = returningIn(run, state);
  const keeps =
    staying.length === 0
      ? ''
      : `; ${namesOf(staying)} ${staying.length === 1 ? 'keeps' : 'keep'} what it gave: ${unknownBefore}`;
  if (stages.length === 0) return `ends the run${keeps}`;
  const texts = stages.map(({ stageName, clusters }) => `stage ${stageName}: ${namesOf(clusters)}`);
  const count = clustersOf(stages.flatMap(({ clusters }) => clusters));
  return `returns ${count} to the snapshot of before the run (${listUpTo(texts, mostStages, '; then ')}) and ends the run${keeps}`;
}

type RecordedState = Pick<PlacementState, 'bindings' | 'resourceSnapshots'>;

const unknownBefore =
  'nothing was there before, what was there is not recorded any more, or on-failure: rollback came later';

/** Stages of a rollback with what they return, and clusters that the run reached and that it cannot give what they had. */
function returningIn({ status = {} }: StagedUpdateRun, state: RecordedState | undefined) {
  const recorded =
    state && new Set(state.resourceSnapshots.flatMap(({ index, hash }) => (hash === rebuiltHash ? [] : index)));
  const known = new Set(
    (status.stagesStatus ?? []).flatMap(({ clusters }) =>
      clusters.flatMap(({ clusterName, previous }) =>
        previous && recorded?.has(previous.resourceSnapshotIndex) !== false ? clusterName : [],
      ),
    ),
  );
  const all = stagesToReturn(status);
  const stages = all.flatMap(({ stageName, clusters }) => {
    const returning = clusters.filter(({ clusterName }) => known.has(clusterName));
    return returning.length === 0 ? [] : [{ stageName, clusters: returning }];
  });
  const staying = all.flatMap(({ clusters }) => clusters.filter(({ clusterName }) => !known.has(clusterName)));
  return { stages, staying };
}
