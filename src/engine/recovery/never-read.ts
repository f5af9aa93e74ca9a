import type { PlacementKey } from '../../api/meta.ts';
import { isPlacementKind, placementKey } from '../../api/placement.ts';
import type { Fleet, RecordedPlacement } from '../input.ts';
import type { Hold } from '../plan-document.ts';
import { isRebuilt } from './rebuilt-snapshot.ts';

/**
 * Whether a record was rebuilt from what members hold and no file of the placement has been read since. Such a placement
 * was never ours for certain: that no file names it does not mean that somebody took the file away.
 */
export const isNeverRead = ({ object, state }: RecordedPlacement): boolean =>
  object === undefined &&
  state.resourceSnapshots.length > 0 &&
  state.resourceSnapshots.every(({ index }) => isRebuilt(state.resourceSnapshots, index));

/** Whether the repo may name a placement that is not found in it: its own file is not valid, or some file is unreadable. */
export const mayBeWritten = ({ unreadable, refused }: Pick<Fleet, 'unreadable' | 'refused'>, key: PlacementKey) =>
  unreadable.length > 0 || refused.some((ref) => isPlacementKind(ref.kind) && placementKey(ref) === key);

/** What members hold of an unknown placement. */
export function leftAlone(key: PlacementKey, clusters: readonly string[]): Hold {
  const message = `the record is lost, the repo has no such placement, and ${clusters.toSorted().join(', ')} hold objects labelled with it: they are left alone. Add the placement again, then remove it, to have them removed`;
  return { subject: { kind: 'ClusterResourcePlacement', name: key }, reason: 'RecordLost', message };
}

/** The same, while a broken file may name it. */
export function untilMended(key: PlacementKey, recorded: RecordedPlacement, fleet: Fleet): Hold {
  const clusters = clustersOf(recorded).join(', ');
  const message = `the record was lost while ${fleet.unreadable[0] ?? `the file of ${key}`} could not be read: what ${clusters} hold of ${key} is left alone until that file is mended`;
  return { subject: { kind: 'ClusterResourcePlacement', name: key }, reason: 'RecordLost', message };
}

/** Clusters that the record has bindings on, whatever their state. */
export const clustersOf = ({ state }: RecordedPlacement): readonly string[] =>
  state.bindings.map(({ targetCluster }) => targetCluster);
