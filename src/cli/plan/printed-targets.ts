import type { Plan } from '../../engine/plan-document.ts';
import { nodesTargets } from '../../engine/target-kinds.ts';

/** Targets as the printed document has them: what is to become of nodes stands with the nodes of its cluster, in mode execute. */
export function printedTargets(plan: Pick<Plan, 'targets' | 'nodes'>) {
  const targetOf = new Map(nodesTargets(plan.targets).map(({ clusterName, nodes }) => [clusterName, nodes]));
  return {
    targets: plan.targets.filter((target) => !('nodes' in target)),
    nodes: plan.nodes.map((planned) => {
      const target = targetOf.get(planned.clusterName);
      return target && planned.mode === 'execute' ? { ...planned, target } : planned;
    }),
  };
}
