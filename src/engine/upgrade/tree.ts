import type {
  GateStatus,
  GroupUpgrade,
  MemberUpgrade,
  ScopeStatus,
  StageUpgrade,
  UpgradeRunStatus,
  UpgradeState,
} from '../../api/upgrade-status.ts';

type WithStatus = { readonly status: { readonly state: UpgradeState } };

/** Nothing happens to it any more in this attempt. */
export const isTerminal = ({ status: { state } }: WithStatus): boolean =>
  state === 'Completed' || state === 'Skipped' || state === 'Failed';

/** It has what the run brings, or was left out. */
export const isDone = ({ status: { state } }: WithStatus): boolean => state === 'Completed' || state === 'Skipped';

/** Its operation was started, and has no outcome yet. */
export const isInFlight = ({ status: { state } }: WithStatus): boolean => state === 'Running';

export const isSkipped = ({ status: { state } }: WithStatus): boolean => state === 'Skipped';

export const isReached = ({ status }: { readonly status: ScopeStatus }): boolean => status.startTime !== undefined;

export const membersOf = ({ groups }: StageUpgrade): readonly MemberUpgrade[] =>
  groups.flatMap(({ members }) => members);

export const allMembers = ({ stages }: UpgradeRunStatus): readonly MemberUpgrade[] => stages.flatMap(membersOf);

/** The run with changed members. A group without a change stays the same value. */
export function mapMembers(
  status: UpgradeRunStatus,
  change: (member: MemberUpgrade, at: { readonly stage: StageUpgrade; readonly group: GroupUpgrade }) => MemberUpgrade,
): UpgradeRunStatus {
  const stages = status.stages.map((stage) => {
    const groups = stage.groups.map((group) => {
      const members = group.members.map((member) => change(member, { stage, group }));
      return members.every((member, at) => member === group.members[at]) ? group : { ...group, members };
    });
    return groups.every((group, at) => group === stage.groups[at]) ? stage : { ...stage, groups };
  });
  return { ...status, stages };
}

/** Code of a member that starts, unless what its API server is asked now stands against that. */
const preflightPending = 'PreflightPending';

export const asked = (message: string): NonNullable<ScopeStatus['error']> => ({ code: preflightPending, message });

/** Nothing is known yet that it would have to wait for. */
export const isAsked = ({ status: { state, error } }: { readonly status: ScopeStatus }): boolean =>
  state === 'Pending' && error?.code === preflightPending;

/** A skipped scope: gates that were not passed are skipped with it. */
export const withoutGates = <S extends GroupUpgrade | StageUpgrade>(scope: S): S => ({
  ...scope,
  beforeGates: scope.beforeGates.map(skippedGate),
  afterGates: scope.afterGates.map(skippedGate),
});

const skippedGate = (gate: GateStatus): GateStatus =>
  gate.status.state === 'Completed' ? gate : { ...gate, status: { state: 'Skipped' } };

/** The member with another status: what was done stays in its other fields. */
export const withStatus = (member: MemberUpgrade, status: ScopeStatus): MemberUpgrade => ({ ...member, status });

/** The member is over. A state keeps the instant at which it began. */
export const ended = (
  member: MemberUpgrade,
  state: 'Completed' | 'Skipped' | 'Failed',
  { now, error }: { readonly now: string | undefined; readonly error?: ScopeStatus['error'] },
): MemberUpgrade =>
  withStatus(member, {
    state,
    // A member that never started has no start time.
    ...(isInFlight(member) || member.status.state === 'Failed' ? { startTime: member.status.startTime } : {}),
    ...(now === undefined ? {} : { completedTime: now }),
    ...(error === undefined ? {} : { error }),
  });
