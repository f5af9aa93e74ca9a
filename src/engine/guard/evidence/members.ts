import type { ClusterName } from '../../../api/meta.ts';
import type { Fleet, FleetRecord } from '../../input.ts';
import { memoizePair } from '../../kernel/memoize.ts';

interface Known {
  readonly fleet: Pick<Fleet, 'members' | 'refused' | 'unreadable'>;
  readonly record: Pick<FleetRecord, 'clusters'>;
}

/** Members whose file has no deletionTimestamp. An unreadable file does not count as removed. */
export const membersThatStay = ({ fleet, record }: Known): ReadonlySet<ClusterName> => staying(fleet, record.clusters);

/** Several rules ask for it. */
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
