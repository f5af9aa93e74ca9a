import type { ResourceSnapshotEntry } from '../../api/placement-state.ts';
import { rebuiltHash } from '../selection/content-hash.ts';

/**
 * Whether the contents of a snapshot that gitfleet took are lost: its file is missing in the record, or unreadable. A
 * state written by hand names snapshots without hashes and may leave their contents out, so those do not count.
 */
export const isLostSnapshot = (
  {
    resourceSnapshots,
    contents,
  }: {
    readonly resourceSnapshots: readonly ResourceSnapshotEntry[];
    readonly contents: ReadonlyMap<number, unknown>;
  },
  index: number | undefined,
): index is number =>
  index !== undefined &&
  !contents.has(index) &&
  resourceSnapshots.some((entry) => entry.index === index && entry.hash !== undefined && entry.hash !== rebuiltHash);

/** Why a cluster cannot get its snapshot. */
export const lostSnapshotMessage = (index: number): string =>
  `resource snapshot ${index} is no longer recorded, and the cluster shows no objects of it`;
