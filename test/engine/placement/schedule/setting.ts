import type { MemberCluster } from '../../../../src/api/member-cluster.ts';
import type { Binding, PolicySnapshotEntry } from '../../../../src/api/placement-state.ts';
import { compileFleet } from '../../../../src/engine/placement/compiled/compile-fleet.ts';
import { schedule } from '../../../../src/engine/placement/schedule.ts';
import { cluster, digest, now, placementOf, survey } from '../worlds.ts';

export interface Setting {
  readonly policy: object;
  readonly fleet: readonly MemberCluster[];
  readonly bindings?: readonly Binding[];
  readonly snapshots?: readonly PolicySnapshotEntry[];
  readonly namespace?: string;
  readonly at?: string;
  readonly revisionHistoryLimit?: number;
}

export const run = ({ policy, fleet, bindings = [], snapshots = [], at = now, ...rest }: Setting) =>
  schedule({
    placement: placementOf(policy, rest),
    state: { policySnapshots: snapshots, bindings },
    index: compileFleet(survey(fleet, at)),
    now: at,
    digest,
    membersChanged: () => false,
  });

/** `eu-1 Bound @0`, and what a decision says in one line. */
export const states = (setting: Setting) =>
  run(setting).bindings.map(
    ({ targetCluster, state, policySnapshotIndex, deleting }) =>
      `${targetCluster} ${state}${deleting ? ' deleting' : ''} @${policySnapshotIndex}`,
  );
export const selected = (setting: Setting) =>
  run(setting)
    .decisions.filter((decision) => decision.selected)
    .map(({ clusterName }) => clusterName);
export const scores = (setting: Setting) =>
  Object.fromEntries(
    run(setting).decisions.flatMap(({ clusterName, clusterScore }) =>
      clusterScore ? [[clusterName, [clusterScore.topologySpreadScore, clusterScore.affinityScore]]] : [],
    ),
  );
export const reasonsOf = (setting: Setting) =>
  Object.fromEntries(run(setting).decisions.map(({ clusterName, reason }) => [clusterName, reason]));

export const clusters = (...names: string[]) => names.map((name) => cluster(name));
export const withProperty = (name: string, values: Record<string, string | undefined>) =>
  Object.entries(values).map(([key, value]) =>
    cluster(key, value === undefined ? {} : { properties: { [name]: value } }),
  );
export const required = (...clusterSelectorTerms: object[]) => ({
  clusterAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { clusterSelectorTerms } },
});
export const preferring = (...terms: object[]) => ({
  clusterAffinity: { preferredDuringSchedulingIgnoredDuringExecution: terms },
});
export const sortBy = (name: string, sortOrder: string, weight: number) => ({
  weight,
  preference: { propertySorter: { name, sortOrder } },
});
export const pickN = (numberOfClusters: number, rest: object = {}) => ({
  placementType: 'PickN',
  numberOfClusters,
  ...rest,
});
export const bound = (targetCluster: string, rest: Partial<Binding> = {}): Binding => ({
  targetCluster,
  state: 'Bound',
  policySnapshotIndex: 0,
  resourceSnapshotIndex: 2,
  ...rest,
});
export const scored = (affinityScore: number, topologySpreadScore = 0) => ({
  clusterDecision: { selected: true, clusterScore: { affinityScore, topologySpreadScore }, reason: 'recorded' },
});
export const snapshotOf = (policy: object, rest: Partial<PolicySnapshotEntry> = {}): PolicySnapshotEntry[] => [
  { index: 0, latest: true, policy: placementOf(policy).spec.policy, ...rest },
];
export const outside = 'ClusterUnschedulable, cluster does not match any of the required cluster affinity terms';
