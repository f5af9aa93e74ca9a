import type { PlacementKey } from '../../../api/meta.ts';
import type { PlacementState } from '../../../api/placement-state.ts';
import type { Problem } from '../../../api/problem.ts';
import { type FleetRecord, noneUnread, type RecordedPlacement, type UnreadPlacement } from '../../../engine/input.ts';
import { memoize } from '../../../engine/kernel/memoize.ts';
import { highestIndex } from '../../../engine/recovery/highest-index.ts';
import { mismatch } from './mismatch.ts';

/** A state with an index that gitfleet cannot have given counts as lost, and such files of snapshots as missing. */
export function withUsableIndexes(claimed: FleetRecord): {
  readonly record: FleetRecord;
  readonly problems: readonly Problem[];
} {
  const record = withHighestLatest(claimed);
  const { unread = noneUnread } = record;
  const lost = [...record.placements].filter(([, { state, snapshots }]) => hasHugeIndex(state) || hasHuge(snapshots));
  const excessive = [...unread.placements].filter(([, { snapshots }]) => hasHuge(snapshots));
  if (lost.length + excessive.length === 0) return { record, problems: [] };
  const placements = new Map(record.placements);
  const unreadPlacements = new Map(unread.placements);
  for (const [key, { state: _, ...rest }] of lost) {
    placements.delete(key);
    unreadPlacements.set(key, withoutHuge({ ...rest, files: new Map() }));
  }
  for (const [key, entry] of excessive) unreadPlacements.set(key, withoutHuge(entry));
  return {
    record: { ...record, placements, unread: { ...unread, placements: unreadPlacements } },
    problems: [...lost, ...excessive].map(([key]) => tooHigh(key)),
  };
}

/** The latest snapshot has the highest index. With another one, what clusters have would count as newer than the latest. */
function withHighestLatest(record: FleetRecord): FleetRecord {
  const changed = [...record.placements].flatMap(([key, recorded]): [PlacementKey, RecordedPlacement][] => {
    const state = inOrder(recorded.state);
    return state === recorded.state ? [] : [[key, { ...recorded, state }]];
  });
  return changed.length === 0 ? record : { ...record, placements: new Map([...record.placements, ...changed]) };
}

const inOrder = memoize((state: PlacementState): PlacementState => {
  const { resourceSnapshots } = state;
  const highest = Math.max(...resourceSnapshots.map(({ index }) => index));
  if (!resourceSnapshots.some(({ index, latest }) => latest && index < highest)) return state;
  const marked = resourceSnapshots.map(({ latest: _, ...entry }) =>
    entry.index === highest ? { ...entry, latest: true } : entry,
  );
  return { ...state, resourceSnapshots: marked };
});

const hasHugeIndex = memoize(({ resourceSnapshots, policySnapshots, bindings }: PlacementState): boolean =>
  [
    ...[...resourceSnapshots, ...policySnapshots].map(({ index }) => index),
    ...bindings.flatMap(({ resourceSnapshotIndex = 0, policySnapshotIndex = 0 }) => [
      resourceSnapshotIndex,
      policySnapshotIndex,
    ]),
  ].some(isHuge),
);

const isHuge = (index: number): boolean => index > highestIndex;

const hasHuge = (snapshots: RecordedPlacement['snapshots']): boolean => [...snapshots.keys()].some(isHuge);

const withoutHuge = (entry: UnreadPlacement): UnreadPlacement => ({
  ...entry,
  snapshots: new Map([...entry.snapshots].filter(([index]) => !isHuge(index))),
});

const tooHigh = (key: PlacementKey): Problem =>
  mismatch(
    `placements/${key}/state.yaml`,
    `it has an index above ${highestIndex}, which gitfleet never gave: the state counts as lost`,
  );
