import { parse, parseAllDocuments } from 'yaml';
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
import { withoutNulls } from '../../api/without-nulls.ts';
import type { FleetRecord, RecordedPlacement } from '../../engine/input.ts';
import type { RecordDocument } from '../../engine/plan-document.ts';
import { lately } from './lately.ts';
import { recordPathOf } from './path.ts';
import { type Silence, silentIn, summary } from './summary.ts';
import { writtenIn } from './write.ts';

/**
 * Reads the status branch. A file that cannot be understood (somebody edited it) is a problem and is otherwise taken as
 * missing: nothing is remembered there. Sharded directories (`placements/3f/web/…`) and plain ones are both read. What the
 * files were rendered from, where that is known, need not be parsed.
 */
export function readRecord(
  files: ReadonlyMap<string, string>,
  written: ReadonlyMap<string, RecordDocument> = new Map(),
): {
  readonly record: FleetRecord;
  readonly problems: readonly Problem[];
  /** Members that did not answer when this was written. */
  readonly silent: ReadonlyMap<ClusterName, Silence>;
} {
  const problems: Problem[] = [];
  const placements = new Map<PlacementKey, Mutable>();
  const overrides = new Map<string, OverrideSnapshot[]>();
  const runs = new Map<string, StagedUpdateRun>();
  const approvals = new Map<string, ApprovalRequest>();
  const evictions = new Map<string, Eviction>();
  const clusters = new Map<string, MemberCluster>();
  let told: z.infer<typeof summary> = {};
  let config: FleetConfig | undefined;
  const read = <T>(path: string, text: string, schema: z.ZodType<T>): T | undefined => {
    const known = values.recall(text, () => parsed(() => rawOf(text, written.get(path)), schema));
    if ('value' in known) return known.value as T;
    problems.push({
      severity: 'warning',
      code: 'record-unreadable',
      file: `(status branch) ${path}`,
      message: `this file of the record cannot be used: ${known.fault}`,
      fix: 'leave the status branch to gitfleet; the file is written anew',
    });
    return undefined;
  };
  for (const [path, text] of files) {
    const place = recordPathOf(path);
    if (path === 'fleet.yaml') config = read(path, text, fleetConfig);
    if (path === 'summary.yaml') told = read(path, text, summary) ?? {};
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
          problems,
        });
        break;
      case 'overrides': {
        const snapshot = read(path, text, overrideSnapshot);
        if (snapshot) overrides.set(name, [...(overrides.get(name) ?? []), snapshot]);
        break;
      }
      case 'runs':
        keep(runs, name, read(path, text, stagedUpdateRun));
        break;
      case 'approvals':
        keep(approvals, name, read(path, text, approvalRequest));
        break;
      case 'evictions':
        keep(evictions, name, read(path, text, eviction));
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
    silent: silentIn(told),
    record: {
      exists: [...files.keys()].some((path) => path.startsWith('placements/')),
      placements: new Map(
        [...placements].flatMap(([key, { object, state, ...rest }]): [PlacementKey, RecordedPlacement][] =>
          object || state ? [[key, { object, state: state ?? emptyState(key, object), ...rest }]] : [],
        ),
      ),
      overrides,
      runs,
      approvals,
      evictions,
      clusters,
      config,
      commit: told.commit,
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
  readonly read: <T>(path: string, text: string, schema: z.ZodType<T>) => T | undefined;
  readonly problems: Problem[];
}): void {
  const { entry, path, rest, text, written, read, problems } = of;
  if (rest === 'state.yaml') entry.state = read(path, text, placementState);
  else if (rest === 'status.yaml') {
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

type Parsed = { readonly value: unknown } | { readonly fault: string };

/** By text: a file that did not change keeps its identity from pass to pass, and costs nothing. */
const values = lately<Parsed>();
const manifestLists = lately<readonly Manifest[] | undefined>();

function parsed<T>(raw: () => unknown, schema: z.ZodType<T>): Parsed {
  let value: unknown;
  try {
    value = raw();
  } catch (error) {
    return { fault: (error as Error).message.split('\n')[0]! };
  }
  const exact = schema.safeParse(value);
  const result = exact.success ? exact : schema.safeParse(withoutNulls(value));
  if (result.success) return { value: result.data };
  const [first] = result.error.issues;
  return { fault: `${first?.path.join('.') ?? ''}: ${first?.message ?? 'not valid'}` };
}

function rawOf(text: string, written: RecordDocument | undefined): unknown {
  const known = writtenIn(text, written);
  return known ? known.value : parse(text, { logLevel: 'error', maxAliasCount: 1000 });
}

function manifestsOf(text: string, written: RecordDocument | undefined): readonly Manifest[] | undefined {
  const known = writtenIn(text, written);
  if (known) return known.value as readonly Manifest[];
  const documents = parseAllDocuments(text, { logLevel: 'error', merge: true });
  if (!Array.isArray(documents)) return [];
  if (documents.some(({ errors }) => errors.length > 0)) return undefined;
  return documents.flatMap((document) => (document.toJS() as Manifest | null) ?? []);
}
