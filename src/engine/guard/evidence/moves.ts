import type { ClusterName, Condition, PlacementKey } from '../../../api/meta.ts';
import { placementKey } from '../../../api/placement.ts';
import type { Binding } from '../../../api/placement-state.ts';
import type { PlannedEviction } from '../../plan-document.ts';
import type { Pair } from './changes.ts';
import type { Evidence } from './evidence.ts';
import { overridesOf, overridesReader } from './planned-record.ts';

/** What a plan does with the cluster of a placement. */
export interface MoveReader {
  /** It gets another version or other overrides, or the placement is removed from it. */
  readonly isMoved: (key: PlacementKey, pair: Pair) => boolean;
  /** Its removal was requested by itself: an eviction that this plan carries out names it. */
  readonly isRequestedRemoval: (key: PlacementKey, pair: Pick<Pair, 'clusterName'>) => boolean;
}

export function moveReader({ plan, record }: Evidence): MoveReader {
  const overridesAfter = overridesReader(plan);
  const evicted = new Set(
    evictionsNow({ plan, record }).map(({ placementName, clusterName }) => `${placementName} ${clusterName}`),
  );
  return {
    isMoved(key, { clusterName, before, after, removedNow }) {
      if (before === undefined || !wasBound(before)) return false;
      if (removedNow) return true;
      if (after === undefined) return false;
      if (after.resourceSnapshotIndex !== before.resourceSnapshotIndex) return true;
      const lists = overridesAfter(key, clusterName);
      return lists !== undefined && lists !== overridesOf(before);
    },
    isRequestedRemoval: (key, { clusterName }) => evicted.has(`${key} ${clusterName}`),
  };
}

/** Whether the fleet has a request that was not carried out yet, to remove a placement from a cluster. */
export function removalRequests({ record, fleet }: Pick<Evidence, 'record' | 'fleet'>) {
  const isDone = (name: string): boolean =>
    (record.evictions.get(name)?.status?.conditions ?? []).some(({ type }) => type === 'Executed');
  return (key: PlacementKey, cluster: ClusterName): boolean =>
    fleet.evictions.some(
      ({ metadata, spec }) =>
        placementKey({ name: spec.placementName }) === key && spec.clusterName === cluster && !isDone(metadata.name),
    );
}

/** A binding that was never Bound has nothing in service. */
const wasBound = ({ state, previousState }: Binding): boolean =>
  state === 'Bound' || (state === 'Unscheduled' && previousState === 'Bound');

/** Evictions that this plan carries out; those carried out before keep their result. */
export const evictionsNow = ({ plan, record }: Pick<Evidence, 'plan' | 'record'>): readonly PlannedEviction[] =>
  plan.evictions.filter(
    ({ name, status }) =>
      isExecuted(status.conditions) && !isExecuted(record.evictions.get(name)?.status?.conditions ?? []),
  );

const isExecuted = (conditions: readonly Condition[]): boolean =>
  conditions.some(({ type, status }) => type === 'Executed' && status === 'True');
