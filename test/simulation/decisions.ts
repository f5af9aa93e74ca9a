import type { Eviction } from '../../src/api/eviction.ts';
import type { Desired } from './desired.ts';
import { parsed } from './parsed.ts';
import type { Standing } from './published.ts';
import type { Wishes } from './wishes.ts';

/** What is published of one app, held against what stood before. */
export interface Decision {
  readonly app: string;
  /** Undefined where nothing stood, or it was lost. */
  readonly before: Standing | undefined;
  readonly after: Standing;
}

/** Rules of what may be decided, told from what people asked for in the commit that it was decided for. */
export function badDecisions(decision: Decision, wishes: Wishes, desired: Desired): string[] {
  const wish = wishes.at(decision.after.commit, decision.app);
  return wish === undefined ? [] : [...movesSuspended(decision), ...evictsTooMany(decision)];

  /** Nothing new begins for an app that is suspended, or in a freeze: nothing is brought to a cluster, changed or taken away. */
  function movesSuspended({ app, before, after }: Decision): string[] {
    const isFrozen = wishes.gates(after.commit)?.frozen === true;
    if ((!wish?.suspended && !isFrozen) || before === undefined) return [];
    const brought = [...after.bound].filter(
      // A cluster that was away while the record was lost keeps what it is found with, and one whose removal had not begun what it has.
      ([cluster, what]) =>
        what !== undefined &&
        what !== before.held.get(cluster) &&
        !after.asFound.has(cluster) &&
        before.deleting.get(cluster) !== what,
    );
    const taken = [...after.deleting.keys()].filter(
      (cluster) => !before.deleting.has(cluster) && !desired.left.has(cluster),
    );
    return [...brought.map(([cluster]) => cluster), ...taken].map(
      (cluster) => `${app} moved on ${cluster} although ${isFrozen ? 'the fleet was frozen' : 'it was suspended'}`,
    );
  }

  /**
   * What was available is evicted only where the budget leaves it. On a cluster of the fleet also what waits to leave it serves
   * (KubeFleet clusterresourceplacementeviction/controller.go counts all bindings, whatever their state).
   */
  function evictsTooMany({ app, after }: Decision): string[] {
    const took = [...after.evicted].filter((cluster) => after.availableBefore.has(cluster));
    const left = [...after.serving].filter((cluster) => wishes.isMember(after.commit, cluster, after.members)).length;
    if (took.length === 0 || wish?.budget === undefined || left >= wish.budget.minAvailable) return [];
    return [
      `${app} was evicted from ${took.join(', ')}, which left ${left}, not ${wish.budget.minAvailable}, available`,
    ];
  }
}

/**
 * Evictions that were carried out: app and cluster, by the path of their file on the status branch. What was going already went by itself.
 */
export function carriedOut(files: Readonly<Record<string, string>>): ReadonlyMap<string, Eviction['spec']> {
  const done = new Map<string, Eviction['spec']>();
  for (const [path, text] of Object.entries(files)) {
    if (!path.startsWith('evictions/')) continue;
    const { spec, status } = parsed(text) as Eviction;
    const isDone = status?.conditions?.some(
      ({ type, status: is, message }) => type === 'Executed' && is === 'True' && !message?.includes('being removed'),
    );
    if (isDone) done.set(path, spec);
  }
  return done;
}
