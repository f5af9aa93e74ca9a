import type { GateStatus, GroupUpgrade, StageUpgrade, UpgradeRunStatus } from '../../api/upgrade-status.ts';
import type { Skips } from './skips.ts';
import { mapMembers } from './tree.ts';

/**
 * The run as a raised `attempt` continues it: members that failed, and those that were skipped although the file does not skip
 * them, are to be done again. Images stay as they were selected; gates and waits that were passed stay passed.
 */
export function nextAttempt(before: UpgradeRunStatus, attempt: number, skips: Skips): UpgradeRunStatus {
  const again = mapMembers(before, (member, { stage, group }) => {
    const { state } = member.status;
    const isSkipped = skips.stage(stage.name) || skips.group(group.name) || skips.member(member.name);
    if ((state !== 'Failed' && state !== 'Skipped') || isSkipped) return member;
    // Of a failed operation nothing is done.
    const { hop: _, ...again } = member;
    return { ...again, status: { state: 'NotStarted' } };
  });
  const { completedTime: _, error: __, ...status } = again.status;
  return {
    ...again,
    attempt,
    status: { ...status, state: 'Running' },
    stages: again.stages.map((stage) => ({
      ...openGates(stage),
      groups: stage.groups.map(openGates),
      ...(stage.afterStageWaitStatus && {
        afterStageWaitStatus:
          stage.afterStageWaitStatus.status.state === 'Skipped' && !skips.wait(stage.name)
            ? { ...stage.afterStageWaitStatus, status: { state: 'NotStarted' as const } }
            : stage.afterStageWaitStatus,
      }),
    })),
  };
}

/** Gates that were skipped or rejected are asked again; what a user still skips is skipped again. */
const openGates = <S extends StageUpgrade | GroupUpgrade>(scope: S): S => ({
  ...scope,
  beforeGates: scope.beforeGates.map(notAsked),
  afterGates: scope.afterGates.map(notAsked),
});

const notAsked = (gate: GateStatus): GateStatus => {
  const { gateId: _, absoluteStartTime: __, ...rest } = gate;
  if (gate.status.state === 'Skipped') return { ...rest, status: { state: 'NotStarted' } };
  return gate.status.error?.code === 'ApprovalRejected'
    ? { ...gate, status: { state: 'Pending', startTime: gate.status.startTime } }
    : gate;
};
