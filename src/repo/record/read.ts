import type { z } from 'zod';
import { type Eviction, eviction } from '../../api/eviction.ts';
import { type FleetConfig, fleetConfig } from '../../api/gitfleet.ts';
import { type MemberCluster, memberCluster } from '../../api/member-cluster.ts';
import type { ClusterName, PlacementKey } from '../../api/meta.ts';
import { type OverrideSnapshot, overrideSnapshot } from '../../api/override.ts';
import type { Problem } from '../../api/problem.ts';
import { type ApprovalRequest, approvalRequest, type StagedUpdateRun, stagedUpdateRun } from '../../api/staged.ts';
import type { FleetRecord, RecordedPlacement, UnreadPlacement } from '../../engine/input.ts';
import type { RecordDocument } from '../../engine/plan-document.ts';
import { lately } from './lately.ts';
import { allSnapshotsRead } from './manifests.ts';
import { recordPathOf } from './path.ts';
import { type Fault, type FileRead, readRecordFile } from './read-file.ts';
import { noFiles, type PlacementFiles, type Read, readPlacementFile, recordedPlacement } from './read-placement.ts';
import type { RemovalAsked } from './removals-asked.ts';
import { type Held, type NotInForce, notInForceIn, type Silence, silentIn, summary, toldIn } from './summary.ts';

/**
 * Reads the status branch. A file that cannot be understood (somebody edited it) is a problem. Where that would let something
 * happen again that has happened (a placement, a run, an eviction) it is an error, and told as unread; any other is otherwise
 * taken as missing: nothing is remembered there. Sharded directories (`placements/3f/web/…`) and plain ones are both read.
 * What the files were rendered from, where that is known, need not be parsed.
 */
export function readRecord(
  files: ReadonlyMap<string, string>,
  written: ReadonlyMap<string, RecordDocument> = new Map(),
): {
  readonly record: FleetRecord;
  readonly problems: readonly Problem[];
  /** The branch of desired state; undefined where nobody wrote it down. */
  readonly branch: string | undefined;
  /** Members that did not answer when this was written. */
  readonly silent: ReadonlyMap<ClusterName, Silence>;
  /** Removals that it asked a person for. */
  readonly removals: readonly RemovalAsked[];
  readonly holds: readonly Held[];
  readonly notInForce: NotInForce;
} {
  const problems: Problem[] = [];
  const placements = new Map<PlacementKey, PlacementFiles>();
  const overrides = new Map<string, OverrideSnapshot[]>();
  const runs = new Map<string, StagedUpdateRun>();
  const approvals = new Map<string, ApprovalRequest>();
  const evictions = new Map<string, Eviction>();
  const clusters = new Map<string, MemberCluster>();
  let known: z.infer<typeof summary> = {};
  let config: FleetConfig | undefined;
  const unread = { placements: new Set<PlacementKey>(), runs: new Set<string>(), evictions: new Set<string>() };
  const read: Read = (path, text, schema, unreadable) => {
    const found = values.recall(text, () => readRecordFile(text, schema, written.get(path)));
    if ('value' in found) return found.value as z.output<typeof schema>;
    unreadable?.();
    for (const fault of found.faults) problems.push(told(fault, `(status branch) ${path}`, unreadable !== undefined));
    return undefined;
  };
  for (const [path, text] of files) {
    const place = recordPathOf(path);
    if (path === 'fleet.yaml') config = read(path, text, fleetConfig);
    if (path === 'summary.yaml') known = read(path, text, summary) ?? {};
    if (!place) continue;
    const { directory, name, rest } = place;
    switch (directory) {
      case 'placements':
        readPlacementFile({
          entry: entryOf(placements, name as PlacementKey, noFiles),
          path,
          rest,
          text,
          written: written.get(path),
          read,
          unreadable: () => unread.placements.add(name as PlacementKey),
          problems,
        });
        break;
      case 'overrides': {
        const snapshot = read(path, text, overrideSnapshot);
        if (snapshot) entryOf(overrides, name, (): OverrideSnapshot[] => []).push(snapshot);
        break;
      }
      case 'runs':
        keep(
          runs,
          name,
          read(path, text, stagedUpdateRun, () => unread.runs.add(name)),
        );
        break;
      case 'approvals':
        keep(approvals, name, read(path, text, approvalRequest));
        break;
      case 'evictions':
        keep(
          evictions,
          name,
          read(path, text, eviction, () => unread.evictions.add(name)),
        );
        break;
      default:
        keep(clusters, name, read(path, text, memberCluster));
    }
  }
  values.turn();
  allSnapshotsRead();
  for (const list of overrides.values()) list.sort((a, b) => a.index - b.index);
  return {
    problems,
    branch: known.branch,
    silent: silentIn(known),
    removals: known.removals ?? [],
    holds: known.holds ?? [],
    notInForce: notInForceIn(known),
    record: {
      exists: [...files.keys()].some((path) => path.startsWith('placements/')),
      told: toldIn(known),
      placements: new Map(
        [...placements].flatMap(([key, entry]): [PlacementKey, RecordedPlacement][] => {
          const recorded = unread.placements.has(key) ? undefined : recordedPlacement(key, entry);
          return recorded ? [[key, recorded]] : [];
        }),
      ),
      overrides,
      runs,
      approvals,
      evictions,
      clusters,
      config,
      commit: known.commit,
      ...(Object.values(unread).some(({ size }) => size > 0) && {
        unread: { ...unread, placements: unreadOf(unread.placements, placements, files) },
      }),
    },
  };
}

const told = ({ message, fix, ...fault }: Fault, file: string, mustBeMended: boolean): Problem => ({
  severity: mustBeMended ? 'error' : 'warning',
  code: 'record-unreadable',
  file,
  ...fault,
  message: `this file of the record cannot be used: ${message}`,
  fix: mustBeMended
    ? `${fix ?? 'mend the file'}; a status branch is best left to gitfleet`
    : 'leave the status branch to gitfleet; the file is written anew',
});

function unreadOf(
  keys: ReadonlySet<PlacementKey>,
  placements: ReadonlyMap<PlacementKey, PlacementFiles>,
  files: ReadonlyMap<string, string>,
): ReadonlyMap<PlacementKey, UnreadPlacement> {
  const texts = new Map([...keys].map((key) => [key, new Map<string, string>()]));
  if (keys.size > 0)
    for (const [path, text] of files) {
      const place = recordPathOf(path);
      if (place?.directory === 'placements') texts.get(place.name as PlacementKey)?.set(place.rest, text);
    }
  return new Map(
    [...texts].map(([key, own]) => {
      const { state: _, ...rest } = placements.get(key)!;
      return [key, { ...rest, files: own }];
    }),
  );
}

/** What a map holds under a key; made when there is nothing yet. */
function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}

function keep<T>(map: Map<string, T>, name: string, value: T | undefined): void {
  if (value !== undefined) map.set(name, value);
}

/** By text: a file that did not change keeps its identity from pass to pass, and costs nothing. */
const values = lately<FileRead<unknown>>();
