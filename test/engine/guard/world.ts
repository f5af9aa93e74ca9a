import type { Condition, Manifest, PlacementKey } from '../../../src/api/meta.ts';
import type { Placement } from '../../../src/api/placement.ts';
import type { Binding } from '../../../src/api/placement-state.ts';
import type { GuardRequest } from '../../../src/engine/guard/evidence/evidence.ts';
import { guard } from '../../../src/engine/guard/guard.ts';
import type { Fleet, FleetRecord, PlanInput, RecordedPlacement } from '../../../src/engine/input.ts';
import { emptyFleet } from '../../../src/engine/input.ts';
import type { GuardFinding, Plan, PlannedBinding, Target } from '../../../src/engine/plan-document.ts';
import { planDefaults } from '../../support/plan-defaults.ts';
import { digest, placementOf, T0 } from '../staged/world.ts';

export const objects = (count: number, from = 0): Manifest[] =>
  Array.from({ length: count }, (_, place) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `cm-${from + place}`, namespace: 'web' },
  }));

export const member = (name: string, leaving = false) => ({
  apiVersion: 'cluster.kubernetes-fleet.io/v1' as const,
  kind: 'MemberCluster' as const,
  metadata: { name, ...(leaving ? { deletionTimestamp: T0 } : {}) },
  spec: { heartbeatPeriodSeconds: 60 },
});

export const members = (...names: string[]) => names.map((name) => member(name));

export const named = (name: string, placement: Placement = rolling()): Placement =>
  ({ ...placement, metadata: { name } }) as Placement;
export const rolling = (maxUnavailable: number | string = '100%'): Placement =>
  placementOf({
    type: 'RollingUpdate',
    strategy: { rollingUpdate: { maxUnavailable, maxSurge: 1, unavailablePeriodSeconds: 60 } },
  });

export const healthy: Condition[] = [
  { type: 'Applied', status: 'True', reason: 'AllWorkHaveBeenApplied' },
  { type: 'Available', status: 'True', reason: 'AllWorkAreAvailable' },
];
export const on = (targetCluster: string, index = 0, more: Partial<Binding> = {}): Binding => ({
  targetCluster,
  state: 'Bound',
  resourceSnapshotIndex: index,
  conditions: healthy,
  ...more,
});
export const planned = (
  clusterName: string,
  index: number | undefined,
  move: PlannedBinding['move'],
  more: Partial<PlannedBinding> = {},
): PlannedBinding => ({
  clusterName,
  state: 'Bound',
  ...(index === undefined ? {} : { resourceSnapshotIndex: index }),
  move,
  conditions: move === 'keep' ? healthy : [],
  ...more,
});

export const remembered = (
  placement: Placement,
  bindings: Binding[],
  snapshots: Record<number, Manifest[]>,
): RecordedPlacement => ({
  object: placement,
  state: {
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'PlacementState',
    metadata: { name: placement.metadata.name },
    policySnapshots: [],
    resourceSnapshots: Object.keys(snapshots).map((index) => ({ index: Number(index) })),
    bindings,
  },
  snapshots: new Map(Object.entries(snapshots).map(([index, manifests]) => [Number(index), manifests])),
});

export const inputOf = (
  change: { fleet?: Partial<Fleet>; record?: Partial<FleetRecord>; placements?: RecordedPlacement[] } & Partial<
    Omit<PlanInput, 'fleet' | 'record'>
  >,
): PlanInput => ({
  now: T0,
  commit: 'c1',
  observations: undefined,
  ...planDefaults,
  digest,
  ...change,
  fleet: {
    ...emptyFleet,
    resources: [{ manifest: objects(1)[0]!, scope: 'Namespaced', file: 'resources/a.yaml' }],
    ...change.fleet,
  },
  record: {
    exists: true,
    placements: new Map(),
    overrides: new Map(),
    runs: new Map(),
    approvals: new Map(),
    evictions: new Map(),
    upgrades: new Map(),
    profiles: new Map(),
    removals: new Map(),
    nodes: new Map(),
    askedRemovals: undefined,
    clusters: new Map(),
    config: undefined,
    commit: 'c0',
    unread: undefined,
    inEffect: undefined,
    ...change.record,
    ...(change.placements
      ? { placements: new Map(change.placements.map((it) => [it.state.metadata.name as PlacementKey, it])) }
      : {}),
  },
});

export const planOf = (
  change: Partial<Omit<Plan, 'placements'>> & { placements?: Record<string, PlannedBinding[]> },
): Plan => ({
  apiVersion: 'gitfleet.dev/v1alpha1',
  kind: 'Plan',
  commit: 'c1',
  now: T0,
  digest: 'sha256:0',
  targets: [],
  holds: [],
  runs: [],
  approvals: [],
  evictions: [],
  upgrades: [],
  nodes: [],
  guard: [],
  problems: [],
  record: new Map(),
  ...change,
  placements: Object.entries(change.placements ?? {}).map(([name, bindings]) => ({
    kind: 'ClusterResourcePlacement',
    name,
    scheduled: { type: 'Scheduled', status: 'True', reason: 'SchedulingPolicyFulfilled' },
    decisions: [],
    bindings,
    conditions: [],
  })),
});

export const target = (clusterName: string, name = 'web', more: Partial<Target> = {}): Target => ({
  clusterName,
  placement: { kind: 'ClusterResourcePlacement', name },
  remove: false,
  objects: [],
  ...more,
});

/** What the guard finds; the record is as it was written unless a recovered one is given. */
export const findings = ({
  input,
  recovered = { record: input.record, lost: false },
  plan,
}: {
  readonly input: PlanInput;
  readonly recovered?: GuardRequest['recovered'];
  readonly plan: Plan;
}): readonly GuardFinding[] => guard({ input, recovered, plan }).findings;

/** What an approver reviews of what the guard refuses. */
export const reviewed = ({ input, plan }: { readonly input: PlanInput; readonly plan: Plan }) =>
  guard({ input, recovered: { record: input.record, lost: false }, plan }).removal?.reviewed ?? [];

export const rules = (input: PlanInput, plan: Plan): string[] => findings({ input, plan }).map(({ rule }) => rule);
