import type { PlacementKey } from '../../../api/meta.ts';
import { placementKey } from '../../../api/placement.ts';
import type { ResourceSnapshotEntry } from '../../../api/placement-state.ts';
import type { Problem } from '../../../api/problem.ts';
import type { StagedUpdateRun } from '../../../api/staged.ts';
import { parseIndex } from '../../../api/syntax.ts';
import { commitsIn } from '../../../engine/gate/recorded-commits.ts';
import type { Fleet, FleetRecord, RecordedPlacement } from '../../../engine/input.ts';
import { sameValue } from '../../../engine/kernel/same-value.ts';
import { snapshotId } from '../../../engine/overrides/snapshot-id.ts';
import { hashOfContents, rebuiltHash } from '../../../engine/selection/content-hash.ts';
import { isInitialized, placementOfRun } from '../../../engine/update-run.ts';
import { sha256 } from '../../../repo/sha256.ts';
import type { FollowedHistory } from './followed-history.ts';
import { withLostWork } from './lost-work.ts';
import { mismatch } from './mismatch.ts';
import { selectedIn } from './selections.ts';
import { fileOf, keyOf } from './update-runs.ts';
import type { PartVerifier } from './verified.ts';
import { hasOverride } from './written-overrides.ts';

/**
 * A run that starts names a snapshot by its index, and gets the overrides that the record lists for it. Both come from the followed
 * branch, but which index they have only the record says. So this daemon remembers what it published, and snapshots must be in the
 * order of the history. A run whose snapshot is doubted is held.
 */
export function rollbackVerifier(): PartVerifier {
  /** Hashes of contents as first seen. */
  const hashes = new Map<string, string>();
  /** Indexes that have other contents now. */
  const exchanged = new Set<string>();
  /** As last read, and those of them that this daemon wrote. */
  let read: ReadonlyMap<string, ResourceSnapshotEntry> = new Map();
  let written: ReadonlyMap<string, ResourceSnapshotEntry> = new Map();
  const see = (record: FleetRecord): ReadonlyMap<string, ResourceSnapshotEntry> => {
    const entries = new Map(entriesOf(record));
    for (const [id, { hash }] of entries) {
      if (hash === undefined || hash === rebuiltHash) continue;
      if (hashes.has(id) && hashes.get(id) !== hash) exchanged.add(id);
      else hashes.set(id, hash);
    }
    return entries;
  };
  return {
    async verify(record, history) {
      if (!record.exists) {
        hashes.clear();
        exchanged.clear();
      }
      read = see(record);
      const tip = (await history.fleetAt(history.tip))!;
      const held: string[] = [];
      const problems: Problem[] = [];
      for (const run of tip.runs) {
        const index = parseIndex(run.spec.resourceSnapshotIndex ?? '');
        const name = placementKey(run.metadata);
        const key = placementKey(placementOfRun(run));
        const recorded = record.placements.get(key);
        if (index === undefined || recorded === undefined || isInitialized(record.runs.get(name)?.status ?? {}))
          continue;
        const entry = recorded.state.resourceSnapshots.find((it) => it.index === index);
        if (entry === undefined || entry.hash === rebuiltHash || !recorded.snapshots.has(index)) continue;
        const id = idOf(key, index);
        const fault = exchanged.has(id)
          ? 'it had other contents before'
          : isSame(written.get(id), entry)
            ? undefined
            : ((await orderFault(recorded, entry, history)) ??
              (await overridesFault({ key, recorded, entry }, record, history)));
        if (fault === undefined) continue;
        held.push(name);
        problems.push(
          mismatch(`placements/${key}/state.yaml`, `run ${name} is held: of its resource snapshot ${index}, ${fault}`),
        );
      }
      return { record: withLostWork(record, 'runs', new Set(held)), problems };
    },
    published(record) {
      written = new Map(
        [...see(record)].filter(([id, entry]) => isSame(written.get(id), entry) || !isSame(read.get(id), entry)),
      );
    },
  };
}

/** Whether two entries lead to the same contents with the same overrides. */
const isSame = (a: ResourceSnapshotEntry | undefined, b: ResourceSnapshotEntry): boolean =>
  a !== undefined && a.hash === b.hash && a.commit === b.commit && sameValue(a.overrides ?? [], b.overrides ?? []);

const idOf = (key: PlacementKey, index: number): string => `${key}/${index}`;

function* entriesOf({ placements }: FleetRecord): Iterable<readonly [string, ResourceSnapshotEntry]> {
  for (const [key, { state }] of placements)
    for (const entry of state.resourceSnapshots) yield [idOf(key, entry.index), entry];
}

/** Snapshots were taken in the order of their indexes, so none comes from a commit before that of a lower one. */
async function orderFault(
  { state }: RecordedPlacement,
  { index, commit }: ResourceSnapshotEntry,
  history: FollowedHistory,
): Promise<string | undefined> {
  for (const other of state.resourceSnapshots) {
    const [lower, higher] = other.index < index ? [other.commit, commit] : [commit, other.commit];
    if (lower === undefined || higher === undefined || lower === higher) continue;
    if (await history.holds(higher, lower)) return 'the followed branch had its contents in another order';
  }
  return undefined;
}

/** Whether a commit brought the file of a run that names a snapshot. A later one may have had other overrides with it. */
async function beganToName(
  run: StagedUpdateRun,
  index: number,
  { at, fleet, history }: { readonly at: string; readonly fleet: Fleet; readonly history: FollowedHistory },
): Promise<boolean> {
  const isNamedIn = (of: Fleet): boolean => parseIndex(fileOf(run, of)?.spec.resourceSnapshotIndex ?? '') === index;
  if (!isNamedIn(fleet)) return false;
  for await (const before of history.before(at)) return !isNamedIn(before.fleet);
  return false;
}

/** The recorded overrides were on the followed branch together with the contents, or with a run that named the snapshot. */
async function overridesFault(
  of: { readonly key: PlacementKey; readonly recorded: RecordedPlacement; readonly entry: ResourceSnapshotEntry },
  { overrides, runs }: FleetRecord,
  history: FollowedHistory,
): Promise<string | undefined> {
  const { key, recorded, entry } = of;
  const ids = new Set(entry.overrides);
  if (ids.size === 0) return undefined;
  const used = [...overrides.values()].flat().filter((snapshot) => ids.has(snapshotId(snapshot)));
  const hash = hashOfContents(recorded.snapshots.get(entry.index)!, sha256);
  const hasOverrides = (fleet: Fleet): boolean =>
    used.length === ids.size && used.every((snapshot) => hasOverride(fleet, snapshot));
  const held = (fleet: Fleet): boolean => hasOverrides(fleet) && selectedIn(fleet, key)?.hash === hash;
  const commits = new Set([entry.commit, ...used.map(({ commit }) => commit)]);
  for (const run of runs.values()) {
    const { status, metadata } = run;
    if (keyOf(run) !== key || Number(status?.resourceSnapshotIndexUsed) !== entry.index) continue;
    const { initializedFrom } = commitsIn(metadata.annotations);
    const fleet = initializedFrom === undefined ? undefined : await history.fleetAt(initializedFrom);
    // It takes contents from the snapshot, and overrides from its own time.
    if (fleet && hasOverrides(fleet) && (await beganToName(run, entry.index, { at: initializedFrom!, fleet, history })))
      return undefined;
    commits.add(initializedFrom);
  }
  for (const commit of [...commits, history.tip]) {
    const fleet = commit === undefined ? undefined : await history.fleetAt(commit);
    if (fleet && held(fleet)) return undefined;
  }
  for await (const { fleet } of history.before(history.tip)) if (held(fleet)) return undefined;
  return 'no commit of the followed branch has its overrides together with its contents';
}
