import { placementKey } from '../api/placement.ts';
import { byText, sortKey } from './kernel/ordering.ts';
import type { Target } from './plan-document.ts';
import { handleTarget, type TargetHandlers } from './target-kinds.ts';

/** All targets of a plan in order, and the lists they came in. */
export interface SortedTargets {
  readonly sorted: readonly Target[];
  readonly lists: ReadonlySet<readonly Target[]>;
}

/**
 * By cluster, then placement. Lists that an earlier plan had already are not sorted again, nor looked through: of 100,000 targets
 * few are new, and between them the others stand as they stood.
 */
export function sortTargets(lists: readonly (readonly Target[])[], earlier: SortedTargets | undefined): SortedTargets {
  const present = new Set(lists);
  const fresh = lists.filter((list) => !earlier?.lists.has(list)).flat();
  fresh.sort(inOrder);
  if (!earlier) return { sorted: fresh, lists: present };
  const gone = [...earlier.lists].filter((list) => !present.has(list)).flat();
  if (fresh.length === 0 && gone.length === 0) return earlier;
  const changes = [
    ...gone.map((target): Change => ({ at: positionOf(target, earlier.sorted), skip: 1, put: [] })),
    ...fresh.map((target): Change => ({ at: placeFor(target, earlier.sorted), skip: 0, put: [target] })),
  ].sort((a, b) => a.at - b.at || a.skip - b.skip);
  const parts: (readonly Target[])[] = [];
  let from = 0;
  for (const { at, skip, put } of changes) {
    parts.push(earlier.sorted.slice(from, at), put);
    from = at + skip;
  }
  parts.push(earlier.sorted.slice(from));
  return { sorted: parts.flat(), lists: present };
}

/** So many targets are left out at a position of the earlier ones, and others put there. */
interface Change {
  readonly at: number;
  readonly skip: 0 | 1;
  readonly put: readonly Target[];
}

/** Where it stands itself. */
const positionOf = (target: Target, sorted: readonly Target[]): number =>
  sorted.indexOf(target, placeFor(target, sorted));

/** The position of the first that does not come before it. */
function placeFor(target: Target, sorted: readonly Target[]): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (inOrder(sorted[middle]!, target) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** By cluster; of one cluster the upgrade, the nodes, then placements by name and kind. */
const inOrder = (a: Target, b: Target): number => byText(a.clusterName, b.clusterName) || byText(rest(a), rest(b));

const rest = (target: Target): string => handleTarget(target, subjects);

const subjects: TargetHandlers<string> = {
  placement: ({ placement }) => sortKey(placementKey(placement), placement.kind),
  // Both before placements, whose names have no space.
  upgrade: () => '',
  nodes: () => ' ',
};
