import type { Condition, Timestamp } from '../api/meta.ts';
import { placementKey } from '../api/placement.ts';
import type { StageStatus, UpdateRunStatus } from '../api/staged.ts';
import { conditionIs, findCondition } from '../engine/kernel/condition.ts';
import { shortList } from '../engine/kernel/short-list.ts';
import type { PlannedRun } from '../engine/plan-document.ts';
import { hasFailed, rollbackStages } from '../engine/staged/step.ts';
import { titleOf } from '../repo/title-of.ts';
import type { EventSource, TimelineEntry } from './event-source.ts';
import { instantText } from './forecast/instant-text.ts';
import { progressOf, progressText } from './waits/progress-text.ts';
import { stageTasks } from './waits/stage-tasks.ts';

/** How staged update runs go. */
type RunEvent = { readonly run: Pick<PlannedRun, 'name' | 'namespace'> } & (
  | { readonly kind: 'stage-soaked'; readonly stage: string }
  /** `reason`: of the stage's condition. */
  | { readonly kind: 'stage-changed'; readonly stage: string; readonly reason: string }
  /** The same in a rollback. */
  | { readonly kind: 'stage-returned'; readonly stage: string; readonly reason: string }
  | { readonly kind: 'cluster-failed'; readonly cluster: string; readonly message: string }
  /** `condition`: that of the run as a whole; `text`: it in words; `done`: the stage that is done now, and whose tasks it waits for. */
  | {
      readonly kind: 'run-changed';
      readonly condition: Condition;
      readonly text: string;
      readonly done: { readonly stage: string; readonly soaksUntil: Timestamp | undefined } | undefined;
    }
);

export const runs: EventSource<RunEvent> = {
  events: ({ before, plan }) => plan.runs.flatMap((run) => eventsOf(run, before.runs.get(placementKey(run))?.status)),
  sentences: (events) =>
    [...Map.groupBy(events, ({ run }) => placementKey(run)).values()].flatMap((ofRun) => {
      const text = sentenceOf(ofRun);
      return text === undefined ? [] : [`${ofRun[0]!.run.name}: ${text}`];
    }),
  leads: true,
  entries: (event) => {
    const entry = entryOf(event);
    return entry ? [{ subject: titleOf(event.run), ...entry }] : [];
  },
};

function eventsOf({ name, namespace, status }: PlannedRun, before: UpdateRunStatus | undefined): RunEvent[] {
  const run = { name, ...(namespace !== undefined && { namespace }) };
  const stages = (status.stagesStatus ?? []).flatMap((stage): RunEvent[] => {
    const old = before?.stagesStatus?.find(({ stageName }) => stageName === stage.stageName);
    const [now, then] = [stateOf(stage), stateOf(old)];
    return [
      ...(hasSoaked(stage) && !hasSoaked(old) ? [{ kind: 'stage-soaked' as const, run, stage: stage.stageName }] : []),
      ...(now !== undefined && now !== then
        ? [{ kind: 'stage-changed' as const, run, stage: stage.stageName, reason: now }]
        : []),
    ];
  });
  const returned = rollbackStages(status).flatMap((stage): RunEvent[] => {
    const old = rollbackStages(before ?? {}).find(({ stageName }) => stageName === stage.stageName);
    const reason = stateOf(stage);
    return reason === undefined || reason === stateOf(old)
      ? []
      : [{ kind: 'stage-returned', run, stage: stage.stageName, reason }];
  });
  const condition = progressOf(status.conditions);
  const isNew = condition !== undefined && condition.reason !== progressOf(before?.conditions)?.reason;
  const changed = isNew
    ? [
        {
          kind: 'run-changed' as const,
          run,
          condition,
          text: progressText(status),
          done: doneStage(status, before, condition),
        },
      ]
    : [];
  return [...failuresOf(status, before).map((failed) => ({ ...failed, run })), ...stages, ...returned, ...changed];
}

function doneStage(status: UpdateRunStatus, before: UpdateRunStatus | undefined, { reason }: Condition) {
  if (reason !== 'UpdateRunWaiting') return undefined;
  const open = openAfter(status);
  const soaksUntil = open.find(({ until }) => until !== undefined)?.until;
  // Of a run that was stopped or held meanwhile, it was done before.
  const known = openAfter(before).map(({ stage }) => stage);
  return open[0] && !known.includes(open[0].stage) ? { stage: open[0].stage, soaksUntil } : undefined;
}

/** What the run waits for after a stage. */
const openAfter = (status: UpdateRunStatus | undefined) =>
  stageTasks({ status }).filter(({ isOpen, timing }) => isOpen && timing === 'after');

/** Clusters that failed since, also those without which a run continues. */
function failuresOf(status: UpdateRunStatus, before: UpdateRunStatus | undefined) {
  const failedIn = ({ stagesStatus = [] }: UpdateRunStatus) =>
    stagesStatus.flatMap(({ clusters }) => clusters.filter(hasFailed));
  const known = new Set(failedIn(before ?? {}).map(({ clusterName }) => clusterName));
  return failedIn(status)
    .filter(({ clusterName }) => !known.has(clusterName))
    .map(({ clusterName, conditions }) => ({
      kind: 'cluster-failed' as const,
      cluster: clusterName as string,
      message: findCondition(conditions, 'Succeeded')?.message ?? '',
    }));
}

const hasSoaked = (stage: StageStatus | undefined): boolean =>
  stage?.afterStageTaskStatus?.some(({ conditions }) => conditionIs(conditions, 'WaitTimeElapsed', 'True')) ?? false;

const stateOf = (stage: StageStatus | undefined): string | undefined =>
  (findCondition(stage?.conditions, 'Succeeded') ?? findCondition(stage?.conditions, 'Progressing'))?.reason;

/** A change of the whole run goes before the end of a soak. */
function sentenceOf(events: readonly RunEvent[]): string | undefined {
  const changed = events.find((event) => event.kind === 'run-changed');
  const failed = events.flatMap((event) => (event.kind === 'cluster-failed' ? [event.cluster] : []));
  // A run that fails by them names them itself.
  const isNamed = changed?.condition.type === 'Succeeded' && changed.condition.status === 'False';
  const texts = [
    ...(failed.length === 0 || isNamed ? [] : [`failed on ${shortList(failed)}`]),
    ...(changed ? [changedText(changed)] : []),
  ];
  if (texts.length > 0) return texts.join(', ');
  const soaked = events.findLast((event) => event.kind === 'stage-soaked');
  return soaked && `stage ${soaked.stage} has soaked`;
}

/** Sentences of several objects are joined by semicolons. */
function changedText({ text, done }: Extract<RunEvent, { readonly kind: 'run-changed' }>): string {
  if (done === undefined) return text.replaceAll(';', ',');
  return `${done.stage} done${done.soaksUntil === undefined ? '' : `, soaking until ${instantText(done.soaksUntil)}`}`;
}

function entryOf(event: RunEvent): Omit<TimelineEntry, 'subject'> | undefined {
  if (event.kind === 'stage-soaked') return { tone: 'moving', text: `stage ${event.stage}: has soaked` };
  if (event.kind === 'cluster-failed') return { tone: 'bad', text: `✗ ${event.message}` };
  if (event.kind === 'stage-returned') {
    const { stage, reason } = event;
    const done = reason === 'StageUpdatingSucceeded';
    return { tone: done ? 'good' : 'moving', text: `stage ${stage}: ${done ? 'rolled back' : 'is being rolled back'}` };
  }
  if (event.kind === 'stage-changed') {
    const { stage, reason } = event;
    const tone = reason === 'StageUpdatingSucceeded' ? 'good' : reason.endsWith('Failed') ? 'bad' : 'moving';
    return { tone, text: `stage ${stage}: ${stageWords[reason] ?? reason}` };
  }
  const { type, status, reason, message } = event.condition;
  if (type === 'Initialized') return { tone: 'bad', text: `✗ the run cannot start: ${message ?? reason}` };
  // Stages and holds show how it progresses.
  if (type !== 'Succeeded') return undefined;
  return status === 'True'
    ? { tone: 'good', text: '✓ the run is complete' }
    : { tone: 'bad', text: `✗ the run failed: ${message ?? ''}` };
}

const stageWords: Readonly<Record<string, string>> = {
  StageUpdatingStarted: 'started',
  StageUpdatingWaiting: 'clusters are done, waiting for its tasks',
  StageUpdatingSucceeded: 'done',
  StageUpdatingFailed: 'failed',
  StageUpdatingStopping: 'stopping',
  StageUpdatingStopped: 'stopped',
  StageUpdatingSkippedNoClusters: 'no clusters, skipped',
};
