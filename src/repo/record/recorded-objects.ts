import type { Eviction } from '../../api/eviction.ts';
import type { MemberCluster } from '../../api/member-cluster.ts';
import type { Placement } from '../../api/placement.ts';
import type { PlacementState } from '../../api/placement-state.ts';
import type { StagedUpdateRun } from '../../api/staged.ts';
import type { Plan } from '../../engine/plan-document.ts';
import { type RecordPath, recordPathOf } from './path.ts';

interface Kinds {
  readonly clusters: MemberCluster;
  readonly evictions: Eviction;
  readonly runs: StagedUpdateRun;
  readonly statuses: Placement;
  readonly states: PlacementState;
}

const places: Readonly<Record<keyof Kinds, Omit<RecordPath, 'name'>>> = {
  clusters: { directory: 'clusters', rest: '' },
  evictions: { directory: 'evictions', rest: '' },
  runs: { directory: 'runs', rest: '' },
  statuses: { directory: 'placements', rest: 'status.yaml' },
  states: { directory: 'placements', rest: 'state.yaml' },
};

export interface RecordedObject<T> {
  readonly path: string;
  readonly value: T;
}

/** What a plan would record of one kind, by `[ns.]name`: members, evictions, runs, or placements with their status or their state. */
export function recordedObjects<K extends keyof Kinds>(
  kind: K,
  { record }: Pick<Plan, 'record'>,
): ReadonlyMap<string, RecordedObject<Kinds[K]>> {
  const { directory, rest } = places[kind];
  const found = new Map<string, RecordedObject<Kinds[K]>>();
  for (const [path, document] of record) {
    if (document.kind !== 'object' || !path.startsWith(`${directory}/`) || !path.endsWith(rest)) continue;
    const place = recordPathOf(path);
    if (place?.rest === rest) found.set(place.name, { path, value: document.value as Kinds[K] });
  }
  return found;
}
