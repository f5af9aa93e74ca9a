import { placementKey } from '../api/placement.ts';
import { byText } from './kernel/ordering.ts';
import type { Target } from './plan-document.ts';

/** All targets of a plan in order, and the lists they came in. */
export interface SortedTargets {
  readonly sorted: readonly Target[];
  readonly lists: ReadonlySet<readonly Target[]>;
}

/** By cluster, then placement. Lists that an earlier plan had already are not sorted again: of 100,000 targets few are new. */
export function sortTargets(lists: readonly (readonly Target[])[], earlier: SortedTargets | undefined): SortedTargets {
  const present = new Set(lists);
  const fresh = lists.filter((list) => !earlier?.lists.has(list)).flat();
  fresh.sort(inOrder);
  if (!earlier) return { sorted: fresh, lists: present };
  const gone = new Set([...earlier.lists].filter((list) => !present.has(list)).flat());
  if (fresh.length === 0 && gone.size === 0) return earlier;
  const sorted: Target[] = [];
  let next = 0;
  for (const target of earlier.sorted) {
    if (gone.has(target)) continue;
    while (next < fresh.length && inOrder(fresh[next]!, target) < 0) sorted.push(fresh[next++]!);
    sorted.push(target);
  }
  return { sorted: [...sorted, ...fresh.slice(next)], lists: present };
}

/** Of `cluster/placement/kind`. */
function inOrder(a: Target, b: Target): number {
  if (a.clusterName !== b.clusterName) {
    const isPrefix = a.clusterName.startsWith(b.clusterName) || b.clusterName.startsWith(a.clusterName);
    return isPrefix ? byText(`${a.clusterName}/`, `${b.clusterName}/`) : byText(a.clusterName, b.clusterName);
  }
  return byText(rest(a), rest(b));
}

const rest = ({ placement }: Target): string => `${placementKey(placement)}/${placement.kind}`;
