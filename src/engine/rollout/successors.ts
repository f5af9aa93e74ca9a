import type { ClusterName } from '../../api/meta.ts';
import type { Classified } from './classify.ts';

/**
 * On clusters where a new binding succeeds one that leaves, it stands for both: what leaves goes only when the new one is bound, and is counted once,
 * as it is until then.
 */
export function withSuccessors(
  all: readonly Classified[],
  succeeding: ReadonlySet<ClusterName>,
): readonly Classified[] {
  if (succeeding.size === 0) return all;
  const clusterOf = ({ step }: Classified): ClusterName => step.binding.targetCluster;
  const leaving = all.filter((entry) => entry.step.binding.deleting && succeeding.has(clusterOf(entry)));
  return all
    .filter((entry) => !leaving.includes(entry))
    .map((entry) => {
      const replaced = leaving.filter((it) => entry.candidate === 'bind' && clusterOf(it) === clusterOf(entry));
      if (replaced.length === 0) return entry;
      const canBeReady = replaced.some((it) => it.canBeReady);
      return { ...entry, canBeReady, replaces: replaced.map(({ step }) => step) };
    });
}
