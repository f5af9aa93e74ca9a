import {
  maxFailuresAnnotation,
  onFailureAnnotation,
  progressDeadlineAnnotation,
} from '../../../api/run-annotations.ts';
import type { ClusterUpdatingStatus, StagedUpdateRun, StageStatus } from '../../../api/staged.ts';
import { conditionIs, findCondition } from '../../../engine/kernel/condition.ts';
import { lastGoodTexts } from '../../../engine/staged/last-good-versions.ts';
import { hasStarted, rollbackStages } from '../../../engine/staged/step.ts';
import { isOver } from '../../../engine/update-run.ts';
import { progressOf, runProgress, stageCounts } from '../../../report/waits/progress-text.ts';
import { type StageTaskState, stageTasks } from '../../../report/waits/stage-tasks.ts';
import { waitsOfRun } from '../../../report/waits/waits.ts';
import { heldInRun, whyLate } from '../../../report/waits/why-late.ts';
import type { Status } from '../../status/open-status.ts';
import { refusedText, uncountedText, withAnswers } from '../../status/refused-text.ts';
import { table } from '../../terminal/table.ts';
import { ageSince, conditionTable, fields, indent, sentences, titled } from '../page-text.ts';
import { placementOf } from './placement-of.ts';

/** A staged run: its progress, what it waits for, every stage with its tasks and clusters. */
export function runPage(run: StagedUpdateRun, status: Status): string[] {
  const { stagesStatus = [], deletionStageStatus, conditions } = run.status ?? {};
  const tasks = stageTasks(run);
  const missing = lastGoodTexts(run.status ?? {});
  const isDone = run.status !== undefined && isOver(run.status);
  const isAsked = tasks.some(({ type, isOpen }) => type === 'Approval' && isOpen);
  const why = [isDone ? undefined : refusedText(status), isDone || !isAsked ? undefined : uncountedText(status)];
  return [
    head(run, status),
    ...(missing.length === 0 ? [] : [titled('Not in this run', sentences(missing))]),
    titled(
      'Waits for',
      sentences([...why.filter((text) => text !== undefined), ...waitsOfRun(run, withAnswers(status))]),
    ),
    ...stagesStatus.map((stage) => stageText(stage, { run, status, tasks })),
    ...(deletionStageStatus && deletionStageStatus.clusters.length > 0
      ? [stageText(deletionStageStatus, { run, status, tasks: [] })]
      : []),
    ...rollbackStages(run.status ?? {}).map((stage) => stageText(stage, { run, status, tasks: [], isRollback: true })),
    titled('Conditions', conditionTable(conditions, status.now)),
  ];
}

function head(run: StagedUpdateRun, { holds }: Pick<Status, 'holds'>): string {
  const { kind, metadata, spec, status } = run;
  const index = status?.resourceSnapshotIndexUsed ?? spec.resourceSnapshotIndex;
  const failing = onFailure(metadata.annotations ?? {});
  const { policySnapshotIndexUsed: policy, policyObservedClusterCount: picked } = status ?? {};
  return fields([
    ['Name', metadata.name],
    metadata.namespace === undefined ? undefined : ['Namespace', metadata.namespace],
    ['Kind', kind],
    ['Placement', spec.placementName],
    ['Strategy', spec.stagedRolloutStrategyName],
    ['Snapshot', index],
    ['Policy', policy && `snapshot ${policy}${picked === undefined ? '' : `, ${picked} cluster(s) picked`}`],
    ['Desired', spec.state ?? 'Run'],
    failing === undefined ? undefined : ['Failures', failing],
    ['State', runProgress({ kind, ...metadata, status }, holds)],
    ['Since', since(run)],
  ]);
}

/** `a cluster fails after 30m, none may fail, then rollback`; undefined = as in KubeFleet. */
function onFailure(annotations: Readonly<Record<string, string>>): string | undefined {
  const {
    [progressDeadlineAnnotation]: deadline,
    [maxFailuresAnnotation]: most,
    [onFailureAnnotation]: then,
  } = annotations;
  if (deadline === undefined && most === undefined && then === undefined) return undefined;
  const when = [...(deadline === undefined ? [] : [`a cluster fails after ${deadline}`]), `${most ?? 'none'} may fail`];
  return [...when, `then ${then ?? 'stop'}`].join(', ');
}

/** Since when it waits: the condition of a run stays the same from one gate to the next, so an open request counts first. */
function since(run: StagedUpdateRun): string | undefined {
  const asked = run.status?.rollbackStatus
    ? undefined
    : stageTasks(run).findLast(({ isOpen, type }) => isOpen && type === 'Approval');
  return asked?.since ?? progressOf(run.status?.conditions)?.lastTransitionTime;
}

interface RunContext {
  readonly run: StagedUpdateRun;
  readonly status: Status;
  readonly tasks: readonly StageTaskState[];
  readonly isRollback?: true;
}

function stageText(stage: StageStatus, context: RunContext): string {
  const { stageName, clusters, startTime, endTime, conditions } = stage;
  const tasks = context.tasks.filter((task) => task.stage === stageName);
  const { done, failed: failures, skipped, of } = stageCounts(stage);
  const times = [startTime && `started ${startTime}`, endTime && `ended ${endTime}`].filter(Boolean);
  const failed = conditionIs(conditions, 'Succeeded', 'False')
    ? [`✗ ${findCondition(conditions, 'Succeeded')?.message ?? ''}`]
    : [];
  const lines = [
    ...failed,
    ...tasks.filter(({ timing }) => timing === 'before').map(taskLine),
    ...(clusters.length === 0
      ? []
      : [
          table(
            ['CLUSTER', 'STATE', 'AGE', 'WAITS FOR'],
            clusters.map((cluster) => clusterRow(cluster, context)),
          ),
        ]),
    ...tasks.filter(({ timing }) => timing === 'after').map(taskLine),
  ];
  const name = `${context.isRollback ? 'Rollback of stage' : 'Stage'} ${stageName}`;
  const others = [...(failures > 0 ? [`${failures} failed`] : []), ...(skipped > 0 ? [`${skipped} skipped`] : [])];
  const progress = [`${done}/${of} clusters done`, ...others].join(', ');
  const title = `${name}: ${progress}${times.length === 0 ? '' : `, ${times.join(', ')}`}`;
  return [title, ...lines.map(indent)].join('\n');
}

const taskLine = ({ timing, type, progress, since, until, approval }: StageTaskState): string =>
  `${timing} it: ${type === 'Approval' ? `approval ${approval ?? ''}` : 'soak of'} ${progress}${since === undefined ? '' : `${progress.startsWith('rejected') ? ', at' : ' since'} ${since}`}${until === undefined ? '' : `, until ${until}`}`;

function clusterRow(cluster: ClusterUpdatingStatus, context: RunContext): (string | undefined)[] {
  const [name, state, since, why] = rowSince(cluster, context);
  return [name, state, ageSince(since, context.status.now), why];
}

function rowSince(cluster: ClusterUpdatingStatus, { run, status, isRollback }: RunContext): (string | undefined)[] {
  const { clusterName, conditions } = cluster;
  const at = (type: string) => findCondition(conditions, type);
  const skipped = at('Skipped');
  if (skipped?.status === 'True') return [clusterName, 'skipped', skipped.lastTransitionTime, skipped.message];
  const succeeded = at('Succeeded');
  if (succeeded?.status === 'True') return [clusterName, 'done', succeeded.lastTransitionTime, undefined];
  if (succeeded?.status === 'False') return [clusterName, 'failed', succeeded.lastTransitionTime, succeeded.message];
  const held = heldInRun(run, clusterName, status);
  if (!hasStarted(cluster)) return [clusterName, 'not started', undefined, held];
  const started = at('Started')?.lastTransitionTime;
  const isLeft = isOver(run.status ?? {}) || (run.status?.rollbackStatus !== undefined && !isRollback);
  if (isLeft) return [clusterName, 'not done', started, 'the run ended before it was available'];
  const placement = placementOf(run, status.record);
  const binding = placement?.state.bindings.find(({ targetCluster }) => targetCluster === clusterName);
  const why = held ?? (placement && binding && whyLate({ placement, binding }, status));
  return [clusterName, 'under way', started, why];
}
