import type { Condition } from '../../api/meta.ts';
import { placementKey } from '../../api/placement.ts';
import type { StageStatus } from '../../api/staged.ts';
import { conditionIs, findCondition } from '../../engine/kernel/condition.ts';
import type { Plan, PlannedRun } from '../../engine/plan-document.ts';
import { titleOf } from '../../repo/title-of.ts';
import type { Told } from './told.ts';

/** How update runs and their stages go on. */
export function aboutRuns(before: Plan | undefined, next: Plan): Told[] {
  const was = new Map(before?.runs.map((run) => [placementKey(run), run]));
  return next.runs.flatMap((run) => aboutRun(was.get(placementKey(run)), run));
}

function aboutRun(before: PlannedRun | undefined, next: PlannedRun): Told[] {
  const told: Told[] = [];
  const subject = titleOf(next);
  for (const stage of next.status.stagesStatus ?? []) {
    const old = before?.status.stagesStatus?.find((candidate) => candidate.stageName === stage.stageName);
    if (hasSoaked(stage) && !hasSoaked(old))
      told.push({ tone: 'moving', subject, text: `stage ${stage.stageName}: has soaked` });
    const now = reasonOf(stage.conditions, 'Succeeded') ?? reasonOf(stage.conditions, 'Progressing');
    const then = old && (reasonOf(old.conditions, 'Succeeded') ?? reasonOf(old.conditions, 'Progressing'));
    if (now !== undefined && now !== then) {
      const good = now === 'StageUpdatingSucceeded';
      told.push({
        tone: good ? 'good' : now.endsWith('Failed') ? 'bad' : 'moving',
        subject,
        text: `stage ${stage.stageName}: ${inWords(now)}`,
      });
    }
  }
  const began = findCondition(next.status.conditions, 'Initialized');
  if (began?.status === 'False' && !conditionIs(before?.status.conditions, 'Initialized', 'False'))
    told.push({ tone: 'bad', subject, text: `✗ the run cannot begin: ${began.message ?? began.reason}` });
  const result = reasonOf(next.status.conditions, 'Succeeded');
  if (result !== undefined && result !== reasonOf(before?.status.conditions, 'Succeeded')) {
    const good = result === 'UpdateRunSucceeded';
    told.push({
      tone: good ? 'good' : 'bad',
      subject,
      text: good ? '✓ the run is complete' : `✗ the run failed: ${messageOf(next.status.conditions, 'Succeeded')}`,
    });
  }
  return told;
}

const hasSoaked = (stage: StageStatus | undefined): boolean =>
  stage?.afterStageTaskStatus?.some(({ conditions }) => conditionIs(conditions, 'WaitTimeElapsed', 'True')) ?? false;

const reasonOf = (conditions: readonly Condition[] | undefined, type: string): string | undefined =>
  findCondition(conditions, type)?.reason;
const messageOf = (conditions: readonly Condition[] | undefined, type: string): string =>
  findCondition(conditions, type)?.message ?? '';

const words: Readonly<Record<string, string>> = {
  StageUpdatingStarted: 'started',
  StageUpdatingWaiting: 'clusters are done, waiting for its tasks',
  StageUpdatingSucceeded: 'done',
  StageUpdatingFailed: 'failed',
  StageUpdatingStopping: 'stopping',
  StageUpdatingStopped: 'stopped',
  StageUpdatingSkippedNoClusters: 'no clusters, skipped',
};
const inWords = (reason: string): string => words[reason] ?? reason;
