import type { Manifest } from '../../api/meta.ts';
import type { ResourceSnapshotEntry } from '../../api/placement-state.ts';
import type { PlacementWork } from '../placement-work.ts';
import { rebuiltHash } from '../selection/content-hash.ts';

/**
 * Whether a snapshot was put together from what members hold, after the record was lost. It tells what of theirs is ours,
 * and so may be removed one day. It must not be applied: what a cluster got by an override would go to the others, and
 * fields that the server or a controller set would become ours.
 */
export const isRebuilt = (entries: readonly ResourceSnapshotEntry[], index: number): boolean =>
  entries.some((entry) => entry.index === index && entry.hash === rebuiltHash);

/** What was selected for a snapshot; undefined where that is unknown: it has no file (a state written by hand), or was put together. */
export const rememberedManifests = (
  { resourceSnapshots, contents }: Pick<PlacementWork, 'resourceSnapshots' | 'contents'>,
  index: number | undefined,
): readonly Manifest[] | undefined =>
  index === undefined || isRebuilt(resourceSnapshots, index) ? undefined : contents.get(index);
