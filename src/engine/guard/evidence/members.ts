import type { ClusterName } from '../../../api/meta.ts';
import type { Fleet, FleetRecord } from '../../input.ts';
import { memoize, memoizePair } from '../../kernel/memoize.ts';

/** The labels that selectors see of a member: those of its file and its name, which KubeFleet always adds. */
export const labelsOfMember = (name: ClusterName, known: Known): Readonly<Record<string, string>> => {
  return { ...memberOf(name, known)?.labels, 'kubernetes-fleet.io/member-name': name };
};

/** Those of its file, or of its recorded version while the file cannot be read. */
export const annotationsOfMember = (name: ClusterName, known: Known): Readonly<Record<string, string>> =>
  memberOf(name, known)?.annotations ?? {};

const memberOf = (name: ClusterName, { fleet, record }: Known) =>
  (membersByName(fleet.members).get(name) ?? record.clusters.get(name))?.metadata;

const membersByName = memoize(
  (members: Fleet['members']): ReadonlyMap<ClusterName, Fleet['members'][number]> =>
    new Map(members.map((member) => [member.metadata.name, member])),
);

interface Known {
  readonly fleet: Pick<Fleet, 'members' | 'refused' | 'unreadable'>;
  readonly record: Pick<FleetRecord, 'clusters'>;
}

/** Members whose file has no deletionTimestamp. An unreadable file does not count as removed. */
export const membersThatStay = ({ fleet, record }: Known): ReadonlySet<ClusterName> => staying(fleet, record.clusters);

/** Several rules need it. */
const staying = memoizePair(
  (fleet: Known['fleet'], recorded: Known['record']['clusters']): ReadonlySet<ClusterName> => {
    const stays = new Set<ClusterName>();
    for (const { metadata } of fleet.members) if (metadata.deletionTimestamp == null) stays.add(metadata.name);
    if (fleet.refused.length === 0 && fleet.unreadable.length === 0) return stays;
    const written = new Set(fleet.members.map(({ metadata }) => metadata.name));
    for (const name of recorded.keys()) {
      const refused = fleet.refused.some((ref) => ref.kind === 'MemberCluster' && ref.name === name);
      if (!written.has(name) && (refused || fleet.unreadable.length > 0)) stays.add(name);
    }
    return stays;
  },
);

/** Recorded members that do not stay. One that was leaving already was counted before. */
export function membersThatLeave(known: Known): ReadonlySet<ClusterName> {
  const stays = membersThatStay(known);
  const leaves = new Set<ClusterName>();
  for (const [name, { metadata }] of known.record.clusters)
    if (!stays.has(name) && metadata.deletionTimestamp == null) leaves.add(name);
  return leaves;
}
