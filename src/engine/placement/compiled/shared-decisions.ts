import type { ClusterDecision } from '../../../api/placement-state.ts';
import type { Member } from '../members.ts';
import { reasons } from '../reasons.ts';
import { remembered } from './columns.ts';

/**
 * Decisions and their parts that many placements have in common. A thousand placements over ten thousand clusters have a
 * million decisions about clusters that were not selected; made again each time they would be most of the time and memory.
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
  const scores = new Map<number, Map<number, Scores>>();
  const scored = (selected: boolean, opening: (clusterName: string) => string): SharedDecisions['picked'] => {
    const openings: string[] = [];
    const made: (ClusterDecision | undefined)[] = new Array(members.length * perCluster);
    return (row, affinityScore, topologySpreadScore) => {
      // Two levels: both scores reach as far as an int32, and one number cannot tell all pairs of those apart.
      const ofSpread = remembered(scores, topologySpreadScore, () => new Map<number, Scores>());
      const { clusterScore, text } = remembered(ofSpread, affinityScore, () => ({
        clusterScore: { affinityScore, topologySpreadScore },
        text: reasons.scores(affinityScore, topologySpreadScore),
      }));
      const at = row * perCluster + ((affinityScore + topologySpreadScore) & (perCluster - 1));
      const known = made[at];
      if (known !== undefined && known.clusterScore === clusterScore) return known;
      const clusterName = members[row]!.name;
      openings[row] ??= opening(clusterName);
      const decision = { clusterName, selected, clusterScore, reason: openings[row] + text };
      made[at] = decision;
      return decision;
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

/**
 * So many decisions about a cluster are kept for the next placement, each in the place that its scores give, until another comes
 * there: placements of one fleet tend to have few scores in common, and where every score is another one this holds no memory. A
 * power of two.
 */
const perCluster = 32;

interface Scores {
  readonly clusterScore: ClusterDecision['clusterScore'];
  readonly text: string;
}
