import type { Condition, Manifest } from '../../api/meta.ts';
import { abandons, emptySpec, type Placement, placementKey, refNamed, refOf } from '../../api/placement.ts';
import type { PlacementState, ResourceSnapshotEntry } from '../../api/placement-state.ts';
import type { DeletedPlacement } from '../admission/admit.ts';
import { wasGiven } from '../bindings/cleanup.ts';
import { presentBindings } from '../bindings/present-bindings.ts';
import type { RecordedPlacement } from '../input.ts';
import { pausedHold } from '../pause/pause.ts';
import { type BindingStep, leavingSteps, markedForRemoval, type PlacementWork } from '../placement-work.ts';
import { selectResources } from '../selection/select.ts';
import { knownContents } from '../selection/snapshot.ts';
import { inFleet, type World } from '../world.ts';

const pending: Condition = {
  type: 'Scheduled',
  status: 'Unknown',
  reason: 'SchedulePending',
  message: 'not scheduled yet',
};

const undecided = { scheduled: pending, decisions: [], holds: [], problems: [], wakes: [] };

/** A placement as recorded and as the members show it, before anything is decided. */
export function loadPlacement(placement: Placement, world: World): PlacementWork {
  const key = placementKey(refOf(placement));
  const recorded = world.record.placements.get(key);
  const { digest } = world.input;
  const selection = selectResources({ placement, hub: world.hub, digest });
  const resourceSnapshots = recorded ? recordedSnapshots(recorded) : [];
  const snapshots = recorded?.snapshots ?? new Map<number, readonly Manifest[]>();
  const loaded = {
    placement,
    contents: knownContents({ resourceSnapshots, contents: snapshots, selection, digest }),
    resourceSnapshots,
    selection,
  };
  return {
    ...loaded,
    ...undecided,
    policySnapshots: recorded?.state.policySnapshots ?? [],
    bindings: presentBindings(loaded, recorded?.state.bindings ?? [], world),
  };
}

/**
 * Snapshot files are used also where the state is gone: a run that rolls one out continues, and clusters that have one do not
 * get the same contents under another index.
 */
function recordedSnapshots({ state, snapshots }: RecordedPlacement): readonly ResourceSnapshotEntry[] {
  if (state.resourceSnapshots.length > 0) return state.resourceSnapshots;
  return [...snapshots.keys()].sort((a, b) => a - b).map((index) => ({ index }));
}

/** A placement that is deleted: its objects are to be removed, or stay if its delete strategy is Abandon. */
export function loadDeletedPlacement(deleted: DeletedPlacement, world: World): PlacementWork | undefined {
  const { recorded } = deleted;
  const placement = deleted.placement ?? unknownPlacement(recorded.state);
  // Removals from clusters that were unpicked earlier continue.
  const isAbandoned = abandons(placement);
  const loaded = {
    placement,
    contents: recorded.snapshots,
    resourceSnapshots: recorded.state.resourceSnapshots,
    selection: { ok: true, manifests: [], hash: '', identifiers: [] } as const,
  };
  const leaving = presentBindings(loaded, recorded.state.bindings, world)
    .filter(({ binding }) => inFleet(binding.targetCluster, world))
    .filter(({ binding }) => binding.deleting || (!isAbandoned && wasGiven(binding)))
    .map((step) => leave(step, world));
  if (leaving.length === 0) return undefined;
  const { pause } = world;
  return {
    ...loaded,
    ...undecided,
    policySnapshots: recorded.state.policySnapshots,
    bindings: leaving,
    holds: leaving.flatMap(({ binding: { targetCluster: clusterName }, move }) =>
      pause.kind === 'paused' && move === 'wait'
        ? [pausedHold({ ...refOf(placement), clusterName }, `${clusterName} is removed`, pause)]
        : [],
    ),
  };
}

/** A removal that has started continues; none starts while the fleet is paused. */
const leave = ({ binding }: BindingStep, { pause }: World): BindingStep =>
  pause.kind === 'paused' && !binding.deleting ? { binding, move: 'wait' } : markedForRemoval(binding);

/** The record may hold state without status (written by hand): enough to clean up after it. */
function unknownPlacement(state: PlacementState): Placement {
  const { kind, ...metadata } = refNamed(state.metadata);
  return { apiVersion: 'placement.kubernetes-fleet.io/v1', kind, metadata, spec: emptySpec };
}

/** Drops bindings that are being removed from clusters that left the fleet: nothing is removed there, so there is nothing to wait for. */
export function withoutLeftClusters(work: PlacementWork, world: World): PlacementWork {
  const gone = new Set(leavingSteps(work.bindings).filter(({ binding }) => !inFleet(binding.targetCluster, world)));
  return gone.size === 0 ? work : { ...work, bindings: work.bindings.filter((step) => !gone.has(step)) };
}
