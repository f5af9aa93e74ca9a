import type { ClusterName } from '../../src/api/meta.ts';
import type { ClusterObservation } from '../../src/api/observation.ts';

/** A healthy member on which nothing was looked at but what `seen` says. */
export const healthyMember = (
  name: ClusterName,
  at: string,
  seen: Partial<ClusterObservation> = {},
): ClusterObservation => ({
  apiVersion: 'gitfleet.dev/v1alpha1',
  kind: 'ClusterObservation',
  metadata: { name },
  observedAt: at,
  reachable: true,
  complete: true,
  memberStatus: {
    agentStatus: [
      {
        type: 'MemberAgent',
        conditions: [
          { type: 'Joined', status: 'True', reason: 'ContactEstablished' },
          { type: 'Healthy', status: 'True', reason: 'ReadyzSucceeded' },
        ],
        lastReceivedHeartbeat: at,
      },
    ],
  },
  placements: [],
  objects: [],
  nodes: [],
  pods: [],
  extras: [],
  ...seen,
});
