import type { Fleet } from '../input.ts';
import { latestOf } from '../kernel/latest-of.ts';
import type { LoadedPlacement } from '../placement-work.ts';
import { describeRef } from '../selection/object-key.ts';
import { isLostSnapshot } from './lost-snapshot.ts';
import { isRebuilt } from './rebuilt-snapshot.ts';

/**
 * The unreadable or invalid file, in words, if a placement has no last good version to use instead. Undefined if all
 * files are valid, and once a snapshot from the repo was taken since the record was lost. The objects on the members are no
 * last good version: they may be of several versions, and have overrides in them.
 */
export function lostLastGood(
  work: Pick<LoadedPlacement, 'resourceSnapshots' | 'contents'>,
  { unreadable, refused }: Pick<Fleet, 'unreadable' | 'refused'>,
): string | undefined {
  const latest = latestOf(work.resourceSnapshots);
  if (latest === undefined) return undefined;
  if (!isRebuilt(work.resourceSnapshots, latest.index) && !isLostSnapshot(work, latest.index)) return undefined;
  return unreadable[0] ?? refused.map((ref) => `the file of ${describeRef(ref)}`)[0];
}
