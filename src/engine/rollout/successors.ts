import type { ClusterName } from '../../api/meta.ts';
import type { Classified } from './classify.ts';

/**
 * Merges a new binding and the one that it replaces on the same cluster into one entry. The old one is removed only when the
 * new one is bound; until then both count once, with the readiness of the old one.
 */
export function withSuccessors(all: readonly Classified[], replacing: ReadonlySet<ClusterName>): readonly Classified[] {
  if (replacing.size === 0) return all;
  const clusterOf = ({ step }: Classified): ClusterName => step.binding.targetCluster;
  const leaving = all.filter((entry) => entry.step.binding.deleting && replacing.has(clusterOf(entry)));
  return all
    .filter((entry) => !leaving.includes(entry))
    .map((entry) => {
      const replaced = leaving.filter((it) => entry.candidate === 'bind' && clusterOf(it) === clusterOf(entry));
      if (replaced.length === 0) return entry;
      const canBeReady = replaced.some((it) => it.canBeReady);
      return { ...entry, canBeReady, replaces: replaced.map(({ step }) => step) };
    });
}
