import type { MemberCluster, MemberClusterStatus } from '../../api/member-cluster.ts';
import { findCondition } from '../kernel/condition.ts';
import { sameValue } from '../kernel/same-value.ts';
import type { Member } from '../placement/members.ts';
import type { RecordDocument } from '../plan-document.ts';
import { objectDocument } from '../record/documents.ts';

/**
 * `clusters/<name>.yaml`: the member with its status, without heartbeats and observation times. Resource usage changes all the
 * time: the published usage stays unless something else changes too (docs/status-branch.md).
 */
export function clusterDocument(
  cluster: MemberCluster,
  member: Member,
  recorded: MemberCluster | undefined,
): RecordDocument {
  const status = sinceRecorded(published(member.status), recorded?.status);
  const next = { ...cluster, status };
  if (!recorded) return objectDocument(next);
  const { resourceUsage: _a, ...withoutUsage } = status;
  const { resourceUsage, ...recordedStatus } = recorded.status ?? {};
  const unchanged =
    JSON.stringify({ ...cluster, status: withoutUsage }) === JSON.stringify({ ...recorded, status: recordedStatus });
  return objectDocument(
    unchanged ? { ...next, status: { ...withoutUsage, ...(resourceUsage ? { resourceUsage } : {}) } } : next,
  );
}

/** Whether a status says the same as the recorded one of what is read of a cluster, without its usage. */
export function showsRecorded(status: MemberClusterStatus, recorded: MemberClusterStatus): boolean {
  const { properties, conditions } = published(status);
  return sameValue([properties, conditions], [recorded.properties, recorded.conditions]);
}

/** Every daemon dates a member's health from its own first contact: as long as the health is the same, the recorded date stays. */
function sinceRecorded(status: MemberClusterStatus, recorded: MemberClusterStatus | undefined): MemberClusterStatus {
  if (!status.agentStatus || !recorded?.agentStatus) return status;
  const agents = new Map(recorded.agentStatus.map((agent) => [agent.type, agent.conditions]));
  return {
    ...status,
    agentStatus: status.agentStatus.map((agent) => ({
      ...agent,
      ...(agent.conditions
        ? {
            conditions: agent.conditions.map((condition) => {
              const before = findCondition(agents.get(agent.type), condition.type);
              return before?.status === condition.status && before.lastTransitionTime && condition.lastTransitionTime
                ? { ...condition, lastTransitionTime: before.lastTransitionTime }
                : condition;
            }),
          }
        : {}),
    })),
  };
}

function published(status: MemberClusterStatus): MemberClusterStatus {
  const { properties, resourceUsage, agentStatus, conditions, ...rest } = status;
  return {
    ...rest,
    ...(conditions ? { conditions } : {}),
    ...(properties
      ? {
          properties: Object.fromEntries(
            Object.entries(properties)
              .sort()
              .map(([name, { value }]) => [name, { value }]),
          ),
        }
      : {}),
    ...(agentStatus ? { agentStatus: agentStatus.map(({ lastReceivedHeartbeat: _, ...agent }) => agent) } : {}),
    ...(resourceUsage ? { resourceUsage: withoutTime(resourceUsage) } : {}),
  };
}

function withoutTime<T extends { observationTime?: string | undefined }>({
  observationTime: _,
  ...rest
}: T): Omit<T, 'observationTime'> {
  return rest;
}
