import type { MemberCluster } from '../../api/member-cluster.ts';
import { parseInstant } from '../../engine/kernel/instant.ts';
import { age } from '../terminal/age.ts';
import { ageOf, type Listing, listing, statusOf, timesOf } from './listing.ts';

/** KubeFleet's columns (membercluster_types.go), then health and version. Heartbeats are not committed, so few have one. */
export const clusters: Listing = listing<MemberCluster>({
  names: ['clusters', 'cluster', 'members', 'member', 'memberclusters', 'membercluster'],
  folders: ['clusters'],
  items: ({ record }) => [...record.clusters.values()],
  describe: (cluster) => ({ name: cluster.metadata.name, value: cluster }),
  columns: [
    { heading: 'JOINED', cell: (cluster) => statusOf(agentOf(cluster)?.conditions, 'Joined') ?? 'Unknown' },
    {
      heading: 'AGE',
      cell: (cluster, now) =>
        ageOf(
          cluster.metadata,
          [...timesOf(cluster.status?.conditions), ...timesOf(agentOf(cluster)?.conditions)],
          now,
        ),
    },
    { heading: 'MEMBER-AGENT-LAST-SEEN', cell: (cluster, now) => lastSeen(cluster, now) },
    { heading: 'NODE-COUNT', cell: ({ status }) => status?.properties?.['kubernetes-fleet.io/node-count']?.value },
    { heading: 'AVAILABLE-CPU', cell: ({ status }) => status?.resourceUsage?.available?.['cpu'] },
    { heading: 'AVAILABLE-MEMORY', cell: ({ status }) => status?.resourceUsage?.available?.['memory'] },
    { heading: 'ALLOCATABLE-CPU', wide: true, cell: ({ status }) => status?.resourceUsage?.allocatable?.['cpu'] },
    { heading: 'ALLOCATABLE-MEMORY', wide: true, cell: ({ status }) => status?.resourceUsage?.allocatable?.['memory'] },
    { heading: 'HEALTHY', cell: (cluster) => statusOf(agentOf(cluster)?.conditions, 'Healthy') ?? 'Unknown' },
    { heading: 'VERSION', cell: ({ status }) => status?.properties?.['k8s.io/k8s-version']?.value },
    { heading: 'TAINTS', wide: true, cell: ({ spec }) => spec.taints?.length || undefined },
  ],
});

const agentOf = ({ status }: MemberCluster) => status?.agentStatus?.find(({ type }) => type === 'MemberAgent');

function lastSeen(cluster: MemberCluster, now: number): string | undefined {
  const at = parseInstant(agentOf(cluster)?.lastReceivedHeartbeat ?? '');
  return at === undefined ? undefined : age(at, now);
}
