import type { ClusterUpdatingStatus, StagedUpdateRun, TaskStatus } from '../../api/staged.ts';
import { conditionIs } from '../../engine/kernel/condition.ts';
import { formatDuration } from '../../engine/kernel/duration.ts';
import { listUpTo } from '../../engine/kernel/short-list.ts';
import { soakOf } from '../../engine/staged/execute/after-stage.ts';
import { stagesToReturn } from '../../engine/staged/execute/roll-back.ts';
import { rollsBack } from '../../engine/staged/failure-policy.ts';
import { hasStarted } from '../../engine/staged/step.ts';
import { titleOf } from '../../repo/title-of.ts';
import { type StageTaskState, stageTasks } from './stage-tasks.ts';

/** Clusters named in one line. */
const mostNamed = 10;

/** A stage with the clusters that it updates: not those that left. */
interface StageAhead {
  readonly name: string;
  readonly clusters: readonly ClusterUpdatingStatus[];
  readonly maxConcurrency: number | string;
  /** Soak of the stages before it, behind the gate. Milliseconds. */
  readonly soakMs: number;
}

/** What happens behind a gate before anybody is asked again. */
export interface Opened {
  /** In order; none without clusters. */
  readonly stages: readonly StageAhead[];
  /** Clusters that the run cleans up at its end, when that comes before the next gate. */
  readonly removed: readonly ClusterUpdatingStatus[];
  /** Soak before the removals. Milliseconds. */
  readonly soakMs: number;
  /** The next gate, and the stage that it holds back, which is undefined for one after its stage. */
  readonly next?: { readonly approval: string; readonly stage: StageAhead | undefined };
}

/** Everything that the run does behind a gate, up to the next gate or its end. */
export function openedBy(
  { status }: Pick<StagedUpdateRun, 'status'>,
  task: Pick<StageTaskState, 'stage' | 'timing'>,
): Opened {
  const { stagesStatus = [], stagedUpdateStrategySnapshot: strategy, deletionStageStatus } = status ?? {};
  const own = stagesStatus.findIndex(({ stageName }) => stageName === task.stage);
  const stages: StageAhead[] = [];
  let soakMs = 0;
  for (let at = task.timing === 'before' ? own : own + 1; at < stagesStatus.length; at++) {
    const { stageName: name, clusters, beforeStageTaskStatus = [], afterStageTaskStatus = [] } = stagesStatus[at]!;
    // Without clusters it is skipped, with its gates and soaks.
    if (clusters.length === 0) continue;
    const { maxConcurrency = 1, afterStageTasks = [] } = strategy?.stages[at] ?? {};
    const ahead = clusters.filter(({ conditions }) => !conditionIs(conditions, 'Skipped', 'True'));
    const stage = { name, clusters: ahead, maxConcurrency, soakMs };
    const isEntered = at === own || ahead.length === 0 || clusters.some(hasStarted);
    const before = isEntered ? undefined : beforeStageTaskStatus.find(isClosedGate);
    if (before) return { stages, removed: [], soakMs, next: { approval: nameOf(before), stage } };
    if (ahead.length > 0) {
      stages.push(stage);
      soakMs = 0;
    }
    const after = afterStageTaskStatus.find(isClosedGate);
    if (after) return { stages, removed: [], soakMs, next: { approval: nameOf(after), stage: undefined } };
    soakMs += Math.max(0, ...afterStageTasks.map(soakOf));
  }
  return { stages, removed: deletionStageStatus?.clusters ?? [], soakMs };
}

const isClosedGate = ({ type, conditions }: TaskStatus): boolean =>
  type === 'Approval' && !conditionIs(conditions, 'ApprovalRequestApproved', 'True');

const nameOf = ({ approvalRequestName = '' }: TaskStatus): string => approvalRequestName;

/** The same for a title, the worst first: `removal from 1 cluster, production (3 clusters)`. */
export function openedTitle({ stages, removed, next }: Opened): string {
  const parts = [
    ...(removed.length === 0 ? [] : [`removal from ${clustersOf(removed)}`]),
    ...stages.map(({ name, clusters }) => `${name} (${clustersOf(clusters)})`),
  ];
  return parts.length > 0 ? listUpTo(parts, 3) : next ? 'no cluster yet' : 'the end of the run';
}

/** What an approval starts, stage by stage, and what else must happen first. `pause`: what ends the pause of the placement. */
export function approvalStarts(run: StagedUpdateRun, task: StageTaskState, pause?: string): string[] {
  const soaks = stageTasks(run).filter(
    ({ stage: name, timing, type, isOpen }) =>
      name === task.stage && timing === task.timing && type === 'TimedWait' && isOpen,
  );
  const { stages, removed, soakMs, next } = openedBy(run, task);
  const removal = { soakMs, text: `the removal from ${clustersOf(removed)}: ${named(removed)}` };
  const steps = [
    ...stages.map((stage) => ({ soakMs: stage.soakMs, text: stageText(stage) })),
    ...(removed.length === 0 ? [] : [removal]),
  ].map(({ soakMs, text }, at) => {
    const soak = soakMs === 0 ? '' : `after a soak of ${formatDuration(soakMs)} `;
    return `${at === 0 ? '' : 'then '}${soak}${text}`;
  });
  const nothing = next
    ? `nothing yet: ${next.stage ? `${stageText(next.stage)},` : 'the run'} also waits for approval ${next.approval}`
    : 'the end of the run: nothing is left after it';
  return [
    ...(steps.length === 0 ? [nothing] : steps),
    ...soaks.map(({ until }) => `not before the soak of stage ${task.stage} is over, at ${until}`),
    ...(run.spec.state === 'Stop'
      ? [`not before someone resumes the run, which is stopped: gitfleet resume run ${titleOf(run.metadata)}`]
      : []),
    ...(pause === undefined ? [] : [`not before ${pause}`]),
  ];
}

/** What rejecting a gate of a run does: `ends the run`. */
export function rejectionText(run: StagedUpdateRun | undefined): string {
  const stages = run?.status && rollsBack(run) ? stagesToReturn(run.status) : [];
  if (stages.length === 0) return 'ends the run';
  const texts = stages.map(({ stageName, clusters }) => `stage ${stageName}: ${named(clusters)}`);
  const count = clustersOf(stages.flatMap(({ clusters }) => clusters));
  return `returns ${count} to the snapshot of before the run (${listUpTo(texts, mostNamed, '; then ')}) and ends the run`;
}

const stageText = ({ name, clusters, maxConcurrency }: StageAhead): string =>
  `stage ${name}, ${clustersOf(clusters)}, at most ${maxConcurrency} at once: ${named(clusters)}`;

const named = (clusters: readonly { readonly clusterName: string }[]): string =>
  listUpTo(
    clusters.map(({ clusterName }) => clusterName),
    mostNamed,
  );

const clustersOf = ({ length }: readonly unknown[]): string => `${length} ${length === 1 ? 'cluster' : 'clusters'}`;
