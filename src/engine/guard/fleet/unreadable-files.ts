import type { ClusterName } from '../../../api/meta.ts';
import { placementKey } from '../../../api/placement.ts';
import type { GuardFinding } from '../../plan-document.ts';
import type { Evidence } from '../evidence/evidence.ts';

/** While a file is unreadable, nothing is removed because it is absent from the repo. */
export function removalsOfUnread({ fleet, changes }: Evidence): GuardFinding[] {
  const { unreadable, refused, placements, beingDeleted, members } = fleet;
  const isRefused = (name: string, kinds: readonly string[]): boolean =>
    refused.some(
      (ref) => kinds.includes(ref.kind) && (ref.namespace ? `${ref.namespace}.${ref.name}` : ref.name) === name,
    );
  const cause = (name: string, kinds: readonly string[]): string | undefined =>
    unreadable.length > 0
      ? `${unreadable[0]} could not be read`
      : isRefused(name, kinds)
        ? 'its file is not valid'
        : undefined;
  const findings: GuardFinding[] = [];
  const placementKinds = ['ClusterResourcePlacement', 'ResourcePlacement'];
  const written = new Set(placements.map((placement) => placementKey(placement.metadata)));
  // A readable file with a deletionTimestamp is not absent.
  for (const { metadata } of beingDeleted)
    if (!isRefused(placementKey(metadata), placementKinds)) written.add(placementKey(metadata));
  for (const { key, pairs } of changes) {
    const why = cause(key, placementKinds);
    if (!written.has(key) && why && pairs.some(({ removedNow, before }) => removedNow && before))
      findings.push({
        rule: 'unreadable-repo',
        message: `placement ${key} would be removed as if its file were deleted, but ${why}`,
      });
  }
  const gone = new Set<ClusterName>();
  for (const { pairs } of changes)
    for (const { clusterName, before, after, removedNow } of pairs)
      if (before && (after === undefined || removedNow)) gone.add(clusterName);
  const names = new Set(members.map(({ metadata }) => metadata.name));
  for (const name of [...gone].sort()) {
    const why = cause(name, ['MemberCluster']);
    if (!names.has(name) && why)
      findings.push({
        rule: 'unreadable-repo',
        message: `member ${name} would leave as if its file were deleted, but ${why}`,
      });
  }
  return findings;
}
