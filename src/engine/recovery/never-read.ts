import type { PlacementKey } from '../../api/meta.ts';
import { isPlacementKind, placementKey } from '../../api/placement.ts';
import type { Fleet, RecordedPlacement } from '../input.ts';
import type { Hold } from '../plan-document.ts';
import { isRebuilt } from './rebuilt-snapshot.ts';

/**
 * Whether a record was rebuilt from the members and no file of the placement has been read since. It is not certain that
 * such a placement is ours: that no file names it does not mean that its file was deleted.
 */
export const isNeverRead = ({ object, state }: RecordedPlacement): boolean =>
  object === undefined &&
  state.resourceSnapshots.length > 0 &&
  state.resourceSnapshots.every(({ index }) => isRebuilt(state.resourceSnapshots, index));

/** Whether the repo may name a placement that is not found in it: its own file is not valid, or some file is unreadable. */
export const mayBeWritten = ({ unreadable, refused }: Pick<Fleet, 'unreadable' | 'refused'>, key: PlacementKey) =>
  unreadable.length > 0 || refused.some((ref) => isPlacementKind(ref.kind) && placementKey(ref) === key);

/** The hold of objects of an unknown placement. */
export function leftAlone(key: PlacementKey, clusters: readonly string[]): Hold {
  const message = `the record is lost, the repo has no such placement, and ${clusters.toSorted().join(', ')} hold objects with its label: they are not changed. To remove them, add the placement again, then remove it`;
  return { subject: { kind: 'ClusterResourcePlacement', name: key }, reason: 'RecordLost', message };
}

/** The same, while the placement may be in a file that cannot be read. */
export function leftUntilFixed(key: PlacementKey, recorded: RecordedPlacement, fleet: Fleet): Hold {
  const clusters = clustersOf(recorded).join(', ');
  const message = `the record was lost while ${fleet.unreadable[0] ?? `the file of ${key}`} could not be read: objects of ${key} on ${clusters} are not changed until that file is fixed`;
  return { subject: { kind: 'ClusterResourcePlacement', name: key }, reason: 'RecordLost', message };
}

/** Clusters with a recorded binding in any state. */
export const clustersOf = ({ state }: RecordedPlacement): readonly string[] =>
  state.bindings.map(({ targetCluster }) => targetCluster);
