import type { MemberCluster } from '../../../api/member-cluster.ts';
import type { PlacementPolicy } from '../../../api/placement.ts';
import { memoize } from '../../../engine/kernel/memoize.ts';
import { matchesSelector } from '../../../engine/kernel/selector.ts';
import { labelsOf } from '../../../engine/placement/members.ts';
import { tolerates } from '../../../engine/placement/rules/taint-toleration.ts';

/** Whether a policy may pick a cluster, by name and labels. Properties of clusters are unknown here and are ignored. */
export function mayBePicked(member: MemberCluster, policy: PlacementPolicy): boolean {
  if (policy.placementType === 'PickFixed') return namedBy(policy).has(member.metadata.name);
  const terms = policy.affinity?.clusterAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.clusterSelectorTerms;
  if (terms === undefined || terms.length === 0) return true;
  return terms.some(
    ({ labelSelector }) => labelSelector === undefined || matchesSelector(labelSelector, labelsOf(member)),
  );
}

/** The same for a cluster that is not picked yet, which a taint prevents. */
export const mayBePickedAnew = (member: MemberCluster, policy: PlacementPolicy): boolean =>
  mayBePicked(member, policy) &&
  (policy.placementType === 'PickFixed' ||
    (member.spec.taints ?? []).every((taint) =>
      (policy.tolerations ?? []).some((toleration) => tolerates(toleration, taint)),
    ));

/** Whether a policy picks the cluster in any case: it takes all that match, and only names and labels count. */
export const isCertainlyPicked = (member: MemberCluster, policy: PlacementPolicy): boolean =>
  policy.placementType !== 'PickN' && !ranksByProperties(policy) && mayBePickedAnew(member, policy);

const ranksByProperties = ({ affinity }: PlacementPolicy): boolean =>
  affinity?.clusterAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.clusterSelectorTerms.some(
    ({ propertySelector }) => propertySelector !== undefined,
  ) === true;

const namedBy = memoize(({ clusterNames = [] }: PlacementPolicy): ReadonlySet<string> => new Set(clusterNames));
