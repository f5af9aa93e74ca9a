import type { Plan } from '../../engine/plan-document.ts';
import { nodesTargets } from '../../engine/target-kinds.ts';

/** Targets as the printed document has them: what is to become of nodes stands with the nodes of its cluster, where there is work to do. */
export function printedTargets(plan: Pick<Plan, 'targets' | 'nodes'>) {
  const withWork = nodesTargets(plan.targets).filter(({ nodes: { nodes } }) => nodes.length > 0);
  const targetOf = new Map(withWork.map(({ clusterName, nodes }) => [clusterName, nodes]));
  return {
    targets: plan.targets.filter((target) => !('nodes' in target)),
    nodes: plan.nodes.map((planned) => {
      const target = targetOf.get(planned.clusterName);
      return target ? { ...planned, target } : planned;
    }),
  };
}
