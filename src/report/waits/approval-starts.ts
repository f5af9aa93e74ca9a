import { placementKey } from '../../api/placement.ts';
import type { ClusterUpdatingStatus, StagedUpdateRun, TaskStatus } from '../../api/staged.ts';
import type { PlanContents } from '../../engine/delivery/plan-contents.ts';
import { freezeOf } from '../../engine/freeze/freeze.ts';
import { conditionIs } from '../../engine/kernel/condition.ts';
import { formatDuration } from '../../engine/kernel/duration.ts';
import { listUpTo } from '../../engine/kernel/short-list.ts';
import type { Pause } from '../../engine/pause/pause.ts';
import { placementPause } from '../../engine/pause/placement-pause.ts';
import { isMereHold } from '../../engine/recovery/held-since-loss.ts';
import { soakOf } from '../../engine/staged/execute/after-stage.ts';
import { hasSucceeded } from '../../engine/staged/execute/current-stage.ts';
import { isActive } from '../../engine/staged/execution-order.ts';
import { stateOf } from '../../engine/staged/run-state.ts';
import { hasFinished, hasStarted, isSkipped } from '../../engine/staged/step.ts';
import { isOver, isRunOf, placementOfRun } from '../../engine/update-run.ts';
import type { IsRemovedFrom } from '../../forecast/run-removals.ts';
import { titleOf } from '../../repo/title-of.ts';
import { wholeSeconds } from '../whole-seconds.ts';
import { haltedTitle, type Opened, openedBy, openedTexts, type StageAhead } from './opened.ts';
import { type StageTaskState, stageTasks } from './stage-tasks.ts';

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

/** What holds back what follows from an answer. */
export interface HeldBack {
  /** What ends a pause of the placement that holds back what an approval starts. */
  readonly pause?: string | undefined;
  /** The same of a rollback that begins now. */
  readonly pauseNow?: string | undefined;
  /** What else holds back the clusters that an approval starts, one clause each. */
  readonly waits?: readonly string[];
  readonly refusal?: GuardRefusal;
}

/** Why the guard may refuse what follows. It judges each plan as a whole: what else goes at the same time adds to it. */
export interface GuardRefusal {
  /** What the approval starts. */
  readonly starts?: string;
  /** The rollback if clusters fail. */
  readonly rollback?: string;
  /** The rollback if it is rejected. */
  readonly rejection?: string;
}

/** What an approval starts, stage by stage, and what else must happen first. */
export function approvalStarts(
  run: StagedUpdateRun,
  task: StageTaskState,
  {
    isRemovedFrom,
    pause,
    waits = [],
    refusal,
    runs = [],
  }: HeldBack & {
    readonly isRemovedFrom: IsRemovedFrom;
    /** Of all placements, as recorded. */
    readonly runs?: Iterable<StagedUpdateRun>;
  },
): string[] {
  const opened = openedByTask(run, task, isRemovedFrom);
  const after = opened.next === undefined ? waitingFor(run, runs) : [];
  return [
    ...openedTexts(opened),
    ...openSoaks(run, task).map(
      ({ until }) => `not before the soak of stage ${task.stage} is over, at ${wholeSeconds(until ?? '')}`,
    ),
    ...resumesAt(run),
    ...notWhileActive(run, runs),
    ...(pause === undefined ? [] : [`not before ${pause}`]),
    ...waits,
    ...(refusal?.starts === undefined ? [] : [refusal.starts]),
    ...(after.length === 0 ? [] : [`once the run is over, what waits for it: ${after.join(', ')}`]),
  ];
}

/** Until when nothing starts of a run that is stopped. */
export const resumesAt = (run: StagedUpdateRun): string[] =>
  run.spec.state === 'Stop'
    ? [`not before someone resumes the run, which is stopped: gitfleet resume run ${titleOf(run.metadata)}`]
    : [];

/** The same for a title. */
export const resumedTitle = ({ spec }: Pick<StagedUpdateRun, 'spec'>): string =>
  haltedTitle(spec.state === 'Stop' ? 'stopped' : undefined);

/** Until when nothing starts of a run that waits for another one. */
export function notWhileActive(run: StagedUpdateRun, runs: Iterable<StagedUpdateRun>): string[] {
  if (hasTurn(run)) return [];
  const others = othersOf(run, runs).filter(({ status }) => isActive(status));
  return others.map(({ metadata }) => `not before update run ${titleOf(metadata)} is over or stopped`);
}

/** Update runs of the same placement that wait for this one, in the order of their names; none where this one waits itself. */
export function waitingFor(run: StagedUpdateRun, runs: Iterable<StagedUpdateRun>): string[] {
  if (!hasTurn(run)) return [];
  return othersOf(run, runs)
    .filter(
      (other) =>
        stateOf(other) === 'Run' && !isMereHold(other) && !isOver(other.status ?? {}) && !isActive(other.status),
    )
    .map(({ metadata }) => titleOf(metadata))
    .sort();
}

/** `, for which web-2 waits` */
export const waitedForBy = (runs: readonly string[]): string =>
  runs.length === 0 ? '' : `, for which ${listUpTo(runs, mostNamed)} ${runs.length === 1 ? 'waits' : 'wait'}`;

const mostNamed = 10;

const hasTurn = ({ status = {} }: StagedUpdateRun): boolean => isActive(status) || isOver(status);

function othersOf(run: StagedUpdateRun, runs: Iterable<StagedUpdateRun>): StagedUpdateRun[] {
  const placement = placementOfRun(run);
  const own = placementKey(run.metadata);
  return [...runs].filter((other) => placementKey(other.metadata) !== own && isRunOf(other, placement));
}

/** Soaks that have to end as well, under way. */
const openSoaks = (run: StagedUpdateRun, task: StageTaskState): StageTaskState[] =>
  stageTasks(run).filter(
    ({ stage: name, timing, type, isOpen }) =>
      name === task.stage && timing === task.timing && type === 'TimedWait' && isOpen,
  );

/** What ends the pause of the placement when what an approval starts could begin: now, or once the soaks that are under way are over. */
export function pauseBehind(run: StagedUpdateRun, task: StageTaskState, contents: PlanContents): string | undefined {
  const { fleet, now } = contents.world.input;
  const begins = openSoaks(run, task).reduce((latest, { until = now }) => (until > latest ? until : latest), now);
  return pauseWith(run, freezeOf(fleet, begins), contents);
}

/** What ends the pause of the placement of a run that is active now. */
export const pauseNow = (run: StagedUpdateRun, contents: PlanContents): string | undefined =>
  pauseWith(run, contents.world.pause, contents);

/** `freeze`: that of the fleet. */
function pauseWith(run: StagedUpdateRun, freeze: Pause, { works, world }: PlanContents): string | undefined {
  const work = works.get(placementKey(placementOfRun(run)));
  const pause = work && placementPause(work, { ...world, pause: freeze });
  return pause?.kind === 'paused' ? pause.endsWhen : undefined;
}
