import type { ClusterName, PlacementKey } from '../../api/meta.ts';
import { type PlacementRef, placementKey, refNamed } from '../../api/placement.ts';
import { reappliedClusters } from '../../engine/delivery/reapplied.ts';
import type { FleetRecord } from '../../engine/input.ts';
import type { PlanResult } from '../../engine/plan.ts';
import type { Move, Plan, PlannedBinding } from '../../engine/plan-document.ts';
import { keyOfManifest } from '../../engine/selection/object-key.ts';
import { placementTargets } from '../../engine/target-kinds.ts';
import { recordedObjects } from '../../repo/record/recorded-objects.ts';
import { bindingsGone } from './bindings-gone.ts';

/** What a plan does with one placement on one cluster. */
export interface PlannedAction {
  /**
   * A move of the plan. `reapply`: applied again, with another strategy or other labels filled in. `release`: its objects stay
   * and are no longer managed.
   */
  readonly action: Move | 'reapply' | 'release';
  readonly placement: PlacementRef;
  readonly clusterName: ClusterName;
  readonly resourceSnapshotIndex?: number | undefined;
  readonly state?: PlannedBinding['state'];
  readonly conditions?: PlannedBinding['conditions'];
  /** Of an update: how many objects the cluster has that the new snapshot lacks. */
  readonly drops?: number;
}

/** Bindings in the order of the plan, then removals of deleted placements, then releases. */
export function actionsOf({ plan, contents }: PlanResult, record: FleetRecord): PlannedAction[] {
  const present = new Set(plan.placements.map(placementKey));
  return [
    ...plan.placements.flatMap((placement) => {
      const anew = reappliedClusters(contents, placement);
      const dropsOf = dropsReader(placementKey(placement), { contents, record });
      return placement.bindings.map(({ move, ...binding }): PlannedAction => {
        const stays = move === 'keep' || move === 'wait';
        const drops = move === 'update' ? dropsOf(binding) : 0;
        return {
          ...binding,
          action: stays && anew.has(binding.clusterName) ? 'reapply' : move,
          placement,
          ...(drops > 0 && { drops }),
        };
      });
    }),
    ...placementTargets(plan.targets).flatMap(
      ({ remove, placement, clusterName, resourceSnapshotIndex }): PlannedAction[] =>
        remove && !present.has(placementKey(placement))
          ? [{ action: 'remove', placement, clusterName, resourceSnapshotIndex }]
          : [],
    ),
    ...released(plan, record),
  ];
}

/** Objects that a cluster has by the record, and that its new snapshot lacks. */
function dropsReader(
  key: PlacementKey,
  { contents, record }: Pick<PlanResult, 'contents'> & { readonly record: FleetRecord },
) {
  const recorded = record.placements.get(key);
  const before = new Map(
    recorded?.state.bindings.map((binding) => [binding.targetCluster, binding.resourceSnapshotIndex]),
  );
  const counts = new Map<string, number>();
  return ({ clusterName, resourceSnapshotIndex: next }: Omit<PlannedBinding, 'move'>): number => {
    const last = before.get(clusterName);
    const [was, is] = [recorded?.snapshots.get(last ?? -1), contents.works.get(key)?.contents.get(next ?? -1)];
    if (was === undefined || is === undefined) return 0;
    const id = `${last} ${next}`;
    if (!counts.has(id)) {
      const kept = new Set(is.map(keyOfManifest));
      counts.set(id, was.filter((manifest) => !kept.has(keyOfManifest(manifest))).length);
    }
    return counts.get(id)!;
  };
}

/** Objects that updates remove from clusters. */
export const droppedObjects = (actions: readonly PlannedAction[]): number =>
  actions.reduce((sum, { drops = 0 }) => sum + drops, 0);

/** The plan as it is printed: bindings that are applied again have `reapply` with their move. */
export function withReapply<P extends Pick<Plan, 'placements'>>(plan: P, actions: readonly PlannedAction[]): P {
  const anew = new Set(
    actions.flatMap((action) => (action.action === 'reapply' ? [placed(action.placement, action.clusterName)] : [])),
  );
  if (anew.size === 0) return plan;
  const placements = plan.placements.map((placement) => ({
    ...placement,
    bindings: placement.bindings.map((binding) => {
      const stays = binding.move === 'keep' || binding.move === 'wait';
      return stays && anew.has(placed(placement, binding.clusterName)) ? { ...binding, reapply: true } : binding;
    }),
  }));
  return { ...plan, placements };
}

const placed = (placement: PlacementRef, cluster: ClusterName): string => `${cluster} ${placementKey(placement)}`;

/** Whether the action changes what a member has, or what is managed there. */
export const isToDo = ({ action }: PlannedAction): boolean => action !== 'keep' && action !== 'wait';

/** Recorded bindings that end without a removal: the cluster left, or the deleted placement keeps its objects there. */
function released(plan: Plan, record: FleetRecord): PlannedAction[] {
  const after = recordedObjects('states', plan);
  return [...record.placements].flatMap(([key, { state }]) => {
    const placement = refNamed(state.metadata);
    return bindingsGone(state, after.get(key)?.value)
      .filter(({ deleting }) => !deleting)
      .map(
        ({ targetCluster: clusterName, resourceSnapshotIndex }): PlannedAction => ({
          action: 'release',
          placement,
          clusterName,
          resourceSnapshotIndex,
        }),
      );
  });
}
