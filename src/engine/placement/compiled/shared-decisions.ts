import type { ClusterDecision } from '../../../api/placement-state.ts';
import type { Member } from '../members.ts';
import { reasons } from '../reasons.ts';
import { getOrMake } from './columns.ts';

/**
 * Decisions and their parts that many placements share. A thousand placements over ten thousand clusters have a million decisions
 * about clusters that were not selected: without sharing they would take most of the time and memory.
 */
export interface SharedDecisions {
  /**
   * By row the decisions for a combination of failed filters, a small integer. A caller adds a missing entry; entries never
   * change.
   */
  readonly filtered: (combination: number) => (ClusterDecision | undefined)[];
  readonly picked: (row: number, affinityScore: number, topologySpreadScore: number) => ClusterDecision;
  readonly outscored: (row: number, affinityScore: number, topologySpreadScore: number) => ClusterDecision;
}

/** The shared decisions of one fleet; new ones when a member changes. */
export function shareDecisions(members: readonly Member[]): SharedDecisions {
  const combinations: (ClusterDecision | undefined)[][] = [];
  const scores = new Map<number, Map<number, Scores>>();
  const scored = (selected: boolean, opening: (clusterName: string) => string): SharedDecisions['picked'] => {
    const openings: string[] = [];
    const made: (ClusterDecision | undefined)[] = new Array(members.length * perCluster);
    return (row, affinityScore, topologySpreadScore) => {
      // Two levels: both scores are int32, and one number cannot hold all pairs of them.
      const ofSpread = getOrMake(scores, topologySpreadScore, () => new Map<number, Scores>());
      const { clusterScore, text } = getOrMake(ofSpread, affinityScore, () => ({
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
 * How many decisions about a cluster are kept for the next placement. Each has a slot by its scores, until another decision takes
 * it: placements of one fleet tend to have few distinct scores, and memory stays bounded where they do not. A power of two.
 */
const perCluster = 32;

interface Scores {
  readonly clusterScore: ClusterDecision['clusterScore'];
  readonly text: string;
}
