import { byText } from '../../kernel/ordering.ts';
import type { ClusterNodes, LandingNode } from '../cluster/cluster-nodes.ts';

/** Nodes of the cluster, under their indexes there, and those that are launching. */
export const landingNodes = ({ nodes, launching }: ClusterNodes): readonly LandingNode[] => [...nodes, ...launching];

/** Initialized nodes by name, then the others. */
export function landingOrder(nodes: readonly LandingNode[]): Int32Array {
  const all = nodes.map((_, at) => at);
  const others = all.filter((at) => !isReliable(nodes[at]!)).sort((a, b) => byText(nodes[a]!.name, nodes[b]!.name));
  return Int32Array.from([...all.filter((at) => isReliable(nodes[at]!)), ...others]);
}

/** One that is not initialized may never take the pods that land there. */
export const isReliable = ({ claim, isInitialized }: LandingNode): boolean => claim === undefined || isInitialized;
