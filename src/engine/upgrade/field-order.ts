import type {
  GateStatus,
  GroupUpgrade,
  MemberUpgrade,
  StageUpgrade,
  UpgradeRunStatus,
} from '../../api/upgrade-status.ts';

/** The status with its fields in the order of the schema, whatever was changed last: it is compared and published as text. */
export const inFieldOrder = (run: UpgradeRunStatus): UpgradeRunStatus => ({
  ...ordered(run, ['status', 'attempt', 'failureCount', 'nodeImageSelection', 'stages', 'earlyApprovals']),
  status: statusInOrder(run.status),
  stages: run.stages.map(
    (stage): StageUpgrade => ({
      ...ordered(stage, [...scopeFields, 'beforeGates', 'groups', 'afterGates', 'afterStageWaitStatus']),
      ...scopeInOrder(stage),
      groups: stage.groups.map(
        (group): GroupUpgrade => ({
          ...ordered(group, [...scopeFields, 'beforeGates', 'members', 'afterGates']),
          ...scopeInOrder(group),
          members: group.members.map(memberInOrder),
        }),
      ),
      ...(stage.afterStageWaitStatus && {
        afterStageWaitStatus: {
          ...stage.afterStageWaitStatus,
          status: statusInOrder(stage.afterStageWaitStatus.status),
        },
      }),
    }),
  ),
});

const scopeFields = ['name', 'status', 'failureCount', 'maxConcurrency', 'maxAllowedFailures'] as const;

const scopeInOrder = ({ status, beforeGates, afterGates }: StageUpgrade | GroupUpgrade) => ({
  status: statusInOrder(status),
  beforeGates: beforeGates.map(gateInOrder),
  afterGates: afterGates.map(gateInOrder),
});

const gateInOrder = (gate: GateStatus): GateStatus => ({
  ...ordered(gate, ['displayName', 'type', 'gateId', 'absoluteStartTime', 'status', 'approvedBy']),
  status: statusInOrder(gate.status),
});

/** Most members of a run do not change from one plan to the next: one that is in order stays the same value. */
function memberInOrder(member: MemberUpgrade): MemberUpgrade {
  if (inOrder.has(member)) return member;
  const next = {
    ...ordered(member, ['name', 'clusterResourceId', 'status', 'operationId', 'type', 'from', 'to', 'message', 'hop']),
    status: statusInOrder(member.status),
  };
  inOrder.add(next);
  return next;
}

const inOrder = new WeakSet<MemberUpgrade>();

const statusInOrder = <S extends GateStatus['status'] | MemberUpgrade['status']>(status: S): S =>
  ordered(status, ['state', 'startTime', 'completedTime', 'error']);

/** The fields that are there, in this order; others after them. */
function ordered<T extends object>(of: T, fields: readonly (keyof T & string)[]): T {
  const { ...rest } = of;
  const first: Partial<T> = {};
  for (const field of fields) {
    if (of[field] !== undefined) first[field] = of[field];
    delete rest[field];
  }
  return { ...first, ...rest } as T;
}
