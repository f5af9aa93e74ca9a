import type {
  GateStatus,
  GroupUpgrade,
  MemberUpgrade,
  ScopeStatus,
  StageUpgrade,
  UpgradeRunStatus,
  UpgradeState,
} from '../../api/upgrade-status.ts';
import { shortList } from '../kernel/short-list.ts';
import type { Skips } from './skips.ts';
import { isInFlight, isReached, isSkipped, isTerminal, withoutGates } from './tree.ts';

/** What the states of a run follow from, beyond its members, gates and waits. */
export interface Grounds {
  readonly skips: Skips;
  /** Nothing may start: the run is stopped, or its file is removed. */
  readonly stopped: boolean;
  /** Undefined = the run has not started: what a user skips in it has no end either. */
  readonly now: string | undefined;
}

/**
 * The run with the states of all its scopes, which follow from members, gates and waits. Nothing else writes them.
 * (AKS Fleet documents no rule for every case; docs/compatibility.md, Cluster upgrades.)
 */
export function withStates(status: UpgradeRunStatus, grounds: Grounds): UpgradeRunStatus {
  const counted = status.stages.map(withFailures);
  const halted = grounds.stopped || counted.some(isStageFailing);
  const stages = counted.map((stage) => stageState(stage, { ...grounds, halted }));
  return { ...status, ...runState(status, stages, { ...grounds, halted }) };
}

/** Whether nothing may start in a run any more: it is stopped, or a scope is over its failures. */
export const isHalted = (status: Pick<UpgradeRunStatus, 'stages'>, { stopped }: Pick<Grounds, 'stopped'>): boolean =>
  stopped || status.stages.map(withFailures).some(isStageFailing);

interface ScopeGrounds extends Grounds {
  readonly halted: boolean;
}

function withFailures(stage: StageUpgrade): StageUpgrade {
  const groups = stage.groups.map((group) => ({ ...group, failureCount: failuresIn(group.members) }));
  return { ...stage, groups, failureCount: groups.reduce((sum, { failureCount }) => sum + failureCount, 0) };
}

const failuresIn = (members: readonly MemberUpgrade[]): number =>
  members.filter(({ status }) => status.state === 'Failed').length;

type Gated = Pick<GroupUpgrade, 'beforeGates' | 'afterGates' | 'failureCount' | 'maxAllowedFailures'>;

const isOwnFailure = ({ failureCount, maxAllowedFailures, ...gates }: Gated): boolean =>
  failureCount > maxAllowedFailures || rejectedGate(gates) !== undefined;

const isStageFailing = (stage: StageUpgrade): boolean => isOwnFailure(stage) || stage.groups.some(isOwnFailure);

const rejectedGate = ({ beforeGates, afterGates }: Pick<Gated, 'beforeGates' | 'afterGates'>): GateStatus | undefined =>
  [...beforeGates, ...afterGates].find(({ status }) => status.error?.code === 'ApprovalRejected');

/** The state of a scope, in the order of the rules. */
function stateOf(scope: {
  readonly children: readonly { readonly status: ScopeStatus }[];
  readonly inFlight: boolean;
  readonly isUserSkipped: boolean;
  readonly isFailing: boolean;
  readonly halted: boolean;
  readonly reached: boolean;
  /** Gates that are asked and not answered. */
  readonly isGatePending: boolean;
  /** After-gates and wait. */
  readonly isRestDone: boolean;
  readonly isWaiting: boolean;
}): UpgradeState {
  const { children, inFlight, reached } = scope;
  const areDone = children.every(isTerminal);
  if (scope.isUserSkipped && !inFlight) return 'Skipped';
  if (scope.isFailing) return inFlight ? 'Stopping' : 'Failed';
  if (children.every(isSkipped)) return 'Skipped';
  if (areDone && scope.isRestDone) return 'Completed';
  if (scope.halted) return inFlight ? 'Stopping' : reached ? 'Stopped' : 'NotStarted';
  if (inFlight || children.some(({ status }) => status.state === 'Running')) return 'Running';
  if (scope.isGatePending) return 'Pending';
  if (!areDone && reached) return 'Pending';
  if (scope.isWaiting) return 'Running';
  return 'NotStarted';
}

function groupState(group: GroupUpgrade, grounds: ScopeGrounds & { readonly isStageSkipped: boolean }): GroupUpgrade {
  const members = group.members.map((member) => memberState(member, grounds));
  const isUserSkipped = grounds.isStageSkipped || grounds.skips.group(group.name);
  const isFailing = isOwnFailure(group);
  const state = stateOf({
    children: members,
    inFlight: members.some(isInFlight),
    isUserSkipped,
    isFailing,
    halted: grounds.halted,
    reached: isReached(group),
    isGatePending: isAnyPending(group),
    isRestDone: arePassed(group.afterGates),
    isWaiting: false,
  });
  const error = isFailing ? failureOf(group, group.members) : members.length === 0 ? noMembers : undefined;
  return withGates({ ...group, members, status: scopeStatus(group.status, { state, error }, grounds) }, isUserSkipped);
}

function stageState(stage: StageUpgrade, grounds: ScopeGrounds): StageUpgrade {
  const isUserSkipped = grounds.skips.stage(stage.name);
  const groups = stage.groups.map((group) => groupState(group, { ...grounds, isStageSkipped: isUserSkipped }));
  const members = groups.flatMap((group) => group.members);
  const isFailing = isStageFailing(stage);
  const waitState = stage.afterStageWaitStatus?.status.state ?? 'Completed';
  const state = stateOf({
    children: groups,
    inFlight: members.some(isInFlight),
    isUserSkipped,
    isFailing,
    halted: grounds.halted,
    reached: isReached(stage),
    isGatePending: isAnyPending(stage),
    isRestDone: arePassed(stage.afterGates) && (waitState === 'Completed' || waitState === 'Skipped'),
    isWaiting: waitState === 'Running',
  });
  const error = isFailing ? failureOf(stage, members, groups) : members.length === 0 ? noMembers : undefined;
  const next = { ...stage, groups, status: scopeStatus(stage.status, { state, error }, grounds) };
  return withWait(withGates(next, isUserSkipped), isUserSkipped);
}

function runState(
  before: UpgradeRunStatus,
  stages: readonly StageUpgrade[],
  grounds: ScopeGrounds,
): Pick<UpgradeRunStatus, 'status' | 'stages' | 'failureCount'> {
  const failing = stages.filter(isStageFailing);
  const state = stateOf({
    children: stages,
    inFlight: stages.some(({ groups }) => groups.some(({ members }) => members.some(isInFlight))),
    isUserSkipped: false,
    isFailing: failing.length > 0,
    halted: grounds.halted,
    reached: isReached(before),
    isGatePending: false,
    isRestDone: true,
    isWaiting: false,
  });
  // What has not started has no end either.
  const shown = isReached(before) ? state : 'NotStarted';
  const members = stages.flatMap(({ groups }) => groups.flatMap((group) => group.members));
  const [failed] = failing;
  const error = failed ? failed.status.error : members.length === 0 && shown === 'Skipped' ? noMembers : undefined;
  return {
    status: scopeStatus(before.status, { state: shown, error }, grounds),
    stages: [...stages],
    failureCount: stages.reduce((sum, { failureCount }) => sum + failureCount, 0),
  };
}

/** When nothing may start, what was waiting is Stopped. */
const memberState = (member: MemberUpgrade, { halted }: ScopeGrounds): MemberUpgrade =>
  halted && member.status.state === 'Pending' ? { ...member, status: { state: 'Stopped' } } : member;

const noMembers: ScopeStatus['error'] = { code: 'NoMembers', message: 'no member cluster is selected' };

function failureOf(
  scope: Gated,
  members: readonly MemberUpgrade[],
  children: readonly { readonly status: ScopeStatus }[] = [],
): ScopeStatus['error'] {
  const rejected = rejectedGate(scope)?.status.error;
  if (rejected) return rejected;
  const ofChild = children.find(({ status }) => status.error?.code === 'ApprovalRejected')?.status.error;
  const failed = members.filter(({ status }) => status.state === 'Failed').map(({ name }) => name);
  if (failed.length === 0 && ofChild) return ofChild;
  return {
    code: 'MembersFailed',
    message: `${failed.length === 1 ? '1 member' : `${failed.length} members`} failed: ${shortList(failed)}`,
  };
}

/** A scope keeps the instant at which it was reached, and a state that ends it the instant at which it began. */
function scopeStatus(
  before: ScopeStatus,
  { state, error }: Pick<ScopeStatus, 'state' | 'error'>,
  { now }: Pick<Grounds, 'now'>,
): ScopeStatus {
  const hasEnd = isTerminal({ status: { state } }) && now !== undefined;
  const completedTime = hasEnd ? ((before.state === state ? before.completedTime : undefined) ?? now) : undefined;
  return {
    state,
    ...(before.startTime === undefined ? {} : { startTime: before.startTime }),
    ...(completedTime === undefined ? {} : { completedTime }),
    ...(error === undefined ? {} : { error }),
  };
}

const isAnyPending = ({ beforeGates, afterGates }: Pick<Gated, 'beforeGates' | 'afterGates'>): boolean =>
  [...beforeGates, ...afterGates].some(({ status }) => status.state === 'Pending');

/** Gates that let pass what is behind them. */
export const arePassed = (gates: readonly GateStatus[]): boolean =>
  gates.every(({ status: { state } }) => state === 'Completed' || state === 'Skipped');

const withGates = <S extends GroupUpgrade | StageUpgrade>(scope: S, isUserSkipped: boolean): S =>
  isUserSkipped || scope.status.state === 'Skipped' ? withoutGates(scope) : scope;

function withWait(stage: StageUpgrade, isUserSkipped: boolean): StageUpgrade {
  const wait = stage.afterStageWaitStatus;
  if (!wait || wait.status.state === 'Completed' || (!isUserSkipped && stage.status.state !== 'Skipped')) return stage;
  return { ...stage, afterStageWaitStatus: { ...wait, status: { state: 'Skipped' } } };
}
