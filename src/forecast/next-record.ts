import type { PlacementKey } from '../api/meta.ts';
import type { MirroredStatus } from '../api/mirrored-status.ts';
import type { OverrideSnapshot } from '../api/override.ts';
import type { Placement, StatusInNamespace } from '../api/placement.ts';
import type { PlacementState } from '../api/placement-state.ts';
import type { FleetRecord, RecordedPlacement, RecordFolder } from '../engine/input.ts';
import { sameValue } from '../engine/kernel/same-value.ts';
import type { Plan, RecordDocument } from '../engine/plan-document.ts';
import { recordFolders } from '../repo/record/folders/rows.ts';
import { recordPathOf } from '../repo/record/path.ts';

/** What is remembered after a plan: its documents, without a way through text, which takes longer than planning. */
export function nextRecord({ record, commit }: Plan, before: FleetRecord): FleetRecord {
  const objects = Object.fromEntries(recordFolders.map((folder) => [folder, new Map<string, object>()]));
  const placements = new Map<string, Map<string, RecordDocument>>();
  const overrides = new Map<string, OverrideSnapshot[]>();
  let { config } = before;
  for (const [path, document] of record) {
    const place = recordPathOf(path);
    if (place === undefined) {
      if (path === 'fleet.yaml' && document.kind === 'object') config = document.value as FleetRecord['config'];
      continue;
    }
    const { directory, name, rest } = place;
    if (directory === 'placements') placements.set(name, (placements.get(name) ?? new Map()).set(rest, document));
    else if (document.kind !== 'object') continue;
    else if (directory === 'overrides')
      overrides.set(name, [...(overrides.get(name) ?? []), document.value as OverrideSnapshot]);
    else objects[directory]!.set(name, document.value);
  }
  const folders = objects as unknown as Pick<FleetRecord, RecordFolder>;
  return {
    ...before,
    ...folders,
    exists: true,
    placements: new Map(
      [...placements].flatMap(([key, files]): [PlacementKey, RecordedPlacement][] => {
        const recorded = placementOf(files);
        return recorded ? [[key as PlacementKey, keptOf(recorded, before.placements.get(key as PlacementKey))]] : [];
      }),
    ),
    overrides: new Map([...overrides].map(([name, list]) => [name, list.sort((a, b) => a.index - b.index)])),
    config,
    commit,
  };
}

/** What is the same as before keeps its identity, as when it is read again: then the next plan may reuse it. */
const keptOf = (next: RecordedPlacement, before: RecordedPlacement | undefined): RecordedPlacement =>
  before === undefined
    ? next
    : {
        ...next,
        object: sameValue(before.object, next.object) ? before.object : next.object,
        state: sameValue(before.state, next.state) ? before.state : next.state,
      };

function placementOf(files: ReadonlyMap<string, RecordDocument>): RecordedPlacement | undefined {
  const object = <T>(name: string): T | undefined => {
    const document = files.get(name);
    return document?.kind === 'object' ? (document.value as T) : undefined;
  };
  const state = object<PlacementState>('state.yaml');
  if (state === undefined) return undefined;
  const inNamespace = object<StatusInNamespace>('namespace-status.yaml');
  const snapshots = [...files].flatMap(([name, document]) => {
    const index = /^snapshots\/(\d+)\.yaml$/.exec(name)?.[1];
    return index !== undefined && document.kind === 'manifests' ? [[Number(index), document.value] as const] : [];
  });
  const mirrored = [...files].flatMap(([name, document]) => {
    const cluster = /^mirrored\/(?:[0-9a-f]{2}\/)?(.+)\.yaml$/.exec(name)?.[1];
    return cluster !== undefined && document.kind === 'object'
      ? [[cluster, document.value as MirroredStatus] as const]
      : [];
  });
  return {
    object: object<Placement>('status.yaml'),
    state,
    ...(inNamespace && { inNamespace }),
    ...(mirrored.length > 0 && { mirrored: new Map(mirrored) as NonNullable<RecordedPlacement['mirrored']> }),
    snapshots: new Map(snapshots.sort(([a], [b]) => a - b)),
  };
}
