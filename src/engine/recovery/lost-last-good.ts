import type { ResourceSnapshotEntry } from '../../api/placement-state.ts';
import type { Fleet } from '../input.ts';
import { latestOf } from '../kernel/latest-of.ts';
import { describeRef } from '../selection/object-key.ts';
import { isRebuilt } from './rebuilt-snapshot.ts';

/**
 * What is broken in the repo, where a placement has no last good version to stand for it: a file that cannot be read or the
 * file of an object, in words. Undefined where nothing is broken, and once a snapshot of the repo was taken since the record
 * was lost. What the members hold is no last good version: it may be of several ages, and it has overrides in it.
 */
export function lostLastGood(
  resourceSnapshots: readonly ResourceSnapshotEntry[],
  { unreadable, refused }: Pick<Fleet, 'unreadable' | 'refused'>,
): string | undefined {
  const latest = latestOf(resourceSnapshots);
  if (latest === undefined || !isRebuilt(resourceSnapshots, latest.index)) return undefined;
  return unreadable[0] ?? refused.map((ref) => `the file of ${describeRef(ref)}`)[0];
}
