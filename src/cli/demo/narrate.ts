import type { Condition } from '../../api/meta.ts';
import { placementKey } from '../../api/placement.ts';
import type { Problem } from '../../api/problem.ts';
import type { StageStatus } from '../../api/staged.ts';
import { isOfDelivery } from '../../engine/delivery/delivery-problems.ts';
import { evictionResult } from '../../engine/evict/result.ts';
import { conditionIs, findCondition, isFulfilled } from '../../engine/kernel/condition.ts';
import type { Hold, Plan, PlannedBinding, PlannedEviction, PlannedPlacement } from '../../engine/plan-document.ts';
import { newProblems } from '../../repo/fleet/positions.ts';
import { titleOf } from '../../repo/title-of.ts';
import { causeOf } from '../terminal/cause.ts';
import { aboutDepartures } from './departures.ts';
import { aboutDifferences } from './differences.ts';
import { aboutStandstill } from './standstill.ts';
import { aboutSuspensions } from './suspended.ts';
import type { Told } from './told.ts';

/** What is new in `next` compared with `before`: decisions, moves, clusters that became available, waits, troubles. */
export function narrate(before: Plan | undefined, next: Plan): Told[] {
  return [
    ...next.evictions.flatMap((eviction) => aboutEviction(before, eviction)),
    ...next.placements.flatMap((placement) => aboutPlacement(find(before, placement), placement)),
    ...aboutDepartures(before, next),
    ...next.runs.flatMap((run) => aboutRun(before, run)),
    ...aboutSuspensions(before, next),
    ...aboutDifferences(before, next),
    ...aboutStandstill(before, next),
    ...aboutHolds(before?.holds ?? [], next.holds),
    ...next.guard
      .filter((finding) => !before?.guard.some((old) => old.message === finding.message))
      .map((finding): Told => ({ tone: 'bad', subject: 'guard', text: finding.message })),
    ...liftedRefusal(before, next),
    ...newProblems(before?.problems ?? [], next.problems).flatMap(aboutProblem),
  ];
}

/** What was refused goes its way now, or is not asked for any more. */
const liftedRefusal = (before: Plan | undefined, next: Plan): Told[] =>
  before !== undefined && before.guard.length > 0 && next.guard.length === 0
    ? [{ tone: 'good', subject: 'guard', text: 'the plan is not refused any more' }]
    : [];

function aboutEviction(
  before: Plan | undefined,
  { name, placementName, clusterName, status }: PlannedEviction,
): Told[] {
  const result = evictionResult(status.conditions);
  const old = before?.evictions.find((eviction) => eviction.name === name);
  if (result === undefined || evictionResult(old?.status.conditions)) return [];
  const text = `eviction of ${placementName} from ${clusterName} ${result.text}`;
  return [{ tone: result.executed ? 'good' : 'bad', subject: name, text: `${result.executed ? '✓' : '✗'} ${text}` }];
}

/** What clusters refuse their own lines tell, cluster by cluster; the rest is told where it stands in the repo. */
function aboutProblem({ severity, code, file, line, message, fix }: Problem): Told[] {
  if (isOfDelivery(code)) return [];
  const subject = file === undefined ? 'repo' : `${file}${line === undefined ? '' : `:${line}`}`;
  const text = fix === undefined ? message : `${message}: ${fix}`;
  return [{ tone: severity === 'error' ? 'bad' : 'waiting', subject, text }];
}

const find = (plan: Plan | undefined, wanted: PlannedPlacement): PlannedPlacement | undefined =>
  plan?.placements.find((placement) => placementKey(placement) === placementKey(wanted));

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
  if (gone.length > 0) told.push({ tone: 'decided', subject, text: `no longer picks ${gone.join(', ')}` });
  if (next.resourceSnapshotIndex !== undefined && next.resourceSnapshotIndex !== before?.resourceSnapshotIndex) {
    told.push({ tone: 'decided', subject, text: `snapshot ${next.resourceSnapshotIndex} of its resources` });
  }
  for (const binding of next.bindings) {
    const old = before && formerOf(binding, before);
    for (const line of aboutBinding(old, binding)) told.push({ ...line, subject });
  }
  return told;
}

/** A cluster that was evicted and picked anew has two bindings for a while, one of which leaves. */
function formerOf({ clusterName, move }: PlannedBinding, { bindings }: PlannedPlacement): PlannedBinding | undefined {
  const there = bindings.filter((candidate) => candidate.clusterName === clusterName);
  return there.find((candidate) => (candidate.move === 'remove') === (move === 'remove')) ?? there[0];
}

function aboutBinding(before: PlannedBinding | undefined, next: PlannedBinding): Omit<Told, 'subject'>[] {
  const at = next.clusterName;
  const index = next.resourceSnapshotIndex;
  const moves = next.move !== before?.move || index !== before?.resourceSnapshotIndex;
  const failing = whatFails(next);
  // A move that fails at once is told with its failure: no later plan would tell that as new.
  const failure: Omit<Told, 'subject'>[] =
    failing !== undefined && failing !== (before && whatFails(before))
      ? [{ tone: 'bad', text: `✗ ${at}: ${failing}` }]
      : [];
  if (moves) {
    const moving = (text: string): Omit<Told, 'subject'>[] => [
      { tone: 'moving', text: `→ ${at}: ${text}` },
      ...failure,
    ];
    if (next.move === 'add') return moving(`installing snapshot ${index}`);
    if (next.move === 'update') return moving(`updating to snapshot ${index}`);
    if (next.move === 'remove') return moving('removing');
  }
  // What is only compared is no more available than it was; how it differs has a line of its own.
  const compared = conditionIs(next.conditions, 'DiffReported', 'True');
  const available = isFulfilled(next.conditions);
  const wasAvailable = before !== undefined && isFulfilled(before.conditions);
  if (available && (!wasAvailable || index !== before.resourceSnapshotIndex))
    return [{ tone: 'good', text: `✓ ${at}: snapshot ${index} is ${compared ? 'compared' : 'available'}` }];
  return failure;
}

/** Why a cluster cannot be given what it is to have: reason and cause. */
function whatFails({ conditions }: PlannedBinding): string | undefined {
  for (const type of ['Overridden', 'WorkSynchronized', 'Applied']) {
    const found = findCondition(conditions, type);
    if (found?.status === 'False' && found.reason !== 'ApplyInProgress') return causeOf(found);
  }
  return undefined;
}

function aboutRun(plan: Plan | undefined, next: Plan['runs'][number]): Told[] {
  const before = plan?.runs.find((run) => placementKey(run) === placementKey(next));
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

const worthTelling: ReadonlySet<Hold['reason']> = new Set([
  'WaitingForApproval',
  'WaitingForTime',
  'UnavailablePeriod',
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
    .map((hold) => ({
      tone: 'waiting',
      subject: titleOf(hold.subject),
      text: briefly(hold),
      ...(hold.until === undefined ? {} : { until: hold.until }),
    }));
}

/** The line names its subject already, and nobody reads milliseconds. */
const briefly = ({ subject, message }: Hold): string =>
  message.replace(new RegExp(`^run ${subject.name}:? `), '').replaceAll(/(T\d\d:\d\d:\d\d)\.\d+Z/g, '$1Z');
