import type { Placement } from '../../api/placement.ts';
import type { PlacementState } from '../../api/placement-state.ts';
import type { FleetRecord, RecordFolder } from '../../engine/input.ts';
import type { Plan } from '../../engine/plan-document.ts';
import { recordPathOf } from './path.ts';

/** Placements have a file with their status and one with their state. */
interface PlacementFiles {
  readonly statuses: Placement;
  readonly states: PlacementState;
}

const placementFiles: Readonly<Record<string, string>> = { statuses: 'status.yaml', states: 'state.yaml' };

/** Folders of which an entry is one file with one object. */
type ObjectFolder = Exclude<RecordFolder, 'placements' | 'overrides'>;
type ObjectOf<K> = K extends keyof PlacementFiles
  ? PlacementFiles[K]
  : K extends ObjectFolder
    ? FleetRecord[K] extends ReadonlyMap<string, infer T>
      ? T
      : never
    : never;

export interface RecordedObject<T> {
  readonly path: string;
  readonly value: T;
}

/** What a plan would record in one folder, by `[ns.]name`; of placements their status or their state. */
export function recordedObjects<K extends ObjectFolder | keyof PlacementFiles>(
  kind: K,
  { record }: Pick<Plan, 'record'>,
): ReadonlyMap<string, RecordedObject<ObjectOf<K>>> {
  const rest = placementFiles[kind] ?? '';
  const directory = rest === '' ? kind : 'placements';
  const found = new Map<string, RecordedObject<ObjectOf<K>>>();
  for (const [path, document] of record) {
    if (document.kind !== 'object' || !path.startsWith(`${directory}/`) || !path.endsWith(rest)) continue;
    const place = recordPathOf(path);
    if (place?.rest === rest) found.set(place.name, { path, value: document.value as ObjectOf<K> });
  }
  return found;
}
