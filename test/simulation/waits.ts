import type { Hold } from '../../src/engine/plan-document.ts';

/** What is known of one app where it is to come and to go. */
export interface Waiting {
  /** Of the app. */
  readonly holds: readonly Pick<Hold, 'reason' | 'message' | 'subject'>[];
  readonly maxSurge: number;
  /** Clusters that it is on. */
  readonly on: ReadonlySet<string>;
  /** So many stay available while it rolls out. */
  readonly least: number;
  /** Whether there is something on a cluster that keeps its namespace there, and is not ours to remove. */
  readonly holdsOthers: (cluster: string) => boolean;
}

/**
 * Beyond its surge an app comes to no other cluster before it has left one, even where it cannot leave that one; and
 * what would have to go on without that other cluster stays as it is. The holds say which those are.
 */
export function waitsForRemoval({ holds, maxSurge, on, least, holdsOthers }: Waiting, cluster: string): boolean {
  const about = (it: string) => holds.filter(({ subject }) => subject.clusterName === it);
  const isStuck = (it: string): boolean =>
    neverBegan(it) || (about(it).some(({ reason }) => reason === 'ContainsForeignObjects') && holdsOthers(it));
  /** Unpicked before anything came there: as in KubeFleet even that waits for more to be available than has to be. */
  const neverBegan = (it: string): boolean =>
    !on.has(it) &&
    on.size <= least &&
    about(it).some(({ reason, message }) => reason === 'RolloutBudget' && / is removed once /.test(message));
  const waits = (it: string): boolean => {
    const reported = about(it).find(({ reason }) => reason === 'RolloutBudget')?.message ?? '';
    const [, toGo, toCome] = /\((?:not removed yet: (.+)|not ready yet: (.+))\)$/.exec(reported) ?? [];
    const going = toGo?.split(', ') ?? [];
    if (going.length > 0) return going.length > maxSurge && going.every(isStuck);
    // Only who comes waits for others to go: this ends.
    const coming = toCome?.split(', ') ?? [];
    return coming.length > 0 && coming.every((it) => isComing(about(it)) && waits(it));
  };
  return neverBegan(cluster) || waits(cluster);
}

const isComing = (holds: Waiting['holds']): boolean => holds.some(({ message }) => / is added once /.test(message));
