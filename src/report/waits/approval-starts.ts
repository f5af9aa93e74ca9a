import type { StagedUpdateRun, StageStatus } from '../../api/staged.ts';
import { listUpTo } from '../../engine/kernel/short-list.ts';
import { type StageTaskState, stageTasks } from './stage-tasks.ts';

/** Clusters named in one line. */
const mostNamed = 10;

/** The stage behind a gate; undefined after the last one. */
export function stageBehind(
  { status }: StagedUpdateRun,
  task: Pick<StageTaskState, 'stage' | 'timing'>,
): { readonly stage: StageStatus; readonly maxConcurrency: number | string } | undefined {
  const { stagesStatus = [], stagedUpdateStrategySnapshot } = status ?? {};
  const at = stagesStatus.findIndex(({ stageName }) => stageName === task.stage);
  const next = task.timing === 'before' ? at : at + 1;
  const stage = stagesStatus[next];
  if (stage === undefined) return undefined;
  const { maxConcurrency = 1 } = stagedUpdateStrategySnapshot?.stages[next] ?? {};
  return { stage, maxConcurrency };
}

/** What an approval starts, and what else must happen first. */
export function approvalStarts(run: StagedUpdateRun, task: StageTaskState): string[] {
  const others = stageTasks(run).filter(
    ({ stage: name, timing, type, isOpen }) =>
      name === task.stage && timing === task.timing && type === 'TimedWait' && isOpen,
  );
  const when = others.map(({ until }) => `not before the soak of stage ${task.stage} is over, at ${until}`);
  const next = stageBehind(run, task);
  if (next === undefined) {
    const leaving = (run.status?.deletionStageStatus?.clusters ?? []).map(({ clusterName }) => clusterName);
    return [
      leaving.length === 0
        ? 'the end of the run: there is no stage after it'
        : `the removal from ${clustersOf(leaving)}: ${listUpTo(leaving, mostNamed)}`,
      ...when,
    ];
  }
  const names = next.stage.clusters.map(({ clusterName }) => clusterName);
  return [
    names.length === 0
      ? `stage ${next.stage.stageName}, which has no clusters`
      : `stage ${next.stage.stageName}, ${clustersOf(names)}, at most ${next.maxConcurrency} at once: ${listUpTo(names, mostNamed)}`,
    ...when,
  ];
}

const clustersOf = ({ length }: readonly string[]): string => `${length} ${length === 1 ? 'cluster' : 'clusters'}`;
