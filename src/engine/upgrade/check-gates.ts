import type { Problem } from '../../api/problem.ts';
import type { UpgradeGate } from '../../api/upgrade-gate.ts';
import type {
  GateStatus,
  GroupUpgrade,
  MemberUpgrade,
  StageUpgrade,
  UpgradeRunStatus,
} from '../../api/upgrade-status.ts';
import type { GateConfiguration } from '../../api/upgrade-strategy.ts';
import { recordedApprover, rejectedOnMain } from '../gate/approver.ts';
import { closedHolds, flawedApproval, staleHold, whyRefused, withdrawnOnMain } from '../gate/messages.ts';
import { withdrawnGate } from '../gate/withdrawal.ts';
import { sourceKey } from '../input.ts';
import { formatInstant, parseInstant } from '../kernel/instant.ts';
import type { Hold } from '../plan-document.ts';
import { problemOf } from '../problem-of.ts';
import { arePassed } from './derive-states.ts';
import { answerTo } from './gate-answer.ts';
import { gateIn, gatesOf, type RunGate, withGate } from './gate-names.ts';
import { addHold, addProblem, type RunContext } from './run-context.ts';
import { nextStart } from './scheduled-start.ts';
import { groupsOf } from './select-members.ts';
import { isTerminal } from './tree.ts';

/** Asks the gates of a scope, and reads the answers to those that were asked before. A gate once passed stays passed. */
export function checkGates(
  before: UpgradeRunStatus,
  context: RunContext,
  scope: Pick<RunGate, 'stageAt' | 'groupAt' | 'timing'>,
): { readonly status: UpgradeRunStatus; readonly open: boolean } {
  const gates = gatesOf(context.run.metadata.name, before).filter(
    ({ stageAt, groupAt, timing }) => stageAt === scope.stageAt && groupAt === scope.groupAt && timing === scope.timing,
  );
  const status = gates.reduce((step, gate) => withGate(step, gate, checkedGate(gate, step, context)), before);
  return { status, open: arePassed(gates.map((gate) => gateIn(status, gate))) };
}

function checkedGate(gate: RunGate, status: UpgradeRunStatus, context: RunContext): GateStatus {
  const known = gateIn(status, gate);
  const { run, update, input } = context;
  if (known.status.state === 'Completed' || known.status.state === 'Skipped') return known;
  const asked = known.status.state === 'Pending' ? known : askedGate(gate, known, context);
  const passed: GateStatus = {
    ...asked,
    status: { state: 'Completed', startTime: asked.status.startTime, completedTime: input.now },
  };
  const opensAt = asked.absoluteStartTime;
  const { absoluteStartTime: _, ...answered } = asked;
  const pending = (error?: GateStatus['status']['error']): GateStatus => ({
    ...(opensAt === undefined ? answered : asked),
    status: { state: 'Pending', startTime: asked.status.startTime, ...(error && { error }) },
  });
  if (opensAt !== undefined && parseInstant(opensAt)! <= parseInstant(input.now)!) return passed;
  const answer = answerTo(gate, { run: run.metadata.name, update, status }, input);
  const approverOf = ({ kind, metadata }: UpgradeGate) => input.approvers?.get(sourceKey(kind, metadata));
  switch (answer.kind) {
    case 'approved': {
      const approver = approverOf(answer.file);
      return approver === undefined ? passed : { ...passed, approvedBy: recordedApprover(approver) };
    }
    case 'rejected': {
      const message = rejectedOnMain(gate.name, answer.message, approverOf(answer.file));
      return pending({ code: 'ApprovalRejected', message });
    }
    case 'stale':
      holdAt(gate, context, staleHold({ name: gate.name }, answer.file.metadata.name));
      waitFor(gate, asked, context, undefined);
      return pending(asked.status.error?.code === 'ApprovalWithdrawn' ? asked.status.error : undefined);
    case 'refused': {
      const problem = flawedApproval(gate.name, answer.flaw, { request: { name: gate.name }, accepted: false });
      addProblem(context, problem, answer.file);
      waitFor(gate, asked, context, whyRefused(gate.name, answer.flaw));
      return pending();
    }
    case 'none':
      waitFor(gate, asked, context, answer.why);
      return pending(asked.status.error?.code === 'ApprovalWithdrawn' ? asked.status.error : undefined);
  }
}

/** Reports approvals that count although they do not answer the review. */
export function flawedApprovals(status: UpgradeRunStatus, context: RunContext): readonly Problem[] {
  const { run, update, input } = context;
  return gatesOf(run.metadata.name, status)
    .filter((gate) => gateIn(status, gate).status.state === 'Completed')
    .flatMap((gate) => {
      const answer = answerTo(gate, { run: run.metadata.name, update, status }, input);
      if (answer.kind !== 'approved' || answer.flaw === undefined) return [];
      const problem = flawedApproval(gate.name, answer.flaw, { request: { name: gate.name }, accepted: true });
      return [problemOf(input, { kind: answer.file.kind, name: answer.file.metadata.name }, problem)];
    });
}

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

function configOf(gate: RunGate, stages: RunContext['strategy']['stages']): GateConfiguration | undefined {
  const stage = stages[gate.stageAt];
  const scope = gate.groupAt === undefined ? stage : stage && groupsOf(stage)[gate.groupAt];
  return (gate.timing === 'Before' ? scope?.beforeGates : scope?.afterGates)?.[gate.at];
}

/** What a gate that is asked is waiting for. */
function waitFor(gate: RunGate, asked: GateStatus, context: RunContext, why: string | undefined): void {
  const { run } = context;
  const scope = gate.group === undefined ? `stage ${gate.stage}` : `group ${gate.group}`;
  const when = gate.timing === 'Before' ? 'before it starts' : 'after it finished';
  if (asked.absoluteStartTime !== undefined) {
    const message = `run ${run.metadata.name} starts ${scope} at ${asked.absoluteStartTime}`;
    holdAt(gate, context, { reason: 'WaitingForTime', message, until: asked.absoluteStartTime });
    return;
  }
  const { error, startTime: since } = asked.status;
  const holds = closedHolds({
    request: { name: gate.name },
    waiting: `run ${run.metadata.name}`,
    subject: `${scope} ${when}`,
    since,
    why,
    withdrawn: error?.code === 'ApprovalWithdrawn' ? error.message : undefined,
  });
  for (const hold of holds) holdAt(gate, context, hold);
}

function holdAt({ stage, group }: RunGate, context: RunContext, hold: Omit<Hold, 'subject'>): void {
  addHold(context, { ...hold, subject: { stage, ...(group === undefined ? {} : { group }) } });
}

/** Before the first member behind it starts, an approval whose file is removed is asked for again. */
export function withdrawGate(status: UpgradeRunStatus, context: RunContext): UpgradeRunStatus {
  const { run, update, input } = context;
  const gates = gatesOf(run.metadata.name, status)
    .filter((gate) => gateIn(status, gate).type === 'Approval')
    .sort((a, b) => passedAt(status, a) - passedAt(status, b));
  const gate = withdrawnGate({
    gates,
    isApproved: (it) => gateIn(status, it).status.state === 'Completed',
    hasStartedAfter: (it) => hasStartedBehind(status, it),
    answerTo: (it) => answerTo(it, { run: run.metadata.name, update, status }, input),
    absenceIsCertain: input.absenceIsCertain,
  });
  if (gate === undefined) return status;
  const error = { code: 'ApprovalWithdrawn', message: withdrawnOnMain(gate.name) };
  const { status: passed, approvedBy: _, ...known } = gateIn(status, gate);
  const asked: GateStatus = { ...known, status: { state: 'Pending', startTime: passed.startTime, error } };
  return closedBehind(withGate(status, gate, asked), gate);
}

const passedAt = (status: UpgradeRunStatus, gate: RunGate): number =>
  parseInstant(gateIn(status, gate).status.completedTime ?? '') ?? 0;

export const hasStartedBehind = (status: UpgradeRunStatus, gate: RunGate): boolean =>
  membersBehind(status, gate).some(({ operationId }) => operationId !== undefined);

/** Members behind a gate: of its scope, or after it, of the stages that follow. */
export function membersBehind(
  { stages }: UpgradeRunStatus,
  { stageAt, groupAt, timing }: RunGate,
): readonly MemberUpgrade[] {
  const own = stages[stageAt]!.groups.filter((_, at) => groupAt === undefined || at === groupAt);
  const later = stages.slice(stageAt + 1).flatMap(({ groups }) => groups);
  const behind = timing === 'Before' ? [...own, ...later] : later;
  return behind.flatMap(({ members }) => members);
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
