import type { OverrideSnapshot } from '../../api/override.ts';
import { lookupOf } from './lookup.ts';
import { idsOf, type RecordedLists, withoutIndex } from './snapshot-id.ts';
import type { OverrideHistory } from './snapshots.ts';

/** Whether two pairs of lists name different snapshots: then a Bound binding is out of date (KubeFleet rollout controller). */
export const listsDiffer = (a: RecordedLists, b: RecordedLists): boolean =>
  a !== b && idsOf(a).join(' ') !== idsOf(b).join(' ');

/**
 * Whether the difference between what a binding carries and what matches it now begins a rollout by itself. Otherwise it
 * rides along: once the placement rolls for another reason, every binding whose lists differ is an update candidate.
 *
 * KubeFleet starts a rollout for the creation of a snapshot of an override with `spec.placement` and for the deletion of
 * any override, not for a snapshot of one without `spec.placement`. It does not look again when a cluster's labels
 * change (kubefleet issue #613); gitfleet does (docs/compatibility.md). So, snapshot by snapshot:
 * - gone or replaced because the override has a newer snapshot: begins, if the override names a placement;
 * - gone because the override is deleted: begins;
 * - gone although it is still the latest (the cluster's labels, or the selected resources, changed): begins;
 * - new with an earlier one in the old list: as replaced; new otherwise: begins if the override names a placement, or if
 *   `known` has it: then the placement already uses this snapshot and only the cluster is new to it.
 *
 * `known`: ids that other bindings of the placement carry, or that its resource snapshot's entry lists.
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
  const carriedBefore = new Set([...old].map(withoutIndex));
  const newest = new Map([...byId].filter(([, snapshot]) => snapshot.latest).map(([id, it]) => [withoutIndex(id), it]));

  const leaves = (id: string): boolean => {
    const latest = newest.get(withoutIndex(id));
    if (!latest) return true;
    return latest === byId.get(id) || namesPlacement(latest) || namesPlacement(byId.get(id));
  };
  const comes = (id: string): boolean =>
    namesPlacement(byId.get(id)) || (!carriedBefore.has(withoutIndex(id)) && known.has(id));
  return [...old].some((id) => !next.has(id) && leaves(id)) || [...next].some((id) => !old.has(id) && comes(id));
}

const namesPlacement = (snapshot: OverrideSnapshot | undefined): boolean =>
  snapshot?.overrideSpec.placement !== undefined;
