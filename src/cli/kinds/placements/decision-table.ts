import type { PolicySnapshotEntry } from '../../../api/placement-state.ts';
import { table } from '../../terminal/table.ts';

/** The scheduler's decision on every cluster, in its order. */
export const decisionTable = (decisions: PolicySnapshotEntry['targetClusters']): string =>
  table(
    ['CLUSTER', 'SELECTED', 'AFFINITY', 'SPREAD', 'REASON'],
    (decisions ?? []).map((decision) => [
      decision.clusterName,
      String(decision.selected),
      decision.clusterScore?.affinityScore,
      decision.clusterScore?.topologySpreadScore,
      decision.reason,
    ]),
  );
