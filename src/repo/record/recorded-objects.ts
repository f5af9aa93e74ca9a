import type { Placement } from '../../api/placement.ts';
import type { PlacementState } from '../../api/placement-state.ts';
import type { FleetRecord, RecordFolder } from '../../engine/input.ts';
import { memoize } from '../../engine/kernel/memoize.ts';
import type { Plan } from '../../engine/plan-document.ts';
import { recordPathOf } from './path.ts';

/** Placements have a file with their status and one with their state. */
interface PlacementFiles {
  readonly statuses: Placement;
  readonly states: PlacementState;
}

const placementFiles: Readonly<Record<string, keyof PlacementFiles>> = {
  'status.yaml': 'statuses',
  'state.yaml': 'states',
};

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
  return (byKind(record).get(kind) ?? new Map()) as ReadonlyMap<string, RecordedObject<ObjectOf<K>>>;
}

/** Every object in one walk. A record has thousands of paths, and every section asks for its own. */
const byKind = memoize((record: Plan['record']) => {
  const kinds = new Map<string, Map<string, RecordedObject<object>>>();
  for (const [path, document] of record) {
    if (document.kind !== 'object') continue;
    const place = recordPathOf(path);
    const kind = place && (place.rest === '' ? place.directory : placementFiles[place.rest]);
    if (kind === undefined) continue;
    const known = kinds.get(kind) ?? new Map<string, RecordedObject<object>>();
    kinds.set(kind, known.set(place!.name, { path, value: document.value }));
  }
  return kinds;
});
