import type { World } from '../world.ts';
import { isDisrupting } from './cluster/pool-counts.ts';
import type { CountedCluster } from './fleet-limits.ts';
import type { NodeMember } from './node-members.ts';
import type { ClusterPlan } from './plan-cluster.ts';
import { isForced } from './start-commands.ts';

/** A member as the limits of the fleet count it. `plan`: undefined = its nodes are not observed. */
export function countedCluster(
  { name, mode, pools, record }: NodeMember,
  plan: ClusterPlan | undefined,
  world: World,
): CountedCluster {
  const labels = world.members.get(name)!.labels;
  const isUpgrading = world.upgrading.has(name);
  if (plan === undefined) {
    const underWay = (record?.commands ?? []).filter(({ phase }) => phase !== 'Proposed');
    // How many nodes it has only the record says, which does not widen limits.
    return {
      name,
      mode,
      labels,
      nodes: 0,
      disrupting: underWay.reduce((sum, { nodes }) => sum + nodes.length, 0),
      underWay,
      hasCommand: underWay.length > 0,
      isUpgrading,
      driftedNodes: 0,
      isObserved: false,
    };
  }
  const own = plan.cluster.nodes.filter(({ claim }) => claim !== undefined);
  // Forced ones start in any case, so that they use up places before all others.
  const forced = mode === 'execute' ? plan.proposed.filter((command) => isForced(command, pools)) : [];
  const taking = [...plan.underWay, ...forced];
  const busy = new Set(taking.flatMap(({ nodes }) => nodes.map(({ name: node }) => node)));
  const disrupted = own.filter(
    (node) => busy.has(node.name) || (isDisrupting(node) && (node.isDeleting || node.isMarked)),
  );
  const present = new Set(own.map((node) => node.name));
  return {
    name,
    mode,
    labels,
    nodes: plan.poolsWith(new Set()).reduce((sum, pool) => sum + pool.nodes, 0),
    disrupting: disrupted.length,
    underWay: taking.map((command) => ({ ...command, nodes: command.nodes.filter((node) => present.has(node.name)) })),
    hasCommand: busy.size + plan.due.length > 0,
    isUpgrading,
    driftedNodes: plan.driftedNodes,
    isObserved: true,
  };
}
