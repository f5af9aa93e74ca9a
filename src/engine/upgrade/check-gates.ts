import type {
  GateStatus,
  GroupUpgrade,
  MemberUpgrade,
  StageUpgrade,
  UpgradeRunStatus,
} from '../../api/upgrade-status.ts';
import type { GateConfiguration } from '../../api/upgrade-strategy.ts';
import { closedHolds, type GateHold, withdrawnOnMain } from '../gate/messages.ts';
import { outcomeOf } from '../gate/outcome.ts';
import { acceptedFlaws, withdrawnGate } from '../gate/run-gates.ts';
import { formatInstant, parseInstant } from '../kernel/instant.ts';
import { arePassed, isHalted } from './derive-states.ts';
import { answerTo, approvalsInOrder, gatesIn, type Reviewed } from './gate-answer.ts';
import { gateIn, gatesOf, type RunGate, withGate } from './gate-names.ts';
import { type RunContext, type RunStep, withHolds, withProblem } from './run-context.ts';
import { nextStart } from './scheduled-start.ts';
import { groupsOf } from './select-members.ts';
import { isTerminal, membersOf } from './tree.ts';

/** Asks the gates of a scope, and reads the answers to those that were asked before. A gate once passed stays passed. */
export function checkGates(
  before: RunStep,
  context: RunContext,
  scope: Pick<RunGate, 'stageAt' | 'groupAt' | 'timing'>,
): { readonly step: RunStep; readonly open: boolean } {
  const gates = gatesOf(context.run.metadata.name, before.status).filter(
    ({ stageAt, groupAt, timing }) => stageAt === scope.stageAt && groupAt === scope.groupAt && timing === scope.timing,
  );
  const step = gates.reduce((earlier, gate) => checkGate(earlier, context, gate), before);
  return { step, open: arePassed(gates.map((gate) => gateIn(step.status, gate))) };
}

function checkGate(before: RunStep, context: RunContext, gate: RunGate): RunStep {
  const { now, approvers } = context.input;
  const noted = gateIn(before.status, gate);
  if (noted.status.state === 'Completed' || noted.status.state === 'Skipped') return before;
  const { approvedBy: _, ...known } = noted;
  const asked = known.status.state === 'Pending' ? known : askedGate(gate, known, context);
  const { startTime, error } = asked.status;
  const opensAt = asked.type === 'ScheduledStart' ? asked.absoluteStartTime : undefined;
  const next = (status: GateStatus['status'], of: Partial<GateStatus> = {}, step = before): RunStep => ({
    ...step,
    status: withGate(step.status, gate, { ...asked, ...of, status }),
  });
  const passed = { state: 'Completed' as const, startTime, completedTime: now };
  if (opensAt !== undefined && parseInstant(opensAt)! <= parseInstant(now)!) return next(passed);
  const request = { name: gate.name };
  const waiting = (why?: string) => waitingFor(gate, asked, { context, why, until: opensAt });
  const outcome = outcomeOf(answerTo(gate, reviewedIn(before, context), context.input), {
    request,
    waiting,
    approvers,
  });
  switch (outcome.kind) {
    case 'approved':
      return next(passed, outcome.approvedBy && { approvedBy: outcome.approvedBy });
    case 'rejected':
      return next({ state: 'Pending', startTime, error: { code: 'ApprovalRejected', message: outcome.message } });
    case 'closed': {
      const { holds, refused } = outcome;
      const of = { stage: gate.stage, ...(gate.group === undefined ? {} : { group: gate.group }) };
      const held = withHolds(
        before,
        context,
        holds.map((hold) => ({ ...hold, of })),
      );
      const step = refused ? withProblem(held, context, refused.problem, refused.file) : held;
      const isWithdrawn = error?.code === 'ApprovalWithdrawn';
      return next({ state: 'Pending', startTime, ...(isWithdrawn && { error }) }, {}, step);
    }
  }
}

/** Scheduled starts of a stage that nothing starts in for now: they were asked before, and open at their time all the same. */
export function openDueStarts(before: RunStep, { run, input: { now } }: RunContext, stageAt: number): RunStep {
  let step = before;
  for (const gate of gatesOf(run.metadata.name, before.status)) {
    const known = gateIn(step.status, gate);
    const { absoluteStartTime: opensAt, status } = known;
    if (gate.stageAt !== stageAt || opensAt === undefined || status.state !== 'Pending') continue;
    if (parseInstant(opensAt)! > parseInstant(now)!) step = { ...step, wakes: [...step.wakes, opensAt] };
    else
      step = {
        ...step,
        status: withGate(step.status, gate, {
          ...known,
          status: { state: 'Completed', startTime: status.startTime, completedTime: now },
        }),
      };
  }
  return step;
}

/**
 * A run in which nothing starts opens no gate. That main approves an asked one is known all the same: it counts once the run continues.
 * Removing the file, or another review, ends that.
 */
export function noteAnswers(before: UpgradeRunStatus, context: RunContext): UpgradeRunStatus {
  if (!isHalted(before, context)) return before;
  const { approvers } = context.input;
  return gatesOf(context.run.metadata.name, before).reduce((status, gate) => {
    const { approvedBy: known, ...asked } = gateIn(status, gate);
    if (asked.type !== 'Approval' || asked.status.state !== 'Pending') return status;
    const answer = answerTo(gate, reviewedIn({ status }, context), context.input);
    const outcome = outcomeOf(answer, { request: { name: gate.name }, waiting: () => [], approvers });
    const approvedBy = outcome.kind === 'approved' ? (outcome.approvedBy ?? known) : undefined;
    return withGate(status, gate, { ...asked, ...(approvedBy && { approvedBy }) });
  }, before);
}

/** What an approver of the run in its present state reviews. */
export const reviewedIn = (
  { status }: Pick<RunStep, 'status'>,
  { run, update }: Pick<RunContext, 'run' | 'update'>,
): Reviewed => ({ run: run.metadata.name, update, status });

/** Reports approvals that count although they do not answer the review. */
export const flawedApprovals = (step: RunStep, context: RunContext): RunStep =>
  acceptedFlaws(gatesIn(reviewedIn(step, context), context.input)).reduce(
    (before, { file, problem }) => withProblem(before, context, problem, file),
    step,
  );

/** The gate as it is reached. */
function askedGate(gate: RunGate, known: GateStatus, { strategy, input: { now } }: RunContext): GateStatus {
  const start = configOf(gate, strategy.stages)?.scheduledStartConfiguration;
  return {
    ...known,
    gateId: gate.name,
    ...(start && { absoluteStartTime: formatInstant(nextStart(start, parseInstant(now)!)) }),
    status: { state: 'Pending', startTime: now },
  };
}

/** What the strategy of its run says of a gate. */
export function configOf(gate: RunGate, stages: RunContext['strategy']['stages']): GateConfiguration | undefined {
  const stage = stages[gate.stageAt];
  const scope = gate.groupAt === undefined ? stage : stage && groupsOf(stage)[gate.groupAt];
  return (gate.timing === 'Before' ? scope?.beforeGates : scope?.afterGates)?.[gate.at];
}

/** What a gate that is asked is waiting for. */
function waitingFor(
  { name, stage, group, timing }: RunGate,
  { status: { error, startTime } }: GateStatus,
  {
    context: { run },
    why,
    until,
  }: { readonly context: RunContext; readonly why: string | undefined; readonly until: string | undefined },
): readonly GateHold[] {
  const scope = group === undefined ? `stage ${stage}` : `group ${group}`;
  const waiting = `run ${run.metadata.name}`;
  if (until !== undefined)
    return [{ reason: 'WaitingForTime', message: `${waiting} starts ${scope} at ${until}`, until }];
  return closedHolds({
    request: { name },
    waiting,
    subject: `${scope} ${timing === 'Before' ? 'before it starts' : 'after it finished'}`,
    since: startTime,
    why,
    withdrawn: error?.code === 'ApprovalWithdrawn' ? error.message : undefined,
  });
}

/** Before the first member behind it starts, an approval whose file is removed is asked for again. */
export function withdrawGate(status: UpgradeRunStatus, context: RunContext): UpgradeRunStatus {
  const gate = withdrawnGate(approvalsInOrder(reviewedIn({ status }, context), context.input), {
    hasStartedAfter: (it) => hasStartedBehind(status, it),
    absenceIsCertain: context.input.absenceIsCertain,
  });
  if (gate === undefined) return status;
  const error = { code: 'ApprovalWithdrawn', message: withdrawnOnMain(gate.name) };
  const { status: passed, approvedBy: _, ...known } = gateIn(status, gate);
  const asked: GateStatus = { ...known, status: { state: 'Pending', startTime: passed.startTime, error } };
  return closedBehind(withGate(status, gate, asked), gate);
}

export const hasStartedBehind = (status: UpgradeRunStatus, gate: RunGate): boolean =>
  membersBehind(status, gate).some(({ operationId }) => operationId !== undefined);

/** Members of the stage or the group of a gate. */
export const membersOfScope = ({ stages }: UpgradeRunStatus, { stageAt, groupAt }: RunGate): readonly MemberUpgrade[] =>
  stages[stageAt]!.groups.flatMap(({ members }, at) => (groupAt === undefined || at === groupAt ? members : []));

/** Members behind a gate: of its scope, or after it, of the stages that follow. */
export function membersBehind(status: UpgradeRunStatus, gate: RunGate): readonly MemberUpgrade[] {
  const later = status.stages.slice(gate.stageAt + 1).flatMap(membersOf);
  return gate.timing === 'Before' ? [...membersOfScope(status, gate), ...later] : later;
}

/** What was reached only because of the approval is not reached any more. */
function closedBehind(status: UpgradeRunStatus, { stageAt, groupAt, timing }: RunGate): UpgradeRunStatus {
  const stages = status.stages.map((stage, at) => {
    if (at < stageAt) return stage;
    if (at > stageAt) return { ...unreached(stage), groups: stage.groups.map(unreachedGroup) };
    if (timing === 'After' || groupAt !== undefined) return stage;
    return { ...stage, groups: stage.groups.map(unreachedGroup) };
  });
  return { ...status, stages };
}

const unreached = <S extends StageUpgrade | GroupUpgrade>(scope: S): S => ({
  ...scope,
  status: { state: 'NotStarted' },
  beforeGates: scope.beforeGates.map(notAsked),
  afterGates: scope.afterGates.map(notAsked),
});

const unreachedGroup = (group: GroupUpgrade): GroupUpgrade => ({
  ...unreached(group),
  members: group.members.map((member) =>
    isTerminal(member) ? member : { ...member, status: { state: 'NotStarted' } },
  ),
});

const notAsked = (gate: GateStatus): GateStatus => {
  if (gate.status.state !== 'Pending') return gate;
  const { gateId: _, absoluteStartTime: __, ...rest } = gate;
  return { ...rest, status: { state: 'NotStarted' } };
};
