import type { ScopeStatus, StageUpgrade, WaitStatus } from '../../api/upgrade-status.ts';
import { formatInstant, type Instant, parseInstant } from '../kernel/instant.ts';
import { checkGates, openDueStarts } from './check-gates.ts';
import { isHalted, withStates } from './derive-states.ts';
import { withLimits } from './limits.ts';
import { type RunContext, type RunStep, withHold, withHolds } from './run-context.ts';
import { notOpened, startMembers } from './start-members.ts';
import { isReached, isSkipped, isTerminal } from './tree.ts';
import type { WantedUpgrade } from './wanted-upgrade.ts';

/** Goes through the stages in order, as far as they are over or can be entered. */
export function advanceStages(before: RunStep, context: StageContext): RunStep {
  const step = advanced(before, context);
  const failed = !isHalted(before.status, context) && isHalted(step.status, context);
  // What waited before the run failed waits no more.
  return failed ? advanceStages({ ...before, status: step.status }, context) : step;
}

function advanced(before: RunStep, context: StageContext): RunStep {
  let step = derived(before, context);
  for (let at = 0; at < step.status.stages.length; at++) {
    if (isTerminal(step.status.stages[at]!)) continue;
    step = derived(advanceStage(step, at, context), context);
    if (!isTerminal(step.status.stages[at]!)) return derived(withLaterClosed(step, at, context), context);
  }
  return step;
}

/** Stages that were entered before a raised attempt opened an earlier one again wait for it. */
function withLaterClosed(step: RunStep, at: number, context: StageContext): RunStep {
  if (isHalted(step.status, context)) return step;
  const stages = step.status.stages.map((stage, place) => (place > at && isReached(stage) ? notOpened(stage) : stage));
  return { ...step, status: { ...step.status, stages } };
}

type StageContext = RunContext & { readonly wanted: WantedUpgrade; readonly nowMs: Instant };

const derived = (step: RunStep, { skips, stopped, input }: RunContext): RunStep => ({
  ...step,
  status: withStates(step.status, { skips, stopped, now: input.now }),
});

function advanceStage(before: RunStep, at: number, context: StageContext): RunStep {
  if (isHalted(before.status, context)) return withWaitOver(openDueStarts(before, context, at), at, context);
  const reached = reachStage(before, at, context);
  const entry = checkGates(reached, context, { stageAt: at, groupAt: undefined, timing: 'Before' });
  if (!entry.open) return entry.step;
  const entered = enterGroups(entry.step, at, context);
  // A gate was rejected.
  if (isHalted(entered.step.status, context)) return entered.step;
  const { stage, holds, wakes } = startMembers(entered.step.status.stages[at]!, {
    ...context,
    openGroups: entered.open,
  });
  const held = withHolds(entered.step, context, holds);
  const started = withStage({ ...held, wakes: [...held.wakes, ...wakes] }, at, stage);
  return leaveStage(leaveGroups(derived(started, context), at, context), at, context);
}

function reachStage(step: RunStep, at: number, { strategy, input }: RunContext): RunStep {
  const stage = step.status.stages[at]!;
  if (isReached(stage)) return step;
  // Failure limits are fixed as the stage starts.
  const limited = withLimits(stage, strategy.stages[at]!);
  return withStage(step, at, { ...limited, status: reachedAt(limited.status, input.now) });
}

const reachedAt = (status: ScopeStatus, now: string): ScopeStatus => ({ ...status, startTime: now });

/** Groups run in parallel, each behind gates of its own. */
function enterGroups(
  before: RunStep,
  stageAt: number,
  context: StageContext,
): { readonly step: RunStep; readonly open: ReadonlySet<number> } {
  let step = before;
  const open = new Set<number>();
  for (const [groupAt, group] of before.status.stages[stageAt]!.groups.entries()) {
    if (isTerminal(group)) continue;
    const reached = isReached(group) ? group : { ...group, status: reachedAt(group.status, context.input.now) };
    const stage = step.status.stages[stageAt]!;
    step = withStage(step, stageAt, { ...stage, groups: stage.groups.with(groupAt, reached) });
    const entry = checkGates(step, context, { stageAt, groupAt, timing: 'Before' });
    step = entry.step;
    if (entry.open) open.add(groupAt);
  }
  return { step, open };
}

/** After-gates of groups whose members are over. */
const leaveGroups = (before: RunStep, stageAt: number, context: StageContext): RunStep =>
  before.status.stages[stageAt]!.groups.reduce((step, group, groupAt) => {
    const stays = isTerminal(group) || !group.members.every(isTerminal) || isHalted(step.status, context);
    return stays ? step : checkGates(step, context, { stageAt, groupAt, timing: 'After' }).step;
  }, before);

/** After-gates of the stage, and at the same time its wait. */
function leaveStage(before: RunStep, at: number, context: StageContext): RunStep {
  const step = derived(before, context);
  const stage = step.status.stages[at]!;
  const isOver = stage.groups.every(isTerminal) && !stage.groups.every(isSkipped);
  if (isTerminal(stage) || !isOver || isHalted(step.status, context)) return step;
  const gated = checkGates(step, context, { stageAt: at, groupAt: undefined, timing: 'After' }).step;
  const left = gated.status.stages[at]!;
  const wait = left.afterStageWaitStatus;
  if (wait?.status.state !== 'NotStarted') return withWaitOver(gated, at, context);
  const running: WaitStatus = { ...wait, status: { state: 'Running', startTime: context.input.now } };
  return withWaitOver(withStage(gated, at, { ...left, afterStageWaitStatus: running }), at, context);
}

/** The wait counts the time that really passes, also while the run is stopped. */
function withWaitOver(step: RunStep, at: number, context: StageContext): RunStep {
  const stage = step.status.stages[at]!;
  const wait = stage.afterStageWaitStatus;
  if (wait?.status.state !== 'Running') return step;
  const { input, nowMs, skips } = context;
  const ends = parseInstant(wait.status.startTime ?? '')! + wait.waitDurationInSeconds * 1000;
  const isSkippedWait = skips.wait(stage.name);
  if (ends > nowMs && !isSkippedWait) {
    const until = formatInstant(ends);
    const message = `run ${context.run.metadata.name} waits after stage ${stage.name} until ${until}`;
    return withHold(step, context, { of: { stage: stage.name }, reason: 'WaitingForTime', message, until });
  }
  const state = isSkippedWait ? 'Skipped' : 'Completed';
  const over: WaitStatus = { ...wait, status: { ...wait.status, state, completedTime: input.now } };
  return withStage(step, at, { ...stage, afterStageWaitStatus: over });
}

const withStage = (step: RunStep, at: number, stage: StageUpgrade): RunStep => ({
  ...step,
  status: { ...step.status, stages: step.status.stages.with(at, stage) },
});
