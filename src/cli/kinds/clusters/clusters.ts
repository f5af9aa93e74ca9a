import { isCordon } from '../../../api/cordon-taint.ts';
import { type MemberCluster, memberAgentOf } from '../../../api/member-cluster.ts';
import { parseInstant } from '../../../engine/kernel/instant.ts';
import { amountText } from '../../../engine/placement/amount-text.ts';
import { taintText } from '../../../engine/placement/taint-text.ts';
import type { UnreachableMember } from '../../../repo/record/daemon-memory.ts';
import { waitsOfCluster } from '../../../report/waits/waits.ts';
import { age } from '../../terminal/age.ts';
import { namesOfKind } from '../kind-words.ts';
import { ageOf, type Cell, type Listing, listing, statusOf, timesOf } from '../listing.ts';
import { clusterPage } from './page.ts';

interface Seen {
  readonly cluster: MemberCluster;
  /** Set for one that does not respond. */
  readonly unreachable: UnreachableMember | undefined;
}

/**
 * KubeFleet's columns (membercluster_types.go), then health, version and, as kubectl shows for nodes, whether it is cordoned.
 * Heartbeats are not committed: the last contact is known only for a member that does not respond, and its health is of that
 * time.
 */
export const clusters: Listing = listing<Seen>({
  names: [...namesOfKind('clusters'), 'members', 'member', 'memberclusters', 'membercluster'],
  folders: ['clusters'],
  conditionTypes: ['Joined', 'Healthy'],
  items: ({ record, unreachable }) =>
    [...record.clusters.values()].map((cluster) => ({ cluster, unreachable: unreachable.get(cluster.metadata.name) })),
  describe: ({ cluster }) => ({ name: cluster.metadata.name, value: cluster }),
  page: ({ cluster }, status) => clusterPage(cluster, status),
  waits: ({ cluster }, status) => waitsOfCluster(cluster, status),
  columns: [
    {
      heading: 'JOINED',
      cell: ({ cluster }) => statusOf(memberAgentOf(cluster.status)?.conditions, 'Joined') ?? 'Unknown',
    },
    {
      heading: 'AGE',
      cell: ({ cluster }, now) =>
        ageOf(
          cluster.metadata,
          [...timesOf(cluster.status?.conditions), ...timesOf(memberAgentOf(cluster.status)?.conditions)],
          now,
        ),
    },
    { heading: 'MEMBER-AGENT-LAST-SEEN', cell: lastSeen },
    {
      heading: 'NODE-COUNT',
      cell: ({ cluster: { status } }) => status?.properties?.['kubernetes-fleet.io/node-count']?.value,
    },
    { heading: 'AVAILABLE-CPU', cell: amountOf('available', 'cpu') },
    { heading: 'AVAILABLE-MEMORY', cell: amountOf('available', 'memory') },
    { heading: 'ALLOCATABLE-CPU', wide: true, cell: amountOf('allocatable', 'cpu') },
    { heading: 'ALLOCATABLE-MEMORY', wide: true, cell: amountOf('allocatable', 'memory') },
    { heading: 'HEALTHY', cell: healthOf },
    { heading: 'VERSION', cell: ({ cluster: { status } }) => status?.properties?.['k8s.io/k8s-version']?.value },
    { heading: 'SCHEDULING', cell: ({ cluster: { spec } }) => (spec.taints?.some(isCordon) ? 'Disabled' : 'Enabled') },
    {
      heading: 'TAINTS',
      wide: true,
      cell: ({ cluster: { spec } }) => spec.taints?.map(taintText).join(',') || undefined,
    },
  ],
});

function amountOf(of: 'available' | 'allocatable', resource: string): (seen: Seen) => Cell {
  return ({ cluster: { status } }) => {
    const amount = status?.resourceUsage?.[of]?.[resource];
    return amount === undefined ? undefined : amountText(resource, amount);
  };
}

/** As in KubeFleet, the health of a member whose agent does not respond is unknown. */
function healthOf({ cluster, unreachable }: Seen): Cell {
  return unreachable ? 'Unknown' : (statusOf(memberAgentOf(cluster.status)?.conditions, 'Healthy') ?? 'Unknown');
}

/** `responding` for a member that the daemon has reached and that is not reported as unreachable. */
function lastSeen({ cluster, unreachable }: Seen, now: number): Cell {
  const at = parseInstant(unreachable?.lastContact ?? memberAgentOf(cluster.status)?.lastReceivedHeartbeat ?? '');
  if (at !== undefined) return age(at, now);
  return unreachable === undefined && memberAgentOf(cluster.status) !== undefined ? 'responding' : undefined;
}
