import type { z } from 'zod';
import { completePlacement } from '../../api/complete-placement.ts';
import type { ClusterName, Manifest, PlacementKey } from '../../api/meta.ts';
import { type MirroredStatus, mirroredStatus } from '../../api/mirrored-status.ts';
import {
  clusterResourcePlacement,
  type Placement,
  resourcePlacement,
  type StatusInNamespace,
  statusInNamespace,
} from '../../api/placement.ts';
import { type PlacementState, placementState } from '../../api/placement-state.ts';
import type { Problem } from '../../api/problem.ts';
import { canonicalState } from '../../engine/delivery/canonical-state.ts';
import type { RecordedPlacement } from '../../engine/input.ts';
import type { RecordDocument } from '../../engine/plan-document.ts';
import { manifestsIn } from './manifests.ts';

/** What was read of a placement so far. */
export interface PlacementFiles {
  object: Placement | undefined;
  state: PlacementState | undefined;
  inNamespace?: StatusInNamespace | undefined;
  readonly snapshots: Map<number, readonly Manifest[]>;
  readonly mirrored: Map<ClusterName, MirroredStatus>;
}

/** `unreadable` is called where a file that cannot be read must not be taken as missing. */
export type Read = <T>(path: string, text: string, schema: z.ZodType<T>, unreadable?: () => void) => T | undefined;

/** Adds a file to what was read of its placement. */
export function readPlacementFile(of: {
  readonly entry: PlacementFiles;
  readonly path: string;
  /** Path below `placements/<[ns.]name>/`. */
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
    const found = manifestsIn(text, written);
    if ('value' in found) entry.snapshots.set(Number(index), found.value);
    else
      for (const { message, ...place } of found.faults)
        problems.push({
          severity: 'warning',
          code: 'record-unreadable',
          file: `(status branch) ${path}`,
          ...place,
          message: `this snapshot cannot be used: ${message}`,
          fix: 'leave the status branch to gitfleet',
        });
  }
}

/** A status written by hand, or brought over from a hub, may leave out what the defaults say. */
const inNamespace: z.ZodType<Placement> = resourcePlacement.transform(completePlacement);
const clusterWide: z.ZodType<Placement> = clusterResourcePlacement.transform(completePlacement);

/** A placement of whose files none has been read. */
export const noFiles = (): PlacementFiles => ({
  object: undefined,
  state: undefined,
  snapshots: new Map(),
  mirrored: new Map(),
});

/** What is remembered once all files are read; undefined where neither status nor state is. */
export function recordedPlacement(
  key: PlacementKey,
  { object, state, ...rest }: PlacementFiles,
): RecordedPlacement | undefined {
  return object || state ? { object, state: state ?? emptyState(key, object), ...rest } : undefined;
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
