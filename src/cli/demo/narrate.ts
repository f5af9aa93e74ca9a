import type { Condition } from '../../api/meta.ts';
import { findCondition, isFulfilled } from '../../engine/kernel/condition.ts';
import type { Hold, Plan, PlannedBinding, PlannedPlacement } from '../../engine/plan-document.ts';
import { titleOf } from '../terminal/names.ts';

/** One thing that happened, as a person would tell it. */
export interface Told {
  readonly tone: 'decided' | 'moving' | 'good' | 'waiting' | 'bad';
  readonly subject: string;
  readonly text: string;
}

/** What is new in `next` compared with `before`: decisions, moves, clusters that became available, waits, troubles. */
export function narrate(before: Plan | undefined, next: Plan): Told[] {
  return [
    ...next.placements.flatMap((placement) => aboutPlacement(find(before, placement), placement)),
    ...next.runs.flatMap((run) => aboutRun(before, run)),
    ...aboutHolds(before?.holds ?? [], next.holds),
    ...next.guard
      .filter((finding) => !before?.guard.some((old) => old.message === finding.message))
      .map((finding): Told => ({ tone: 'bad', subject: 'guard', text: finding.message })),
    ...next.problems
      .filter(
        (problem) => problem.severity === 'error' && !before?.problems.some((old) => old.message === problem.message),
      )
      .map((problem): Told => ({ tone: 'bad', subject: problem.file ?? 'repo', text: problem.message })),
  ];
}

const find = (plan: Plan | undefined, wanted: PlannedPlacement): PlannedPlacement | undefined =>
  plan?.placements.find((placement) => placement.kind === wanted.kind && titleOf(placement) === titleOf(wanted));

function aboutPlacement(before: PlannedPlacement | undefined, next: PlannedPlacement): Told[] {
  const told: Told[] = [];
  const subject = titleOf(next);
  const picked = next.decisions.filter((decision) => decision.selected);
  const knew = new Set(
    before?.decisions.filter((decision) => decision.selected).map((decision) => decision.clusterName),
  );
  const fresh = picked.filter((decision) => !knew.has(decision.clusterName));
  if (fresh.length > 0) {
    const names = fresh.map(({ clusterName, clusterScore }) => {
      const scored = clusterScore && (clusterScore.affinityScore !== 0 || clusterScore.topologySpreadScore !== 0);
      return scored
        ? `${clusterName} (affinity ${clusterScore.affinityScore}, spread ${clusterScore.topologySpreadScore})`
        : clusterName;
    });
    told.push({ tone: 'decided', subject, text: `picked ${names.join(', ')}` });
  }
  const gone = [...knew].filter((name) => !picked.some((decision) => decision.clusterName === name));
  if (gone.length > 0) told.push({ tone: 'decided', subject, text: `no longer on ${gone.join(', ')}` });
  if (next.resourceSnapshotIndex !== undefined && next.resourceSnapshotIndex !== before?.resourceSnapshotIndex) {
    told.push({ tone: 'decided', subject, text: `snapshot ${next.resourceSnapshotIndex} of its resources` });
  }
  for (const binding of next.bindings) {
    const old = before?.bindings.find((candidate) => candidate.clusterName === binding.clusterName);
    const line = aboutBinding(old, binding);
    if (line) told.push({ ...line, subject });
  }
  return told;
}

function aboutBinding(before: PlannedBinding | undefined, next: PlannedBinding): Omit<Told, 'subject'> | undefined {
  const at = next.clusterName;
  const index = next.resourceSnapshotIndex;
  if (next.move !== before?.move || index !== before?.resourceSnapshotIndex) {
    if (next.move === 'add') return { tone: 'moving', text: `→ ${at}: installing snapshot ${index}` };
    if (next.move === 'update') return { tone: 'moving', text: `→ ${at}: updating to snapshot ${index}` };
    if (next.move === 'remove') return { tone: 'moving', text: `→ ${at}: removing` };
  }
  const available = isFulfilled(next.conditions);
  const wasAvailable = before !== undefined && isFulfilled(before.conditions);
  if (available && (!wasAvailable || index !== before.resourceSnapshotIndex))
    return { tone: 'good', text: `✓ ${at}: snapshot ${index} is available` };
  for (const type of ['Overridden', 'WorkSynchronized', 'Applied']) {
    const condition = next.conditions.find((candidate) => candidate.type === type);
    if (condition?.status !== 'False' || condition.reason === 'ApplyInProgress') continue;
    const old = before?.conditions.find((candidate) => candidate.type === type);
    if (old?.status !== 'False' || old.reason !== condition.reason)
      return { tone: 'bad', text: `✗ ${at}: ${condition.reason}: ${condition.message ?? ''}` };
  }
  return undefined;
}

function aboutRun(plan: Plan | undefined, next: Plan['runs'][number]): Told[] {
  const before = plan?.runs.find((run) => run.kind === next.kind && titleOf(run) === titleOf(next));
  const told: Told[] = [];
  const subject = titleOf(next);
  for (const stage of next.status.stagesStatus ?? []) {
    const old = before?.status.stagesStatus?.find((candidate) => candidate.stageName === stage.stageName);
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

const worthTelling: ReadonlySet<Hold['reason']> = new Set([
  'WaitingForApproval',
  'WaitingForTime',
  'ApprovalStale',
  'ApprovalWithdrawn',
  'StateTransitionDenied',
  'Freeze',
  'RecordLost',
  'ContainsForeignObjects',
  'RemovalRefused',
  'RemovalPending',
  'LastGoodVersion',
  'NotActedOnYet',
  'OtherRunActive',
  'StrategyNotFound',
]);

function aboutHolds(before: readonly Hold[], next: readonly Hold[]): Told[] {
  const known = new Set(before.map((hold) => `${hold.reason} ${hold.message}`));
  return next
    .filter((hold) => worthTelling.has(hold.reason) && !known.has(`${hold.reason} ${hold.message}`))
    .map((hold) => ({ tone: 'waiting', subject: titleOf(hold.subject), text: briefly(hold) }));
}

/** The line names its subject already, and nobody reads milliseconds. */
const briefly = ({ subject, message }: Hold): string =>
  message.replace(new RegExp(`^run ${subject.name}:? `), '').replaceAll(/(T\d\d:\d\d:\d\d)\.\d+Z/g, '$1Z');
