import type {
  GroupUpgrade,
  ScopeStatus,
  StageUpgrade,
  UpgradeRunStatus,
  WaitStatus,
} from '../../api/upgrade-status.ts';
import { formatInstant, type Instant, parseInstant } from '../kernel/instant.ts';
import { checkGates } from './check-gates.ts';
import { isHalted, withStates } from './derive-states.ts';
import { withLimits } from './limits.ts';
import { addHold, noNotes, type RunContext } from './run-context.ts';
import { startMembers } from './start-members.ts';
import { isReached, isSkipped, isTerminal } from './tree.ts';
import type { WantedUpgrade } from './wanted-upgrade.ts';

/** Goes through the stages in order, as far as they are over or can be entered. */
export function advanceStages(before: UpgradeRunStatus, context: StageContext): UpgradeRunStatus {
  const { holds, wakes, problems } = context.notes;
  const own = noNotes();
  const status = advanced(before, { ...context, notes: own });
  // What waited before the run failed waits no more.
  if (!isHalted(before, context) && isHalted(status, context)) return advanceStages(status, context);
  holds.push(...own.holds);
  wakes.push(...own.wakes);
  problems.push(...own.problems);
  return status;
}

function advanced(before: UpgradeRunStatus, context: StageContext): UpgradeRunStatus {
  let status = derived(before, context);
  for (let at = 0; at < status.stages.length; at++) {
    if (isTerminal(status.stages[at]!)) continue;
    status = derived(advanceStage(status, at, context), context);
    if (!isTerminal(status.stages[at]!)) break;
  }
  return status;
}

type StageContext = RunContext & { readonly wanted: WantedUpgrade; readonly nowMs: Instant };

const derived = (status: UpgradeRunStatus, { skips, stopped, input }: RunContext): UpgradeRunStatus =>
  withStates(status, { skips, stopped, now: input.now });

function advanceStage(before: UpgradeRunStatus, at: number, context: StageContext): UpgradeRunStatus {
  if (isHalted(before, context)) return withWaitOver(before, at, context);
  const reached = reachStage(before, at, context);
  const entry = checkGates(reached, context, { stageAt: at, groupAt: undefined, timing: 'Before' });
  if (!entry.open) return entry.status;
  const entered = enterGroups(entry.status, at, context);
  // A gate was rejected.
  if (isHalted(entered.status, context)) return entered.status;
  const started = { ...entered.status, stages: [...entered.status.stages] };
  started.stages[at] = startMembers(started.stages[at]!, { ...context, openGroups: entered.open });
  return leaveStage(leaveGroups(derived(started, context), at, context), at, context);
}

function reachStage(status: UpgradeRunStatus, at: number, { strategy, input }: RunContext): UpgradeRunStatus {
  const stage = status.stages[at]!;
  if (isReached(stage)) return status;
  // Failure limits are fixed as the stage starts.
  const limited = withLimits(stage, strategy.stages[at]!);
  return withStage(status, at, { ...limited, status: reachedAt(limited.status, input.now) });
}

const reachedAt = (status: ScopeStatus, now: string): ScopeStatus => ({ ...status, startTime: now });

/** Groups run in parallel, each behind gates of its own. */
function enterGroups(
  before: UpgradeRunStatus,
  stageAt: number,
  context: StageContext,
): { readonly status: UpgradeRunStatus; readonly open: ReadonlySet<number> } {
  let status = before;
  const open = new Set<number>();
  for (const [groupAt, group] of before.stages[stageAt]!.groups.entries()) {
    if (isTerminal(group)) continue;
    status = withGroup(status, { stageAt, groupAt }, (it) =>
      isReached(it) ? it : { ...it, status: reachedAt(it.status, context.input.now) },
    );
    const entry = checkGates(status, context, { stageAt, groupAt, timing: 'Before' });
    status = entry.status;
    if (entry.open) open.add(groupAt);
  }
  return { status, open };
}

/** After-gates of groups whose members are over. */
function leaveGroups(before: UpgradeRunStatus, stageAt: number, context: StageContext): UpgradeRunStatus {
  return before.stages[stageAt]!.groups.reduce((status, { members, status: { state } }, groupAt) => {
    if (isTerminal({ status: { state } }) || !members.every(isTerminal) || isHalted(status, context)) return status;
    return checkGates(status, context, { stageAt, groupAt, timing: 'After' }).status;
  }, before);
}

/** After-gates of the stage, and at the same time its wait. */
function leaveStage(before: UpgradeRunStatus, at: number, context: StageContext): UpgradeRunStatus {
  const status = derived(before, context);
  const stage = status.stages[at]!;
  const isOver = stage.groups.every(isTerminal) && !stage.groups.every(isSkipped);
  if (isTerminal(stage) || !isOver || isHalted(status, context)) return status;
  const gated = checkGates(status, context, { stageAt: at, groupAt: undefined, timing: 'After' }).status;
  const wait = gated.stages[at]!.afterStageWaitStatus;
  if (wait?.status.state !== 'NotStarted') return withWaitOver(gated, at, context);
  const running: WaitStatus = { ...wait, status: { state: 'Running', startTime: context.input.now } };
  return withWaitOver(withStage(gated, at, { ...gated.stages[at]!, afterStageWaitStatus: running }), at, context);
}

/** The wait counts the time that really passes, also while the run is stopped. */
function withWaitOver(status: UpgradeRunStatus, at: number, context: StageContext): UpgradeRunStatus {
  const stage = status.stages[at]!;
  const wait = stage.afterStageWaitStatus;
  if (wait?.status.state !== 'Running') return status;
  const { input, nowMs, skips } = context;
  const ends = parseInstant(wait.status.startTime ?? '')! + wait.waitDurationInSeconds * 1000;
  const isSkippedWait = skips.wait(stage.name);
  if (ends > nowMs && !isSkippedWait) {
    const until = formatInstant(ends);
    const message = `run ${context.run.metadata.name} waits after stage ${stage.name} until ${until}`;
    addHold(context, { subject: { stage: stage.name }, reason: 'WaitingForTime', message, until });
    return status;
  }
  const state = isSkippedWait ? 'Skipped' : 'Completed';
  const over: WaitStatus = { ...wait, status: { ...wait.status, state, completedTime: input.now } };
  return withStage(status, at, { ...stage, afterStageWaitStatus: over });
}

const withStage = (status: UpgradeRunStatus, at: number, stage: StageUpgrade): UpgradeRunStatus => ({
  ...status,
  stages: status.stages.with(at, stage),
});

const withGroup = (
  status: UpgradeRunStatus,
  { stageAt, groupAt }: { readonly stageAt: number; readonly groupAt: number },
  change: (group: GroupUpgrade) => GroupUpgrade,
): UpgradeRunStatus => {
  const stage = status.stages[stageAt]!;
  const group = stage.groups[groupAt]!;
  return withStage(status, stageAt, { ...stage, groups: stage.groups.with(groupAt, change(group)) });
};
