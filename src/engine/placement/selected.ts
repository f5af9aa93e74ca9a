import type { Binding, ClusterDecision } from '../../api/placement-state.ts';
import { byText } from '../kernel/ordering.ts';
import { reasons } from './reasons.ts';

/**
 * The decisions behind live bindings, as recorded when each was picked. PickN: best recorded score first, ties to the
 * greatest name, unscored last; PickAll: by name. Two bindings on one cluster give one decision.
 */
export function selectedDecisions(type: 'PickN' | 'PickAll', live: readonly Binding[]): ClusterDecision[] {
  const decisions = live.map(recordedDecision).sort(type === 'PickN' ? bestFirst : byClusterName);
  const seen = new Set<string>();
  return decisions.filter(({ clusterName }) => !seen.has(clusterName) && seen.add(clusterName));
}

/**
 * The decision behind one live binding. A record may omit fields that the binding has itself, and they are added. A complete
 * decision is returned unchanged, to save memory in large fleets.
 */
export function recordedDecision({ targetCluster, clusterDecision }: Binding): ClusterDecision {
  const { clusterScore, reason } = clusterDecision ?? {};
  if (clusterDecision && isComplete(clusterDecision, targetCluster)) return clusterDecision;
  return {
    clusterName: targetCluster,
    selected: true,
    ...(clusterScore && { clusterScore }),
    reason: reason || reasonFor(targetCluster, clusterScore),
  };
}

/** Nothing is missing, and no other program added fields. */
const isComplete = (decision: Partial<ClusterDecision>, targetCluster: string): decision is ClusterDecision =>
  decision.clusterName === targetCluster &&
  decision.selected === true &&
  Boolean(decision.reason) &&
  Object.keys(decision).length === (decision.clusterScore ? 4 : 3);

/** Why a picked cluster was picked. */
export const reasonFor = (clusterName: string, score: ClusterDecision['clusterScore']): string =>
  score
    ? reasons.picked(clusterName, score.affinityScore, score.topologySpreadScore)
    : reasons.pickedUnscored(clusterName);

const byClusterName = (a: ClusterDecision, b: ClusterDecision): number => byText(a.clusterName, b.clusterName);

/** Best recorded score first, ties to the greatest name, unscored last. */
export function bestFirst(a: ClusterDecision, b: ClusterDecision): number {
  const [x, y] = [a.clusterScore, b.clusterScore];
  if (x === undefined || y === undefined) {
    return x === y ? byText(b.clusterName, a.clusterName) : x === undefined ? 1 : -1;
  }
  return (
    y.topologySpreadScore - x.topologySpreadScore ||
    y.affinityScore - x.affinityScore ||
    byText(b.clusterName, a.clusterName)
  );
}
