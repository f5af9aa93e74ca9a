import { type MemberClusterStatus, memberAgentOf } from '../../api/member-cluster.ts';
import { findCondition } from '../kernel/condition.ts';
import { formatInstant, type Instant, parseInstant } from '../kernel/instant.ts';

/** KubeFleet clustereligibilitychecker/checker.go, both timeouts: constants there, not flags. */
export const heartbeatToleranceMs = 5 * 60_000;

/** Whether a member may be given new placements. `changesAt`: when time alone changes the verdict or its reason. */
export type Eligibility =
  | { readonly eligible: true; readonly changesAt?: Instant }
  | { readonly eligible: false; readonly reason: string; readonly changesAt?: Instant };

/**
 * KubeFleet's ClusterEligibility in its order: leaving, not online, stale heartbeat, not joined, health unknown, unhealthy
 * for too long. Reasons name instants where KubeFleet prints minutes, so that the text does not change by time alone.
 * "More than five minutes" is strict: a verdict changes one millisecond after the limit.
 */
export function evaluateEligibility(leaving: boolean, status: MemberClusterStatus, now: Instant): Eligibility {
  if (leaving) return { eligible: false, reason: 'cluster is leaving the fleet' };
  const agent = memberAgentOf(status);
  if (!agent)
    return { eligible: false, reason: 'cluster is not connected to the fleet: member agent is not online yet' };

  const heartbeat = parse(agent.lastReceivedHeartbeat);
  if (heartbeat === undefined) {
    return { eligible: false, reason: 'cluster is not connected to the fleet: no heartbeat was ever received' };
  }
  // For a member not reached since the daemon started, the daemon reports a heartbeat at 1970-01-01T00:00:00Z.
  if (heartbeat === 0) {
    return {
      eligible: false,
      reason: 'cluster is not connected to the fleet: it has not responded since gitfleet was started',
    };
  }
  if (now - heartbeat > heartbeatToleranceMs) {
    const since = formatInstant(heartbeat);
    return { eligible: false, reason: `cluster is not connected to the fleet: no heartbeat since ${since}` };
  }
  const staleAt = heartbeat + heartbeatToleranceMs + 1;

  const joined = findCondition(agent.conditions, 'Joined');
  if (joined?.status !== 'True') {
    return {
      eligible: false,
      reason: 'cluster is not connected to the fleet: member agent has not joined yet',
      changesAt: staleAt,
    };
  }
  const healthy = findCondition(agent.conditions, 'Healthy');
  if (!healthy) {
    return {
      eligible: false,
      reason: 'cluster is not connected to the fleet: health of the member agent is unknown',
      changesAt: staleAt,
    };
  }
  if (healthy.status === 'True') return { eligible: true, changesAt: staleAt };

  const since = parse(healthy.lastTransitionTime);
  if (since === undefined || now - since > heartbeatToleranceMs) {
    const from = since === undefined ? '' : ` since ${formatInstant(since)}`;
    return {
      eligible: false,
      reason: `cluster is not connected to the fleet: member agent is unhealthy${from}`,
      changesAt: staleAt,
    };
  }
  return { eligible: true, changesAt: Math.min(staleAt, since + heartbeatToleranceMs + 1) };
}

const parse = (text: string | undefined): Instant | undefined => (text === undefined ? undefined : parseInstant(text));
