import type { MemberCluster, MemberClusterStatus } from '../../api/member-cluster.ts';
import type { ClusterName } from '../../api/meta.ts';
import { sameValue } from '../kernel/same-value.ts';
import type { RecordDocument } from '../plan-document.ts';
import type { World } from '../world.ts';
import { clusterDocument } from './cluster-document.ts';

/** The document of every member, and its inputs. */
export type ClusterDocuments = ReadonlyMap<ClusterName, Made>;

interface Made {
  readonly cluster: MemberCluster;
  readonly status: MemberClusterStatus;
  readonly recorded: MemberCluster | undefined;
  readonly document: RecordDocument;
}

/** `clusters/<name>.yaml` of all members. A document that equals that of an earlier plan is the same value. */
export function clusterDocuments(world: World, earlier: ClusterDocuments | undefined): ClusterDocuments {
  const documents = new Map<ClusterName, Made>();
  for (const cluster of world.admitted.members) {
    const { name } = cluster.metadata;
    const member = world.members.get(name);
    if (!member) continue;
    const { status } = member;
    const recorded = world.record.clusters.get(name);
    const before = earlier?.get(name);
    if (before?.cluster === cluster && isSamePublished(before.status, status)) {
      // What was published of it stays, as nothing else has changed.
      const isAsMade = before.recorded === recorded || sameValue(before.document.value, recorded);
      if (isAsMade) {
        documents.set(name, before.recorded === recorded ? before : { ...before, recorded });
        continue;
      }
    }
    const document = clusterDocument(cluster, member, recorded);
    // Key by key in the same order, since the text follows it.
    const same = before && JSON.stringify(before.document.value) === JSON.stringify(document.value);
    documents.set(name, { cluster, status, recorded, document: same ? before.document : document });
  }
  return documents;
}

/** Whether two statuses have the same values, but for heartbeats, which are not published. */
function isSamePublished(a: MemberClusterStatus, b: MemberClusterStatus): boolean {
  if (a === b) return true;
  const fields = Object.keys({ ...a, ...b }) as (keyof MemberClusterStatus)[];
  return fields.every((field) =>
    field === 'agentStatus' ? areSameAgents(a.agentStatus ?? [], b.agentStatus ?? []) : a[field] === b[field],
  );
}

type Agents = NonNullable<MemberClusterStatus['agentStatus']>;

const areSameAgents = (a: Agents, b: Agents): boolean =>
  a.length === b.length &&
  a.every((agent, at) => {
    const fields = Object.keys({ ...agent, ...b[at] });
    return fields.every((field) => field === 'lastReceivedHeartbeat' || agent[field] === b[at]![field]);
  });
