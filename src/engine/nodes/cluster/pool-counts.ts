import type { ClusterNode } from './cluster-nodes.ts';

/** The nodes that budgets of a pool count, and those of them that are not ready or on their way out, each once. */
export function poolCounts(
  nodes: readonly ClusterNode[],
  pool: string,
): { readonly total: number; readonly disrupting: number } {
  const counted = nodes.filter((node) => node.poolName === pool && counts(node));
  return { total: counted.length, disrupting: counted.filter(isDisrupting).length };
}

export const counts = ({ claim, isInitialized }: ClusterNode): boolean =>
  claim !== undefined && isInitialized && !claim.isTerminating;

/** Counted by its budgets, and not disrupted yet: one that is counts only once. */
export const addsDisruption = (node: ClusterNode): boolean => counts(node) && !isDisrupting(node);

export const isDisrupting = ({ isReady, isDeleting, isMarked }: ClusterNode): boolean =>
  !isReady || isDeleting || isMarked;
