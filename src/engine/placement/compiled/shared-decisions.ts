import type { ClusterDecision } from '../../../api/placement-state.ts';
import type { Member } from '../members.ts';
import { reasons } from '../reasons.ts';
import { remembered } from './columns.ts';

/**
 * Decisions and their parts that many placements have in common. A thousand placements over ten thousand clusters have a
 * million decisions about clusters that were not selected; made anew each time they would be most of the time and memory.
 */
export interface SharedDecisions {
  /**
   * By row the decisions for a combination of failed filters, a small integer. Whoever misses one adds it; no entry ever
   * changes.
   */
  readonly filtered: (combination: number) => (ClusterDecision | undefined)[];
  readonly picked: (row: number, affinityScore: number, topologySpreadScore: number) => ClusterDecision;
  readonly outscored: (row: number, affinityScore: number, topologySpreadScore: number) => ClusterDecision;
}

/** Of one fleet; made again when a member changes. */
export function shareDecisions(members: readonly Member[]): SharedDecisions {
  const combinations: (ClusterDecision | undefined)[][] = [];
  const scores = new Map<number, Scores>();
  const scored = (selected: boolean, opening: (clusterName: string) => string): SharedDecisions['picked'] => {
    const openings: string[] = [];
    return (row, affinityScore, topologySpreadScore) => {
      const clusterName = members[row]!.name;
      openings[row] ??= opening(clusterName);
      const { clusterScore, text } = remembered(scores, topologySpreadScore * 2 ** 32 + affinityScore, () => ({
        clusterScore: { affinityScore, topologySpreadScore },
        text: reasons.scores(affinityScore, topologySpreadScore),
      }));
      return { clusterName, selected, clusterScore, reason: openings[row] + text };
    };
  };
  return {
    filtered: (combination) => {
      combinations[combination] ??= new Array(members.length);
      return combinations[combination];
    },
    picked: scored(true, reasons.pickedWith),
    outscored: scored(false, reasons.outscoredBy),
  };
}

interface Scores {
  readonly clusterScore: ClusterDecision['clusterScore'];
  readonly text: string;
}
