import type { z } from 'zod';
import { completePlacement } from '../../../api/complete-placement.ts';
import type { ClusterName, Manifest, PlacementKey } from '../../../api/meta.ts';
import { type MirroredStatus, mirroredStatus } from '../../../api/mirrored-status.ts';
import {
  clusterResourcePlacement,
  type Placement,
  placementKey,
  refOf,
  resourcePlacement,
  type StatusInNamespace,
  statusInNamespace,
} from '../../../api/placement.ts';
import { type PlacementState, placementState } from '../../../api/placement-state.ts';
import { canonicalState } from '../../../engine/delivery/canonical-state.ts';
import type { RecordedPlacement, UnreadPlacement } from '../../../engine/input.ts';
import { type StatusText, unpacked } from '../status-text.ts';
import type { FolderRow, RecordFile, RecordReader } from './row.ts';

/** `placements/<[ns.]name>/`: status, state, snapshots and mirrored statuses of a placement. */
export const placementFolder: FolderRow<'placements'> = {
  entries: 'folders',
  reads: (rest) => /^(state|status|namespace-status|snapshots\/\d+|mirrored\/[^/]+)\.yaml$/.test(rest),
  open(reader) {
    const entries = new Map<PlacementKey, PlacementFiles>();
    return {
      add(file) {
        const key = file.name as PlacementKey;
        const entry = entries.get(key) ?? noFiles();
        entries.set(key, entry);
        entry.files.set(file.rest, file.text);
        addFile(entry, file, reader);
      },
      values: () =>
        new Map(
          [...entries].flatMap(([key, entry]): [PlacementKey, RecordedPlacement][] => {
            const recorded = recordedPlacement(key, entry);
            return recorded ? [[key, recorded]] : [];
          }),
        ),
      unread: () =>
        new Map(
          [...entries].flatMap(([key, entry]): [PlacementKey, UnreadPlacement][] => {
            const { state: _, isStateLost, files, ...rest } = entry;
            if (!isStateLost) return [];
            const texts = new Map([...files].map(([path, text]) => [path, unpacked(text)]));
            return [[key, { ...rest, files: texts }]];
          }),
        ),
    };
  },
};

/** The files of a placement read so far. */
interface PlacementFiles {
  object: Placement | undefined;
  state: PlacementState | undefined;
  /** `state.yaml` exists and cannot be read. */
  isStateLost: boolean;
  inNamespace?: StatusInNamespace | undefined;
  readonly snapshots: Map<number, readonly Manifest[]>;
  readonly mirrored: Map<ClusterName, MirroredStatus>;
  /** Texts of all of them, by path below its folder. */
  readonly files: Map<string, StatusText>;
}

const noFiles = (): PlacementFiles => ({
  object: undefined,
  state: undefined,
  isStateLost: false,
  snapshots: new Map(),
  mirrored: new Map(),
  files: new Map(),
});

/** Adds a file to its placement. */
function addFile(entry: PlacementFiles, file: RecordFile, reader: RecordReader): void {
  const { rest } = file;
  if (rest === 'state.yaml') {
    const state = reader.read(file, placementState, {
      nameOf: ({ metadata }) => placementKey(metadata),
      lost: () => {
        entry.isStateLost = true;
      },
    });
    entry.state = state && canonicalState(state);
  } else if (rest === 'status.yaml') {
    const schema = isInNamespace(file) ? inNamespace : clusterWide;
    entry.object = reader.read(file, schema, { nameOf: (placement) => placementKey(refOf(placement)) });
  } else if (rest === 'namespace-status.yaml') entry.inNamespace = reader.read(file, statusInNamespace);
  else if (rest.startsWith('mirrored/')) {
    const mirrored = reader.read(file, mirroredStatus);
    if (mirrored) entry.mirrored.set(mirrored.clusterName, mirrored);
  } else {
    const index = /^snapshots\/(\d+)\.yaml$/.exec(rest)?.[1];
    const manifests = index === undefined ? undefined : reader.manifests(file);
    if (manifests) entry.snapshots.set(Number(index), manifests);
  }
}

/** A text is not unpacked if its document is known. */
const isInNamespace = ({ text, written }: RecordFile): boolean =>
  written?.kind === 'object'
    ? (written.value as Partial<Placement>).kind === 'ResourcePlacement'
    : /^kind: ResourcePlacement$/m.test(unpacked(text));

/** A status written by hand or migrated from a hub may omit defaults. */
const inNamespace: z.ZodType<Placement> = resourcePlacement.transform(completePlacement);
const clusterWide: z.ZodType<Placement> = clusterResourcePlacement.transform(completePlacement);

/** The recorded placement, once all files are read; undefined without status and state, or if the state is lost. */
function recordedPlacement(
  key: PlacementKey,
  { object, state, isStateLost, files: _, ...rest }: PlacementFiles,
): RecordedPlacement | undefined {
  if (isStateLost || !(object || state)) return undefined;
  return { object, state: state ?? emptyState(key, object), ...rest };
}

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
