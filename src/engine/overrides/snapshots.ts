import type { ObjectRef } from '../../api/meta.ts';
import type { Override, OverrideSnapshot } from '../../api/override.ts';
import type { RecordEntry } from '../domain.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { latestOf } from '../kernel/latest-of.ts';
import { memoizePair } from '../kernel/memoize.ts';
import { by } from '../kernel/ordering.ts';
import { snapshotId } from './snapshot-id.ts';

/**
 * Snapshots of every override by `[ns.]name` (the folder on the status branch), ascending by index. `metadata.name` is
 * the snapshot's own name, `<override>-<index>`. One is latest while the override exists, none after it is deleted.
 */
export type OverrideHistory = ReadonlyMap<string, readonly OverrideSnapshot[]>;

/** KubeFleet keeps ten per override, hard-coded (pkg/controllers/overrider). */
const mostSnapshots = 10;

/**
 * Takes a snapshot of every override whose spec differs from its latest one. A deleted override keeps its snapshots,
 * without a latest, for bindings that still list them. One that is added again unchanged is marked latest again.
 */
export function snapshotOverrides(request: {
  readonly overrides: readonly Override[];
  readonly recorded: OverrideHistory;
  readonly digest: (text: string) => string;
  readonly commit: string;
  /** Fleet.refused and Fleet.unreadable: an override that may be in an invalid file does not count as deleted. */
  readonly refused: readonly ObjectRef[];
  readonly unreadable: readonly string[];
  /** Ids (snapshot-id.ts) that bindings, runs and resource snapshots list: they are kept beyond the limit. */
  readonly inUse: ReadonlySet<string>;
}): OverrideHistory {
  const { overrides, recorded, refused, unreadable } = request;
  const present = new Set(overrides.map((override) => overrideKey(override.kind, override.metadata)));
  const held = new Set(refused.map((ref) => overrideKey(ref.kind, ref)));
  const history = new Map<string, readonly OverrideSnapshot[]>();
  for (const [folder, snapshots] of recorded) {
    const kept = snapshots.map((recordedOne) => {
      const snapshot = withOwnName(recordedOne, folder);
      const owner = ownerOf(snapshot, folder);
      return unreadable.length > 0 || held.has(owner) || present.has(owner) ? snapshot : unmarked(snapshot);
    });
    history.set(
      folder,
      kept.sort((a, b) => a.index - b.index),
    );
  }
  for (const override of overrides) {
    const folder = folderOf(override.metadata);
    history.set(folder, withLatest(override, folder, history.get(folder) ?? [], request));
  }
  return new Map([...history].sort(by(([folder]) => folder)));
}

/**
 * The status branch's documents, path and content: `overrides/<[ns.]name>/<index>.yaml`. Snapshots of deleted overrides
 * are omitted once they are not `inUse`, the ids in use after the plan.
 */
export const overrideDocuments = (history: OverrideHistory, inUse: ReadonlySet<string>): RecordEntry[] =>
  [...history].flatMap(([folder, snapshots]) => {
    const alive = new Set(snapshots.filter(({ latest }) => latest).map((snapshot) => ownerOf(snapshot, folder)));
    return snapshots
      .filter((snapshot) => alive.has(ownerOf(snapshot, folder)) || inUse.has(snapshotId(snapshot)))
      .map(
        (snapshot): RecordEntry => [`overrides/${folder}/${snapshot.index}.yaml`, { kind: 'object', value: snapshot }],
      );
  });

/** Every override as in its latest snapshot, by `overrideKey`; deleted ones are omitted. */
export function lastRecorded(history: OverrideHistory): ReadonlyMap<string, Override> {
  const recorded = new Map<string, Override>();
  for (const [folder, snapshots] of history) {
    for (const snapshot of snapshots) {
      if (!snapshot.latest) continue;
      const { namespace } = snapshot.metadata;
      const override = {
        apiVersion: 'placement.kubernetes-fleet.io/v1',
        kind: snapshot.kind.replace(/Snapshot$/, ''),
        metadata: { name: overrideName(snapshot, folder), ...(namespace && { namespace }) },
        spec: snapshot.overrideSpec,
      } as Override;
      recorded.set(overrideKey(override.kind, override.metadata), override);
    }
  }
  return recorded;
}

/** Hex sha-256 of an override's spec, memoized by the spec's identity. */
export const hashOfSpec = memoizePair(
  (spec: OverrideSnapshot['overrideSpec'], digest: (text: string) => string): string => digest(canonicalJson(spec)),
);

const folderOf = ({ name, namespace }: { readonly name: string; readonly namespace?: string | undefined }): string =>
  namespace ? `${namespace}.${name}` : name;

/** Identifies an override. A cluster override `a.b` and an override `b` of namespace `a` share a folder, so it has the kind. */
export const overrideKey = (
  kind: string,
  named: { readonly name: string; readonly namespace?: string | undefined },
): string => `${kind} ${named.namespace ?? ''}/${named.name}`;

const ownerOf = (snapshot: OverrideSnapshot, folder: string): string =>
  overrideKey(snapshot.kind.replace(/Snapshot$/, ''), {
    name: overrideName(snapshot, folder),
    namespace: snapshot.metadata.namespace,
  });

const overrideName = ({ metadata: { namespace } }: OverrideSnapshot, folder: string): string =>
  namespace ? folder.slice(namespace.length + 1) : folder;

/** The snapshot with its own name, by the folder: a record written by hand may have the override's name instead. */
function withOwnName(snapshot: OverrideSnapshot, folder: string): OverrideSnapshot {
  const name = `${overrideName(snapshot, folder)}-${snapshot.index}`;
  return snapshot.metadata.name === name ? snapshot : { ...snapshot, metadata: { ...snapshot.metadata, name } };
}

function withLatest(
  override: Override,
  folder: string,
  snapshots: readonly OverrideSnapshot[],
  { digest, inUse, commit }: Pick<Parameters<typeof snapshotOverrides>[0], 'digest' | 'inUse' | 'commit'>,
): OverrideSnapshot[] {
  const owner = overrideKey(override.kind, override.metadata);
  const own = snapshots.filter((snapshot) => ownerOf(snapshot, folder) === owner);
  const others = snapshots.filter((snapshot) => ownerOf(snapshot, folder) !== owner);
  const hash = hashOfSpec(override.spec, digest);
  const latest = latestOf(own);
  if (latest && hashOfSpec(latest.overrideSpec, digest) === hash) {
    const kept = own.map((snapshot) => (snapshot === latest ? marked(snapshot, hash) : unmarked(snapshot)));
    return [...others, ...kept].sort((a, b) => a.index - b.index);
  }
  const index = (snapshots.at(-1)?.index ?? -1) + 1;
  const newest = new Set(own.slice(-(mostSnapshots - 1)));
  const { name, namespace } = override.metadata;
  return [
    ...others,
    ...own.filter((snapshot) => newest.has(snapshot) || inUse.has(snapshotId(snapshot))).map(unmarked),
    {
      apiVersion: 'gitfleet.dev/v1alpha1' as const,
      kind: `${override.kind}Snapshot` as const,
      metadata: { name: `${name}-${index}`, ...(namespace ? { namespace } : {}) },
      index,
      latest: true,
      hash,
      commit,
      overrideSpec: override.spec,
    },
  ].sort((a, b) => a.index - b.index);
}

/** Marked as latest, with the order of fields of a new one. */
function marked(snapshot: OverrideSnapshot, hash: string): OverrideSnapshot {
  if (snapshot.latest && snapshot.hash === hash) return snapshot;
  const { apiVersion, kind, metadata, index, latest: _l, hash: _h, overrideSpec, ...rest } = snapshot;
  return { apiVersion, kind, metadata, index, latest: true, hash, overrideSpec, ...rest } as OverrideSnapshot;
}

function unmarked(snapshot: OverrideSnapshot): OverrideSnapshot {
  if (!Object.hasOwn(snapshot, 'latest')) return snapshot;
  const { latest: _, ...rest } = snapshot;
  return rest;
}
