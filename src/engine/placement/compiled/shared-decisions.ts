import type { ClusterDecision } from '../../../api/placement-state.ts';
import type { Member } from '../members.ts';
import { reasons } from '../reasons.ts';
import { remembered } from './columns.ts';

/**
 * Decisions and their parts that many placements have in common. A thousand placements over ten thousand clusters have a
 * million decisions about clusters that were not selected; made anew each time they would be most of the time and memory.
 */
export interface SharedDecisions {
  /** The decision on a row for a combination of failed filters, made when first asked for. */
  readonly filtered: (combination: number, row: number, make: () => ClusterDecision) => ClusterDecision;
  readonly outscored: (row: number, affinityScore: number, topologySpreadScore: number) => ClusterDecision;
}

/** Of one fleet; made again when a member changes. */
export function shareDecisions(members: readonly Member[]): SharedDecisions {
  const combinations = new Map<number, (ClusterDecision | undefined)[]>();
  const openings: (string | undefined)[] = [];
  const scores = new Map<number, { readonly clusterScore: ClusterDecision['clusterScore']; readonly text: string }>();
  return {
    filtered: (combination, row, make) => {
      const decisions = remembered(combinations, combination, () => []);
      decisions[row] ??= make();
      return decisions[row];
    },
    outscored: (row, affinityScore, topologySpreadScore) => {
      const clusterName = members[row]!.name;
      openings[row] ??= reasons.outscoredBy(clusterName);
      const { clusterScore, text } = remembered(scores, topologySpreadScore * 2 ** 32 + affinityScore, () => ({
        clusterScore: { affinityScore, topologySpreadScore },
        text: reasons.scores(affinityScore, topologySpreadScore),
      }));
      return { clusterName, selected: false, clusterScore, reason: openings[row] + text };
    },
  };
}
