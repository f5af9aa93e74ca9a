import type { ResourceSnapshotEntry } from '../../api/placement-state.ts';
import { rebuiltHash } from '../selection/content-hash.ts';

/**
 * Whether a snapshot that gitfleet took has lost its contents: the file is gone from the record, or could not be read. A state
 * written by hand names snapshots without hashes and may leave their contents out; that says nothing.
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

/** Why a cluster cannot be given what it was to have. */
export const lostSnapshotMessage = (index: number): string =>
  `resource snapshot ${index} is not remembered any more, and the cluster shows nothing of it`;
