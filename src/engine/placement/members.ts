import { isLeaving, type MemberCluster, type MemberClusterStatus, type Taint } from '../../api/member-cluster.ts';
import type { ClusterName, Timestamp } from '../../api/meta.ts';
import type { ClusterObservation } from '../../api/observation.ts';
import { findCondition } from '../kernel/condition.ts';
import { parseInstant } from '../kernel/instant.ts';
import { memoize } from '../kernel/memoize.ts';
import { by } from '../kernel/ordering.ts';
import { sameValue } from '../kernel/same-value.ts';
import type { Labels } from '../kernel/selector.ts';
import { type Eligibility, evaluateEligibility } from './eligibility.ts';
import { memberProperties, type Properties } from './properties.ts';

/** A label with the cluster's name, which every cluster has even if its file does not (docs/compatibility.md). */
export const memberNameLabel = 'kubernetes-fleet.io/member-name';

/** One member as the scheduler sees it. */
export interface Member {
  readonly name: ClusterName;
  /** From the repo, `kubernetes-fleet.io/member-name` added. */
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly properties: Properties;
  /** The namespaces on the member; absent = they are not collected there, so any may exist. */
  readonly namespaces?: ReadonlySet<string>;
  /** `metadata.deletionTimestamp` is set. */
  readonly leaving: boolean;
  readonly eligibility: Eligibility;
  /** The status that all of this was read from: observed, recorded or written in the repo. */
  readonly status: MemberClusterStatus;
}

/** The part of a plan's input about members. */
interface MembersInput {
  readonly now: Timestamp;
  readonly observations: ReadonlyMap<ClusterName, ClusterObservation> | undefined;
  readonly fleet: { readonly members: readonly MemberCluster[] };
  readonly record: { readonly clusters: ReadonlyMap<ClusterName, MemberCluster> };
}

/**
 * All members by name. Where a status comes from: the observation when there are any (a member without one is unreachable
 * and keeps its recorded status), otherwise the repo. A present `agentStatus` is used as written. An absent one is derived:
 * reachable = joined and healthy with a heartbeat at `observedAt` (`now` without observations), unreachable = the recorded
 * heartbeat, or the last contact where there is none.
 */
export function surveyMembers(input: MembersInput): readonly Member[] {
  const now = parseInstant(input.now);
  if (now === undefined) throw new Error(`assertion failed: now is not an instant: ${input.now}`);
  return input.fleet.members
    .map((member): Member => {
      const leaving = isLeaving(member);
      const { status, neverStale } = resolveStatus(member, input);
      const verdict = evaluateEligibility(leaving, status, now);
      const namespaces = knownNamespaces(status);
      return {
        name: member.metadata.name,
        labels: labelsOf(member),
        taints: member.spec.taints ?? [],
        properties: memberProperties(member, status),
        ...(namespaces && { namespaces }),
        leaving,
        // A heartbeat that is always `now` never goes stale.
        eligibility: neverStale && verdict.eligible ? { eligible: true } : verdict,
        status,
      };
    })
    .sort(by((member) => member.name));
}

/** The labels that placements and overrides see, including the implied one. */
export const labelsOf = ({ metadata }: Pick<MemberCluster, 'metadata'>): Labels => labelsIn(metadata);

/** The same value for the same metadata. */
const labelsIn = memoize(
  ({ name, labels }: MemberCluster['metadata']): Labels => ({ ...labels, [memberNameLabel]: name }),
);

/** Whether a member differs from the record in what placements read. A member without a record is not changed. */
export function isChanged({ name, labels, taints, properties }: Member, { clusters }: MembersInput['record']): boolean {
  const recorded = clusters.get(name);
  if (!recorded) return false;
  const { spec, status } = recorded;
  return !(
    sameValue(labels, labelsOf(recorded)) &&
    sameValue(taints, spec.taints ?? []) &&
    (status === undefined || sameValue(properties, memberProperties(recorded, status)))
  );
}

interface ResolvedStatus {
  readonly status: MemberClusterStatus;
  readonly neverStale: boolean;
}

function resolveStatus(member: MemberCluster, { now, observations, record }: MembersInput): ResolvedStatus {
  const name = member.metadata.name;
  if (observations === undefined) {
    const versions = member.status?.versions ?? record.clusters.get(name)?.status?.versions;
    const status = { ...member.status, ...(versions && { versions }) };
    return status.agentStatus
      ? { status, neverStale: false }
      : { status: withHeartbeat(status, now), neverStale: true };
  }
  const observation = observations.get(name);
  const recorded = record.clusters.get(name)?.status ?? {};
  if (observation?.reachable) {
    const status = withVersions(observation);
    return {
      status: status.agentStatus ? status : withHeartbeat(status, observation.observedAt ?? now),
      neverStale: false,
    };
  }
  const status = { ...recorded, ...observation?.memberStatus };
  if (observation?.memberStatus?.agentStatus) return { status, neverStale: false };
  return { status: withLastContact(status, observation?.observedAt), neverStale: false };
}

/** What a member runs is recorded with its status. The same value for the same observation. */
const withVersions = memoize(
  ({ memberStatus = {}, versions }: ClusterObservation): MemberClusterStatus =>
    versions === undefined ? memberStatus : { ...memberStatus, versions },
);

const withHeartbeat = (status: MemberClusterStatus, at: Timestamp): MemberClusterStatus => ({
  ...status,
  agentStatus: [{ type: 'MemberAgent', conditions: joinedAndHealthy, lastReceivedHeartbeat: at }],
});

/** One value, so that statuses that differ in their heartbeats only are found to be the same. */
const joinedAndHealthy = [
  { type: 'Joined', status: 'True', reason: 'Reachable' } as const,
  { type: 'Healthy', status: 'True', reason: 'Reachable' } as const,
];

/** The record has no heartbeats, so the last contact takes their place. */
function withLastContact(status: MemberClusterStatus, at: Timestamp | undefined): MemberClusterStatus {
  if (at === undefined) return status;
  // 1970-01-01T00:00:00Z means that it never responded: whether it joined is unknown.
  if (!status.agentStatus && parseInstant(at) === 0)
    return { ...status, agentStatus: [{ type: 'MemberAgent', lastReceivedHeartbeat: at }] };
  if (!status.agentStatus) return withHeartbeat(status, at);
  return {
    ...status,
    agentStatus: status.agentStatus.map((agent) => ({
      ...agent,
      lastReceivedHeartbeat: agent.lastReceivedHeartbeat ?? at,
    })),
  };
}

/** KubeFleet's NamespaceAffinity only filters members that report the collection, whatever its outcome. */
const knownNamespaces = (status: MemberClusterStatus): ReadonlySet<string> | undefined =>
  findCondition(status.conditions, 'NamespaceCollectionSucceeded')
    ? new Set(Object.keys(status.namespaces ?? {}))
    : undefined;
