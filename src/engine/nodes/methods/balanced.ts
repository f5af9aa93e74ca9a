import type { ClusterNode } from '../cluster/cluster-nodes.ts';

/** The smallest score at which a move is worth it: half the saving for each share of disruption (designs/balanced-consolidation.md). */
const leastScore = 0.5;

/**
 * Whether every pool with the policy Balanced approves of a move. A pool's share of the saving is compared with the share of its
 * disruption. `isCandidate`: nodes that count by what moving them costs; others count all their pods.
 */
export function isWorthIt(
  leaving: readonly ClusterNode[],
  replacementPrice: number,
  {
    nodes,
    isCandidate,
  }: { readonly nodes: readonly ClusterNode[]; readonly isCandidate: (node: ClusterNode) => boolean },
): boolean {
  const before = sum(leaving.map(({ price = 0 }) => price));
  for (const [name, own] of Map.groupBy(leaving, ({ poolName }) => poolName)) {
    if (own[0]!.pool?.policy !== 'Balanced') continue;
    const ownPrice = sum(own.map(({ price = 0 }) => price));
    const saving = before === 0 ? 0 : (before - replacementPrice) * (ownPrice / before);
    const all = nodes.filter(({ poolName, claim }) => poolName === name && claim !== undefined);
    const cost = sum(all.map(({ price = 0 }) => price));
    const disruption = sum(all.map((node) => (isCandidate(node) ? node.disruptionCost : everyPod(node))));
    if (cost === 0 || disruption === 0 || saving <= 0) return false;
    const disrupted = sum(own.map(({ disruptionCost }) => disruptionCost)) / disruption;
    if (disrupted > 0 && saving / cost / disrupted < leastScore) return false;
  }
  return true;
}

const everyPod = ({ pods }: ClusterNode): number =>
  1 +
  sum(
    pods
      .filter(({ isTerminal, isOfDaemonSet }) => !isTerminal && !isOfDaemonSet)
      .map(({ evictionCost }) => Math.max(0, evictionCost)),
  );

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
