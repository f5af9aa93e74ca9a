import type { PolicySnapshotEntry } from '../../../api/placement-state.ts';
import { tableOrNone } from '../page-text.ts';

/** The scheduler's decision on every cluster, in its order. */
export const decisionTable = (decisions: PolicySnapshotEntry['targetClusters']): string =>
  tableOrNone(
    ['CLUSTER', 'SELECTED', 'AFFINITY', 'SPREAD', 'REASON'],
    (decisions ?? []).map((decision) => [
      decision.clusterName,
      String(decision.selected),
      decision.clusterScore?.affinityScore,
      decision.clusterScore?.topologySpreadScore,
      decision.reason,
    ]),
  );
