import type { MemberCluster } from '../api/member-cluster.ts';
import type { ClusterName } from '../api/meta.ts';
import type { Fleet, PlanInput } from '../engine/input.ts';
import { absenceMeansNothing } from '../engine/recovery/last-good.ts';

/**
 * Clusters of a fleet that another one lacks, and that cannot have been observed yet. A daemon plans a commit before it has contact with
 * the clusters that the commit adds.
 */
export function joiningMembers({ fleet, observations, record }: PlanInput, next: Fleet): ReadonlySet<ClusterName> {
  if (!record.exists && observations === undefined) return new Set();
  const kind = 'MemberCluster';
  // The last good version of a broken file is in effect.
  const kept = [...record.clusters.keys()].filter((name) => absenceMeansNothing(fleet, { kind, name }));
  const known = new Set<string>([...fleet.members.map(({ metadata }) => metadata.name), ...kept]);
  return new Set(
    next.members
      .filter(({ metadata: { name }, status }) => !known.has(name) && !observations?.has(name) && !status?.agentStatus)
      .map(({ metadata }) => metadata.name),
  );
}

/** An input before the first contact with these clusters. */
export function beforeContact(input: PlanInput, joining: ReadonlySet<ClusterName>): PlanInput {
  if (joining.size === 0) return input;
  const members = input.fleet.members.map((member) =>
    joining.has(member.metadata.name) ? { ...member, status: { ...member.status, ...withoutContact } } : member,
  );
  return { ...input, fleet: { ...input.fleet, members } };
}

const withoutContact = {
  agentStatus: [{ type: 'MemberAgent', lastReceivedHeartbeat: '1970-01-01T00:00:00Z' }],
} as unknown as MemberCluster['status'];
