import type { PlacementKey } from '../../api/meta.ts';
import { placementKey } from '../../api/placement.ts';
import type { FleetRecord, RecordedPlacement } from '../../engine/input.ts';
import { by } from '../../engine/kernel/ordering.ts';
import type { Plan, PlannedBinding, PlannedPlacement, RecordDocument } from '../../engine/plan-document.ts';
import { latestOf } from '../../engine/selection/snapshot.ts';
import { recordPathOf } from './path.ts';

/** What clusters hold and runs have come to. */
export type InForce = Pick<Plan, 'placements' | 'runs' | 'targets' | 'record'>;

/** A status, and where its files stand. */
export interface Published {
  readonly record: FleetRecord;
  /** By path. */
  readonly files: ReadonlyMap<string, unknown>;
}

/**
 * What a plan puts into force. Of one that the guard refused nothing is: what was published before it stays, and only how
 * that fares is as the plan has seen it.
 */
export function inForce(plan: Plan, { record: before, files }: Published): InForce {
  if (plan.guard.length === 0) return plan;
  const seen = new Map(plan.placements.map((placement) => [placementKey(placement), placement]));
  // Those that run nothing are named by a placement that looked at them.
  const decisions = [...before.clusters.keys()].map((clusterName) => ({ clusterName, selected: false, reason: '' }));
  const recorded = [...before.placements].sort(by(([key]) => key));
  const placements = recorded.map(([key, it]) => ({ ...asPublished(it, seen.get(key)), decisions }));
  return {
    placements,
    runs: [...before.runs.values()].flatMap(({ kind, metadata: { name, namespace }, status }) =>
      status === undefined ? [] : [{ kind, name, ...(namespace !== undefined && { namespace }), status }],
    ),
    targets: placements.flatMap(({ kind, name, namespace, bindings }) =>
      bindings.flatMap(({ clusterName, move }) =>
        move === 'remove'
          ? [{ clusterName, placement: { kind, name, ...(namespace && { namespace }) }, remove: true, objects: [] }]
          : [],
      ),
    ),
    record: documentsOf(before, files),
  };
}

/** Placements with their status, and runs. */
const documentsOf = ({ placements, runs }: FleetRecord, files: Published['files']): Plan['record'] =>
  new Map(
    [...files.keys()].flatMap((path): [string, RecordDocument][] => {
      const { directory, name, rest } = recordPathOf(path) ?? {};
      const value =
        directory === 'runs'
          ? runs.get(name!)
          : rest === 'status.yaml'
            ? placements.get(name as PlacementKey)?.object
            : undefined;
      return value === undefined ? [] : [[path, { kind: 'object', value }]];
    }),
  );

function asPublished(
  { object, state }: RecordedPlacement,
  seen: PlannedPlacement | undefined,
): Omit<PlannedPlacement, 'decisions'> {
  const { name, namespace } = state.metadata;
  const conditions = object?.status?.conditions ?? [];
  const index = latestOf(state.resourceSnapshots)?.index;
  return {
    kind: namespace === undefined ? 'ClusterResourcePlacement' : 'ResourcePlacement',
    name,
    ...(namespace !== undefined && { namespace }),
    ...(index !== undefined && { resourceSnapshotIndex: index }),
    scheduled: { status: 'Unknown', reason: '', ...conditions[0] },
    bindings: state.bindings.map((binding): PlannedBinding => {
      const { targetCluster: clusterName, state, resourceSnapshotIndex, deleting } = binding;
      const same = seen?.bindings.find(
        (it) => it.clusterName === clusterName && it.resourceSnapshotIndex === resourceSnapshotIndex,
      );
      return {
        clusterName,
        state,
        ...(resourceSnapshotIndex !== undefined && { resourceSnapshotIndex }),
        move: deleting ? 'remove' : 'keep',
        conditions: same?.conditions ?? binding.conditions ?? [],
      };
    }),
    conditions,
  };
}
