import type { Placement, PlacementPolicy } from '../../api/placement.ts';
import type { PolicySnapshotEntry } from '../../api/placement-state.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { latestOf } from '../kernel/latest-of.ts';

/** The policy in effect and its history. */
export interface PolicyHistory {
  readonly latest: PolicySnapshotEntry;
  /** The others, ascending by index. */
  readonly earlier: readonly PolicySnapshotEntry[];
  /** The entry that was latest before this plan; undefined on a new placement. */
  readonly before: PolicySnapshotEntry | undefined;
}

/**
 * KubeFleet policy_snapshot_resolver: a new snapshot only when the policy without numberOfClusters differs from the latest
 * one (earlier ones do not count: A → B → A makes three). A new number only changes the latest snapshot. Without any
 * `latest` the highest index is latest. History is pruned to `revisionHistoryLimit` when a snapshot is added.
 */
export function takePolicySnapshot(
  { spec, metadata }: Placement,
  recorded: readonly PolicySnapshotEntry[],
  digest: (text: string) => string,
): PolicyHistory {
  const { policy, revisionHistoryLimit } = spec;
  const policyHash = digest(canonicalJson(comparable(policy)));
  const history = ascending(recorded);
  const before = latestOf(history);
  const same =
    before !== undefined &&
    (before.policyHash === policyHash || digest(canonicalJson(comparable(before.policy))) === policyHash);
  const facts = {
    latest: true,
    policyHash,
    ...(policy.placementType === 'PickN' && { numberOfClusters: policy.numberOfClusters ?? 0 }),
    ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
  };
  if (same) {
    const earlier = history.filter((entry) => entry !== before).map(notLatest);
    return { latest: { ...before, ...facts }, earlier, before };
  }
  const index = (history.at(-1)?.index ?? -1) + 1;
  const kept = revisionHistoryLimit === 1 ? [] : history.slice(-(revisionHistoryLimit - 1));
  return { latest: { index, ...facts, policy }, earlier: kept.map(notLatest), before };
}

const ascending = (recorded: readonly PolicySnapshotEntry[]): PolicySnapshotEntry[] =>
  recorded.toSorted((a, b) => a.index - b.index);

function notLatest(entry: PolicySnapshotEntry): PolicySnapshotEntry {
  const { latest: _, ...rest } = entry;
  return rest;
}

/** The policy for comparison: without the number, and without the empty lists and texts that Go's JSON omits. */
export function comparable(policy: PlacementPolicy): object {
  const { placementType, clusterNames, affinity, topologySpreadConstraints, tolerations } = policy;
  const preferred = affinity?.clusterAffinity?.preferredDuringSchedulingIgnoredDuringExecution;
  return {
    placementType,
    clusterNames: filled(clusterNames),
    affinity: affinity && {
      clusterAffinity: affinity.clusterAffinity && {
        ...affinity.clusterAffinity,
        preferredDuringSchedulingIgnoredDuringExecution: filled(preferred),
      },
    },
    topologySpreadConstraints: filled(topologySpreadConstraints),
    tolerations: filled(tolerations)?.map(({ key, operator, value, effect }) => ({
      key: key || undefined,
      operator,
      value: value || undefined,
      effect: effect || undefined,
    })),
  };
}

const filled = <T>(list: readonly T[] | undefined): readonly T[] | undefined => (list?.length ? list : undefined);
