import type { MemberCluster } from '../../api/member-cluster.ts';
import type { PlanInput } from '../../engine/input.ts';

/**
 * Without observations, members without a status in their file have the one that the status branch recorded last: without it
 * no cluster would have a property. Every member counts as responding then, so the recorded agent (which has no heartbeat) is
 * left out.
 */
export function withRecordedStatus(input: PlanInput): PlanInput {
  if (input.observations !== undefined) return input;
  const members = input.fleet.members.map((member): MemberCluster => {
    const recorded = input.record.clusters.get(member.metadata.name)?.status;
    if (member.status !== undefined || recorded === undefined) return member;
    const { agentStatus: _, ...status } = recorded;
    return { ...member, status };
  });
  return { ...input, fleet: { ...input.fleet, members } };
}
