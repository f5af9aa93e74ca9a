import type { ClusterName } from '../api/meta.ts';

/** Which members are one cluster, by what identifies their clusters. Their actors would undo each other's changes. */
export interface SameClusters {
  /** Notes the identity of a member; undefined forgets it. Returns the members that have other companions now. */
  set(name: ClusterName, identity: string | undefined): readonly ClusterName[];
  /** The other members of its cluster; none as a rule. */
  othersOf(name: ClusterName): readonly ClusterName[];
}

export function sameClusters(): SameClusters {
  const identities = new Map<ClusterName, string>();
  const named = new Map<string, Set<ClusterName>>();

  function leave(name: ClusterName): readonly ClusterName[] {
    const identity = identities.get(name);
    const those = identity === undefined ? undefined : named.get(identity);
    identities.delete(name);
    those?.delete(name);
    if (those?.size === 0) named.delete(identity!);
    return those ? [...those] : [];
  }

  return {
    set(name, identity) {
      if (identities.get(name) === identity) return [];
      const left = leave(name);
      if (identity === undefined) return left;
      const met = [...(named.get(identity) ?? [])];
      identities.set(name, identity);
      named.set(identity, new Set([...met, name]));
      return left.length + met.length === 0 ? [] : [...left, ...met, name];
    },
    othersOf: (name) => [...(named.get(identities.get(name) ?? '') ?? [])].filter((other) => other !== name).sort(),
  };
}

export const sameClusterText = (others: readonly ClusterName[]): string =>
  `it is the same cluster as ${others.join(', ')}`;

export const sameClusterFix = 'correct the kubeconfig that is wrong, or remove the MemberCluster that is too many';
