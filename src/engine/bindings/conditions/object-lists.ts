import type { DiffedPlacement, DriftedPlacement, FailedPlacement, ResourceIdentifier } from '../../../api/placement.ts';
import type { Binding } from '../../../api/placement-state.ts';

/** KubeFleet's API keeps at most this many objects in each list of a binding. */
export const mostOfList = 100;

type Named = Pick<ResourceIdentifier, 'group' | 'kind' | 'namespace' | 'name'>;

/** Versions of one object are the same object. */
export const sameObject = (a: Named, b: Named): boolean =>
  a.kind === b.kind && a.name === b.name && a.namespace === b.namespace && (a.group ?? '') === (b.group ?? '');

/** The binding with these lists, absent where they are empty. */
export function withLists(
  binding: Binding,
  lists: {
    readonly failed: FailedPlacement[];
    readonly drifted: DriftedPlacement[];
    readonly diffed: DiffedPlacement[];
  },
): Binding {
  const { failedPlacements: _f, driftedPlacements: _d, diffedPlacements: _p, ...rest } = binding;
  return {
    ...rest,
    ...(lists.failed.length > 0 ? { failedPlacements: lists.failed } : {}),
    ...(lists.drifted.length > 0 ? { driftedPlacements: lists.drifted } : {}),
    ...(lists.diffed.length > 0 ? { diffedPlacements: lists.diffed } : {}),
  };
}
