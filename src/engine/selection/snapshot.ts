import type { Manifest, Timestamp } from '../../api/meta.ts';
import type { ResourceSnapshotEntry } from '../../api/placement-state.ts';
import { latestOf } from '../kernel/latest-of.ts';
import type { Selection } from '../placement-work.ts';
import { hashOfContents, rebuiltHash } from './content-hash.ts';
import { unpack } from './envelope.ts';
import { countGroups } from './groups.ts';
import { normalise } from './normalise.ts';
import { inSnapshotOrder } from './order.ts';

export interface SnapshotRequest {
  /** As recorded: any order, `hash` and `latest` may be missing in a state written by hand. */
  readonly resourceSnapshots: readonly ResourceSnapshotEntry[];
  readonly contents: ReadonlyMap<number, readonly Manifest[]>;
  readonly selection: Extract<Selection, { readonly ok: true }>;
  readonly commit: string;
  readonly now: Timestamp;
  /** spec.revisionHistoryLimit: snapshots to keep, 1 to 1000, the new one included. */
  readonly limit: number;
  /**
   * Indexes in use: of live and deleting bindings, of update runs that are not over, those that members were last observed with,
   * and those that list objects still to be removed. They are kept beyond the limit: a binding without its snapshot can neither
   * be rendered nor pruned (KubeFleet deletes them and such bindings hang, kubefleet issue #263). Called only when a snapshot is
   * taken.
   */
  readonly inUse: () => ReadonlySet<number>;
  readonly digest: (text: string) => string;
}

export interface SnapshotsTaken {
  /** Ascending by index; exactly one is latest. */
  readonly resourceSnapshots: readonly ResourceSnapshotEntry[];
  readonly contents: ReadonlyMap<number, readonly Manifest[]>;
  /** Of the latest snapshot. */
  readonly index: number;
}

/**
 * Makes sure that the latest snapshot holds the selection: a new index when the contents differ from those of the latest,
 * the latest itself when they do not. Older contents that return are a new index too (KubeFleet
 * resource_snapshot_resolver.go). A commit is a batch of changes, so none are collected or delayed. RollingUpdate calls
 * this in every plan, External when an update run initializes. Calling it again with its result changes nothing.
 */
export function takeSnapshot(request: SnapshotRequest): SnapshotsTaken {
  const { selection, contents } = request;
  const entries = [...request.resourceSnapshots].sort((a, b) => a.index - b.index);
  const latest = latestOf(entries);
  if (latest && holdsSelection(latest, request)) {
    return {
      resourceSnapshots: entries.map((entry) => marked(entry, latest, selection.hash)),
      contents: withLatest(contents, latest, selection),
      index: latest.index,
    };
  }
  const inUse = request.inUse();
  // Above every known index, so that no index is used for two contents although part of the record was lost.
  const index = Math.max(-1, ...entries.map((entry) => entry.index), ...contents.keys(), ...inUse) + 1;
  const newest = new Set(entries.slice(entries.length - Math.min(entries.length, request.limit - 1)));
  const kept = entries.filter((entry) => newest.has(entry) || inUse.has(entry.index));
  const keptIndexes = new Set([...kept.map((entry) => entry.index), ...inUse]);
  return {
    resourceSnapshots: [
      ...kept.map(unmarked),
      {
        index,
        latest: true,
        hash: selection.hash,
        ...hubCounts(selection.manifests),
        commit: request.commit,
        createdAt: request.now,
      },
    ],
    contents: new Map([
      ...[...contents].filter(([known]) => keptIndexes.has(known)),
      [index, selection.manifests] as const,
    ]),
    index,
  };
}

/**
 * The contents of recorded snapshots. If no file has those of the latest, and they equal the present selection, the selection takes
 * their place: a state written by hand often lists its snapshots without contents.
 */
export function knownContents(
  request: Pick<SnapshotRequest, 'resourceSnapshots' | 'contents' | 'digest'> & { readonly selection: Selection },
): ReadonlyMap<number, readonly Manifest[]> {
  const { contents, selection, digest } = request;
  const latest = latestOf(request.resourceSnapshots);
  const isKnown = !latest || contents.has(latest.index) || !selection.ok;
  return isKnown || !holdsSelection(latest, { selection, contents, digest })
    ? contents
    : withLatest(contents, latest, selection);
}

const withLatest = (
  contents: SnapshotRequest['contents'],
  { index }: ResourceSnapshotEntry,
  { manifests }: SnapshotRequest['selection'],
): SnapshotRequest['contents'] => (contents.has(index) ? contents : new Map([...contents, [index, manifests]]));

/** The counts that KubeFleet annotates on the first snapshot of a group; one snapshot and no envelope are omitted. */
function hubCounts(
  manifests: readonly Manifest[],
): Pick<ResourceSnapshotEntry, 'numberOfResourceSnapshots' | 'numberOfEnvelopedObjects'> {
  const groups = countGroups(manifests);
  const envelopes = manifests.filter((manifest) => unpack(manifest) !== undefined).length;
  return {
    ...(groups > 1 && { numberOfResourceSnapshots: groups }),
    ...(envelopes > 0 && { numberOfEnvelopedObjects: envelopes }),
  };
}

/**
 * Whether a snapshot holds the selection. A recorded hash that differs may come from a hub or a user, so the contents decide. They
 * are normalised and sorted first, since a file written by hand may not be. Rebuilt contents never equal the selection.
 */
export function holdsSelection(
  latest: ResourceSnapshotEntry,
  { selection, contents, digest }: Pick<SnapshotRequest, 'selection' | 'contents' | 'digest'>,
): boolean {
  if (latest.hash === selection.hash) return true;
  if (latest.hash === rebuiltHash) return false;
  const manifests = contents.get(latest.index);
  // Written by hand with neither hash nor contents: it counts as the present selection.
  if (!manifests) return latest.hash === undefined;
  return hashOfContents(inSnapshotOrder(manifests.map(normalise)), digest) === selection.hash;
}

function marked(entry: ResourceSnapshotEntry, latest: ResourceSnapshotEntry, hash: string): ResourceSnapshotEntry {
  if (entry !== latest) return unmarked(entry);
  return entry.latest && entry.hash === hash ? entry : { ...entry, latest: true, hash };
}

function unmarked(entry: ResourceSnapshotEntry): ResourceSnapshotEntry {
  if (!Object.hasOwn(entry, 'latest')) return entry;
  const { latest: _, ...rest } = entry;
  return rest;
}
