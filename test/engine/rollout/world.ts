import type { Condition } from '../../../src/api/meta.ts';
import type { Placement, PlacementPolicy, RollingUpdate } from '../../../src/api/placement.ts';
import type { Binding } from '../../../src/api/placement-state.ts';
import { notPaused } from '../../../src/engine/pause/pause.ts';
import type { BindingStep, PlacementWork } from '../../../src/engine/placement-work.ts';
import type { Move } from '../../../src/engine/plan-document.ts';
import { type RollOutContext, rollOut } from '../../../src/engine/rollout/roll-out.ts';
import { at, T0 } from '../../support/instants.ts';
import { applyStrategy } from '../staged/world.ts';

export { applyStrategy, at, T0 };

export function placementOf(policy: PlacementPolicy, rolling: Partial<RollingUpdate> = {}): Placement {
  return {
    apiVersion: 'placement.kubernetes-fleet.io/v1',
    kind: 'ClusterResourcePlacement',
    metadata: { name: 'web' },
    spec: {
      resourceSelectors: [
        { group: '', version: 'v1', kind: 'Namespace', name: 'web', selectionScope: 'NamespaceWithResources' },
      ],
      policy,
      strategy: {
        type: 'RollingUpdate',
        rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%', unavailablePeriodSeconds: 60, ...rolling },
        applyStrategy,
      },
      revisionHistoryLimit: 10,
      statusReportingScope: 'ClusterScopeOnly',
    },
  };
}

export const pickN = (numberOfClusters: number): PlacementPolicy => ({ placementType: 'PickN', numberOfClusters });

const condition = (type: string, status: Condition['status'], reason: string, seconds = -3600): Condition => ({
  type,
  status,
  reason,
  lastTransitionTime: at(seconds),
});
const started = condition('RolloutStarted', 'True', 'RolloutStarted');

/** How a binding is doing: all that readiness and failure tell apart. */
export const health = {
  ready: [started, condition('Available', 'True', 'AllWorkAreAvailable')],
  /** Nothing reported yet: neither ready nor failed. */
  silent: [started],
  applying: [started, condition('Applied', 'False', 'ApplyInProgress')],
  unapplied: [started, condition('Applied', 'False', 'NotAllWorkHaveBeenApplied')],
  unavailable: [
    started,
    condition('Applied', 'True', 'AllWorkHaveBeenApplied'),
    condition('Available', 'False', 'NotAllWorkAreAvailable'),
  ],
  pendingWord: [started, condition('Available', 'False', 'ResourceNotAvailableYet')],
  overriddenPending: [started, condition('Overridden', 'False', 'OverriddenPending')],
  notSynchronizedYet: [started, condition('WorkSynchronized', 'False', 'WorkNotSynchronizedYet')],
  applyPending: [started, condition('Applied', 'False', 'ApplyPending')],
  notSynchronized: [started, condition('WorkSynchronized', 'False', 'SyncWorkFailed')],
  overriddenFailed: [started, condition('Overridden', 'False', 'OverriddenFailed')],
  diffReported: [started, condition('DiffReported', 'True', 'AllWorkHaveDiffReported')],
  diffPending: [started, condition('DiffReported', 'False', 'DiffReportInProgress')],
} as const;
export type Health = keyof typeof health;

/** Available, but nobody can tell: since so many seconds after T0. */
export const untrackable = (seconds: number, reason = 'NotAllWorkAreAvailabilityTrackable'): Condition[] => [
  started,
  condition('Available', 'True', reason, seconds),
];

export const bound = (name: string, index: number, conditions: readonly Condition[], more?: Partial<Binding>) =>
  ({
    targetCluster: name,
    state: 'Bound',
    policySnapshotIndex: 0,
    resourceSnapshotIndex: index,
    conditions: [...conditions],
    ...more,
  }) satisfies Binding;
export const unscheduled = (name: string, conditions: readonly Condition[], more?: Partial<Binding>): Binding => ({
  ...bound(name, 0, conditions),
  state: 'Unscheduled',
  previousState: 'Bound',
  ...more,
});
export const scheduled = (name: string): Binding => ({
  targetCluster: name,
  state: 'Scheduled',
  policySnapshotIndex: 0,
});

/** Snapshot 1 is the latest. */
export const workOf = (placement: Placement, bindings: readonly Binding[]): PlacementWork => ({
  placement,
  policySnapshots: [{ index: 0, latest: true, policy: placement.spec.policy }],
  resourceSnapshots: [{ index: 0 }, { index: 1, latest: true }],
  contents: new Map([
    [0, []],
    [1, []],
  ]),
  selection: { ok: true, manifests: [], hash: '', identifiers: [] },
  bindings: bindings.map((binding) => ({ binding, move: binding.deleting ? 'remove' : 'keep' })),
  scheduled: { type: 'Scheduled', status: 'True', reason: 'SchedulingPolicyFulfilled' },
  decisions: [],
  holds: [],
  problems: [],
  wakes: [],
});

export const none = { clusterResourceOverrideSnapshots: [], resourceOverrideSnapshots: [] } as const;

export const roll = (work: PlacementWork, context: Partial<RollOutContext> = {}): PlacementWork =>
  rollOut(work, {
    now: T0,
    overridesFor: () => none,
    startsRollout: () => false,
    pause: notPaused,
    budget: undefined,
    upgrading: new Map(),
    isUnavailable: () => false,
    withPresentLabels: (binding) => binding,
    observed: (step) => step,
    replacesRemaining: () => false,
    ...context,
  });

/** When time alone moves something, as the plan will say. */
export const wakesOf = ({ wakes, holds }: PlacementWork): string[] =>
  [...new Set([...wakes, ...holds.flatMap(({ until }) => until ?? [])])].sort();

/** `keep add update remove wait`, in binding order. */
export const movesOf = (work: PlacementWork): Move[] => work.bindings.map(({ move }) => move);

/** The same world one plan later, with nothing having happened on any cluster. */
export const replanned = (work: PlacementWork): PlacementWork => ({
  ...work,
  holds: [],
  problems: [],
  wakes: [],
  bindings: work.bindings.map(({ binding }): BindingStep => ({ binding, move: binding.deleting ? 'remove' : 'keep' })),
});
