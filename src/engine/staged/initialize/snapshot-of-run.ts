import type { StagedUpdateRun } from '../../../api/staged.ts';
import { parseIndex } from '../../../api/syntax.ts';
import { latestOf } from '../../kernel/latest-of.ts';
import type { PlacementWork } from '../../placement-work.ts';
import { isRebuilt } from '../../recovery/rebuilt-snapshot.ts';
import type { RunsInput } from '../step.ts';

export type RunSnapshot =
  | { readonly ok: true; readonly work: PlacementWork; readonly index: number }
  | { readonly ok: false; readonly message: string };

/**
 * The resource snapshot that a run rolls out. Without an index it is the present selection, as a new snapshot if its contents
 * are new. A recorded index is that snapshot. The next free index is taken now, so that a change and its run can be one
 * commit (docs/compatibility.md). Any other index ends the initialization, as in KubeFleet.
 */
export function snapshotOfRun(
  { spec }: StagedUpdateRun,
  work: PlacementWork,
  input: Pick<RunsInput, 'takeSnapshot' | 'now'>,
): RunSnapshot {
  const wanted = spec.resourceSnapshotIndex;
  if (wanted === undefined || wanted === '') return taken(work, input);
  const index = parseIndex(wanted);
  if (index === undefined)
    return { ok: false, message: `invalid resource snapshot index ${wanted}: write an integer of 0 or more` };
  if (work.resourceSnapshots.some((entry) => entry.index === index)) {
    if (isRebuilt(work.resourceSnapshots, index))
      return { ok: false, message: `the contents of resource snapshot ${index} were lost with the record` };
    if (work.contents.has(index)) return { ok: true, work, index };
    return { ok: false, message: `the contents of resource snapshot ${index} are not recorded` };
  }
  const known = work.resourceSnapshots.map((entry) => entry.index);
  const next = Math.max(-1, ...known) + 1;
  if (index !== next) {
    const recorded = known.length === 0 ? '' : `recorded: ${newestOf(known)}; `;
    const lost = known.some((entry) => isRebuilt(work.resourceSnapshots, entry)) ? ': the record was lost' : '';
    return {
      ok: false,
      message: `no resource snapshot with index ${index} found${lost}; ${recorded}the next free index is ${next}`,
    };
  }
  const fresh = taken(work, input);
  return fresh.ok && fresh.index !== index ? { ok: true, work: withIndex(fresh.work, index, input), index } : fresh;
}

/** The newest five: rollbacks are usually to one of them. */
const newestOf = (indexes: readonly number[]): string => {
  const newest = indexes.toSorted((a, b) => b - a).slice(0, 5);
  return `${indexes.length > newest.length ? '…, ' : ''}${newest.reverse().join(', ')}`;
};

function taken(work: PlacementWork, { takeSnapshot }: Pick<RunsInput, 'takeSnapshot'>): RunSnapshot {
  if (!work.selection.ok) return { ok: false, message: `the resources cannot be selected: ${work.selection.message}` };
  const next = takeSnapshot(work);
  const latest = latestOf(next.resourceSnapshots)?.index;
  return latest === undefined
    ? { ok: false, message: 'no resource snapshot could be taken' }
    : { ok: true, work: next, index: latest };
}

/** The run names the index, so it is created even where its contents equal those of the snapshot before. */
function withIndex(work: PlacementWork, index: number, { now }: Pick<RunsInput, 'now'>): PlacementWork {
  const before = latestOf(work.resourceSnapshots)!;
  const { latest: _, overrides: _o, ...entry } = before;
  return {
    ...work,
    resourceSnapshots: [
      ...work.resourceSnapshots.map(({ latest: _l, ...older }) => older),
      { ...entry, index, latest: true, createdAt: now },
    ],
    contents: new Map([...work.contents, [index, work.contents.get(before.index) ?? []]]),
  };
}
