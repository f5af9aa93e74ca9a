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
   * Indexes that something still stands on: those of live and deleting bindings, of update runs that are not over, those that members
   * were last seen with, and those that list what is still to be removed somewhere. They outlive the limit: a binding whose
   * snapshot is gone can neither be rendered nor pruned (KubeFleet forgets them and such bindings hang, kubefleet issue
   * #263). Asked only when a snapshot is taken.
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
 * the latest itself when they do not. A return to older contents is a new index too (KubeFleet
 * resource_snapshot_resolver.go). Commits are the batches here, so nothing is collected or delayed. RollingUpdate calls
 * this in every plan, External when an update run initializes. Calling it again with its result changes nothing.
 */
export function takeSnapshot(request: SnapshotRequest): SnapshotsTaken {
  const { selection, contents } = request;
  const entries = [...request.resourceSnapshots].sort((a, b) => a.index - b.index);
  const latest = latestOf(entries);
  if (latest && holdsSelection(latest, request)) {
    return {
      resourceSnapshots: entries.map((entry) => labelled(entry, latest, selection.hash)),
      contents: withLatest(contents, latest, selection),
      index: latest.index,
    };
  }
  const inUse = request.inUse();
  // Above everything ever seen, so that no index is given to two contents although part of the record was lost.
  const index = Math.max(-1, ...entries.map((entry) => entry.index), ...contents.keys(), ...inUse) + 1;
  const newest = new Set(entries.slice(entries.length - Math.min(entries.length, request.limit - 1)));
  const kept = entries.filter((entry) => newest.has(entry) || inUse.has(entry.index));
  const keptIndexes = new Set([...kept.map((entry) => entry.index), ...inUse]);
  return {
    resourceSnapshots: [
      ...kept.map(unlabelled),
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
 * The contents of remembered snapshots. Where no file holds those of the latest, and they are what the repo holds now, they
 * are known all the same: a state written by hand often names its snapshots and no more.
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

/** What KubeFleet notes on the first snapshot of a group; one snapshot and no envelope go without saying. */
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
 * A recorded hash that differs may be a hub's own, or a person's: the contents decide. They are brought into shape first,
 * since a file written by hand need not be. What stands for contents that were lost is never what the repo holds.
 */
export function holdsSelection(
  latest: ResourceSnapshotEntry,
  { selection, contents, digest }: Pick<SnapshotRequest, 'selection' | 'contents' | 'digest'>,
): boolean {
  if (latest.hash === selection.hash) return true;
  if (latest.hash === rebuiltHash) return false;
  const manifests = contents.get(latest.index);
  // Written by hand with neither hash nor contents: what the repo holds now is taken to be it.
  if (!manifests) return latest.hash === undefined;
  return hashOfContents(inSnapshotOrder(manifests.map(normalise)), digest) === selection.hash;
}

function labelled(entry: ResourceSnapshotEntry, latest: ResourceSnapshotEntry, hash: string): ResourceSnapshotEntry {
  if (entry !== latest) return unlabelled(entry);
  return entry.latest && entry.hash === hash ? entry : { ...entry, latest: true, hash };
}

function unlabelled(entry: ResourceSnapshotEntry): ResourceSnapshotEntry {
  if (!Object.hasOwn(entry, 'latest')) return entry;
  const { latest: _, ...rest } = entry;
  return rest;
}
