import type { OverrideSnapshot } from '../../api/override.ts';
import { lookupOf } from './lookup.ts';
import { idsOf, type RecordedLists, withoutIndex } from './snapshot-id.ts';
import type { OverrideHistory } from './snapshots.ts';

/** Whether two pairs of lists name different snapshots: then a Bound binding is out of date (KubeFleet rollout controller). */
export const listsDiffer = (a: RecordedLists, b: RecordedLists): boolean =>
  a !== b && idsOf(a).join(' ') !== idsOf(b).join(' ');

/**
 * Whether the difference between the overrides that a binding lists and those that match now starts a rollout by itself. Otherwise
 * it is rolled out with the next one: once the placement rolls out for another reason, every binding whose lists differ is an
 * update candidate.
 *
 * KubeFleet starts a rollout for the creation of a snapshot of an override with `spec.placement` and for the deletion of
 * any override, not for a snapshot of one without `spec.placement`. It ignores changed labels of a cluster (kubefleet issue
 * #613); gitfleet does not (docs/compatibility.md). So, by snapshot:
 * - no longer listed because the override has a newer snapshot: starts, if the override names a placement;
 * - no longer listed because the override is deleted: starts;
 * - no longer listed although it is the latest (the cluster's labels, or the selected resources, changed): starts;
 * - newly listed with an earlier one in the old list: as above; newly listed otherwise: starts if the override names a placement,
 *   or if it is in `known`: then the placement already uses this snapshot and only the cluster is new to it.
 *
 * `known`: ids that other bindings of the placement, or the entry of its resource snapshot, list.
 */
export function startsRollout(
  before: RecordedLists,
  after: RecordedLists,
  history: OverrideHistory,
  known: ReadonlySet<string>,
): boolean {
  if (!listsDiffer(before, after)) return false;
  const { byId } = lookupOf(history);
  const old = new Set(idsOf(before));
  const next = new Set(idsOf(after));
  const listedBefore = new Set([...old].map(withoutIndex));
  const newest = new Map([...byId].filter(([, snapshot]) => snapshot.latest).map(([id, it]) => [withoutIndex(id), it]));

  const startsByRemoval = (id: string): boolean => {
    const latest = newest.get(withoutIndex(id));
    if (!latest) return true;
    return latest === byId.get(id) || namesPlacement(latest) || namesPlacement(byId.get(id));
  };
  const startsByAddition = (id: string): boolean =>
    namesPlacement(byId.get(id)) || (!listedBefore.has(withoutIndex(id)) && known.has(id));
  return (
    [...old].some((id) => !next.has(id) && startsByRemoval(id)) ||
    [...next].some((id) => !old.has(id) && startsByAddition(id))
  );
}

const namesPlacement = (snapshot: OverrideSnapshot | undefined): boolean =>
  snapshot?.overrideSpec.placement !== undefined;
