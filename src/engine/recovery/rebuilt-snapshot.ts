import type { Manifest } from '../../api/meta.ts';
import type { ResourceSnapshotEntry } from '../../api/placement-state.ts';
import type { PlacementWork } from '../placement-work.ts';
import { rebuiltHash } from '../selection/content-hash.ts';

/**
 * Whether a snapshot was rebuilt from the objects of members, after the record was lost. It lists which of their objects are
 * ours, so that they can be removed later. It must not be applied: what one cluster got by an override would go to the
 * others, and fields that the server or a controller set would become ours.
 */
export const isRebuilt = (entries: readonly ResourceSnapshotEntry[], index: number): boolean =>
  entries.some((entry) => entry.index === index && entry.hash === rebuiltHash);

/** Manifests of a snapshot; undefined where they are unknown: it has no file (a state written by hand), or was rebuilt. */
export const knownManifests = (
  { resourceSnapshots, contents }: Pick<PlacementWork, 'resourceSnapshots' | 'contents'>,
  index: number | undefined,
): readonly Manifest[] | undefined =>
  index === undefined || isRebuilt(resourceSnapshots, index) ? undefined : contents.get(index);
