import type { z } from 'zod';
import { completePlacement } from '../../api/complete-placement.ts';
import { type Eviction, eviction } from '../../api/eviction.ts';
import { type FleetConfig, fleetConfig } from '../../api/gitfleet.ts';
import { type MemberCluster, memberCluster } from '../../api/member-cluster.ts';
import type { ClusterName, Manifest, PlacementKey } from '../../api/meta.ts';
import { type MirroredStatus, mirroredStatus } from '../../api/mirrored-status.ts';
import { type OverrideSnapshot, overrideSnapshot } from '../../api/override.ts';
import {
  clusterResourcePlacement,
  type Placement,
  resourcePlacement,
  type StatusInNamespace,
  statusInNamespace,
} from '../../api/placement.ts';
import { type PlacementState, placementState } from '../../api/placement-state.ts';
import type { Problem } from '../../api/problem.ts';
import { type ApprovalRequest, approvalRequest, type StagedUpdateRun, stagedUpdateRun } from '../../api/staged.ts';
import { canonicalState } from '../../engine/canonical-state.ts';
import type { FleetRecord, RecordedPlacement, UnreadPlacement } from '../../engine/input.ts';
import type { RecordDocument } from '../../engine/plan-document.ts';
import { lately } from './lately.ts';
import { manifestsIn } from './manifests.ts';
import { recordPathOf } from './path.ts';
import { type Fault, type FileRead, readRecordFile } from './read-file.ts';
import type { RemovalAsked } from './removals-asked.ts';
import { type Held, type Silence, silentIn, summary } from './summary.ts';
import { writtenIn } from './write.ts';

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
  /** The branch of desired state; undefined in what was written before that was told. */
  readonly branch: string | undefined;
  /** Members that did not answer when this was written. */
  readonly silent: ReadonlyMap<ClusterName, Silence>;
  /** Removals that it asked a person for. */
  readonly removals: readonly RemovalAsked[];
  readonly holds: readonly Held[];
} {
  const problems: Problem[] = [];
  const placements = new Map<PlacementKey, Mutable>();
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
          entry: entryOf(placements, name as PlacementKey),
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
        if (snapshot) overrides.set(name, [...(overrides.get(name) ?? []), snapshot]);
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
  manifestLists.turn();
  for (const list of overrides.values()) list.sort((a, b) => a.index - b.index);
  return {
    problems,
    branch: known.branch,
    silent: silentIn(known),
    removals: known.removals ?? [],
    holds: known.holds ?? [],
    record: {
      exists: [...files.keys()].some((path) => path.startsWith('placements/')),
      placements: new Map(
        [...placements].flatMap(([key, { object, state, ...rest }]): [PlacementKey, RecordedPlacement][] =>
          (object || state) && !unread.placements.has(key)
            ? [[key, { object, state: state ?? emptyState(key, object), ...rest }]]
            : [],
        ),
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

interface Mutable {
  object: Placement | undefined;
  state: PlacementState | undefined;
  inNamespace?: StatusInNamespace | undefined;
  readonly snapshots: Map<number, readonly Manifest[]>;
  readonly mirrored: Map<ClusterName, MirroredStatus>;
}

/** `unreadable` is called where a file that cannot be read must not be taken as missing. */
type Read = <T>(path: string, text: string, schema: z.ZodType<T>, unreadable?: () => void) => T | undefined;

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
  placements: ReadonlyMap<PlacementKey, Mutable>,
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

function entryOf(placements: Map<PlacementKey, Mutable>, key: PlacementKey): Mutable {
  const entry = placements.get(key) ?? {
    object: undefined,
    state: undefined,
    snapshots: new Map(),
    mirrored: new Map(),
  };
  placements.set(key, entry);
  return entry;
}

function keep<T>(map: Map<string, T>, name: string, value: T | undefined): void {
  if (value !== undefined) map.set(name, value);
}

function readPlacementFile(of: {
  readonly entry: Mutable;
  readonly path: string;
  readonly rest: string;
  readonly text: string;
  readonly written: RecordDocument | undefined;
  readonly read: Read;
  readonly unreadable: () => void;
  readonly problems: Problem[];
}): void {
  const { entry, path, rest, text, written, read, unreadable, problems } = of;
  if (rest === 'state.yaml') {
    const state = read(path, text, placementState, unreadable);
    entry.state = state && canonicalState(state);
  } else if (rest === 'status.yaml') {
    entry.object = read(path, text, /^kind: ResourcePlacement$/m.test(text) ? inNamespace : clusterWide);
  } else if (rest === 'namespace-status.yaml') entry.inNamespace = read(path, text, statusInNamespace);
  else if (rest.startsWith('mirrored/')) {
    const mirrored = read(path, text, mirroredStatus);
    if (mirrored) entry.mirrored.set(mirrored.clusterName, mirrored);
  } else {
    const index = /^snapshots\/(\d+)\.yaml$/.exec(rest)?.[1];
    if (index === undefined) return;
    const manifests = manifestLists.recall(text, () => manifestsOf(text, written));
    if (manifests) entry.snapshots.set(Number(index), manifests);
    else
      problems.push({
        severity: 'warning',
        code: 'record-unreadable',
        file: `(status branch) ${path}`,
        message: 'this snapshot cannot be used',
        fix: 'leave the status branch to gitfleet',
      });
  }
}

/** A status written by hand, or brought over from a hub, may leave out what the defaults say. */
const inNamespace: z.ZodType<Placement> = resourcePlacement.transform(completePlacement);
const clusterWide: z.ZodType<Placement> = clusterResourcePlacement.transform(completePlacement);

const emptyState = (key: PlacementKey, object: Placement | undefined): PlacementState => ({
  apiVersion: 'gitfleet.dev/v1alpha1',
  kind: 'PlacementState',
  metadata: {
    name: object?.metadata.name ?? key,
    ...(object?.metadata.namespace ? { namespace: object.metadata.namespace } : {}),
  },
  policySnapshots: [],
  resourceSnapshots: [],
  bindings: [],
});

/** By text: a file that did not change keeps its identity from pass to pass, and costs nothing. */
const values = lately<FileRead<unknown>>();
const manifestLists = lately<readonly Manifest[] | undefined>();

function manifestsOf(text: string, written: RecordDocument | undefined): readonly Manifest[] | undefined {
  const known = writtenIn(text, written);
  if (known) return known.value as readonly Manifest[];
  return manifestsIn(text);
}
