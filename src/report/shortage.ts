import type { ClusterName, PlacementKey, Timestamp } from '../api/meta.ts';
import { type PlacementRef, placementKey, refNamed } from '../api/placement.ts';
import type { PlacementState, PolicySnapshotEntry } from '../api/placement-state.ts';
import { findCondition } from '../engine/kernel/condition.ts';
import { latestOf } from '../engine/kernel/latest-of.ts';
import { memoize } from '../engine/kernel/memoize.ts';
import { listUpTo } from '../engine/kernel/short-list.ts';
import { wantedClusters } from '../engine/placement/wanted-clusters.ts';
import type { Plan } from '../engine/plan-document.ts';
import { recordedObjects } from '../repo/record/recorded-objects.ts';
import { titleOf } from '../repo/title-of.ts';

/** A placement whose policy requires more clusters than the scheduler found. */
export interface Shortage extends PlacementRef {
  readonly found: number;
  readonly wanted: number;
  readonly since?: Timestamp | undefined;
  /** Why others do not fit, the reason of most clusters first. Empty: the fleet has no others. */
  readonly why: readonly { readonly reason: string; readonly clusters: readonly ClusterName[] }[];
}

/** Undefined where the policy is fulfilled, requires no number, or where the record has no verdict of the scheduler. */
export const shortageOf = memoize((state: PlacementState): Shortage | undefined => {
  const policy = latestOf(state.policySnapshots);
  const scheduled = findCondition(policy?.conditions, 'Scheduled');
  // The number may change under one snapshot.
  const wanted = policy && wantedClusters({ ...policy.policy, ...numberIn(policy) });
  if (scheduled?.status !== 'False' || wanted === undefined) return undefined;
  const decisions = policy?.targetClusters ?? [];
  const isFixed = policy?.policy.placementType === 'PickFixed';
  // A long list of decisions is cut, and a cluster that PickFixed names keeps its binding when it becomes ineligible.
  const found = isFixed ? decisions.filter(({ selected }) => selected).length : boundClusters(state);
  return {
    ...refNamed(state.metadata),
    found,
    wanted,
    ...(scheduled.lastTransitionTime !== undefined && { since: scheduled.lastTransitionTime }),
    why: whyNot(decisions),
  };
});

const numberIn = ({ numberOfClusters }: PolicySnapshotEntry) => numberOfClusters !== undefined && { numberOfClusters };

const boundClusters = ({ bindings }: PlacementState): number =>
  new Set(
    bindings.flatMap(({ targetCluster, state, deleting }) =>
      state === 'Unscheduled' || deleting ? [] : targetCluster,
    ),
  ).size;

function whyNot(decisions: NonNullable<PolicySnapshotEntry['targetClusters']>): Shortage['why'] {
  const unselected = decisions.filter(({ selected }) => !selected);
  const byReason = Map.groupBy(unselected, ({ reason }) => reason.replace(/^ClusterUnschedulable, /, ''));
  return [...byReason]
    .map(([reason, of]) => ({ reason, clusters: of.map(({ clusterName }) => clusterName) }))
    .sort((a, b) => b.clusters.length - a.clusters.length);
}

/** By placement. */
export type Shortages = ReadonlyMap<PlacementKey, Shortage>;

/** Of a plan. */
export function shortagesOf(plan: Pick<Plan, 'placements' | 'record'>): Shortages {
  const states = recordedObjects('states', plan);
  return shortagesIn(plan.placements, (key) => states.get(key)?.value);
}

/** In the order of `placements`. */
export function shortagesIn(
  placements: readonly PlacementRef[],
  stateOf: (key: PlacementKey) => PlacementState | undefined,
): Shortages {
  return new Map(
    placements.flatMap((placement) => {
      const key = placementKey(placement);
      const state = stateOf(key);
      const shortage = state && shortageOf(state);
      return shortage === undefined ? [] : [[key, shortage] as const];
    }),
  );
}

/** `2 of 3 clusters scheduled`: what reports call it. */
export const countText = ({ found, wanted }: Pick<Shortage, 'found' | 'wanted'>): string =>
  `${found} of ${wanted} clusters scheduled`;

const mostReasons = 3;
const mostClusters = 3;

/** The same with the reasons of the clusters that do not fit: `2 of 3 clusters scheduled; us-1: the cluster has the taint …`. */
export function shortageText(shortage: Shortage): string {
  const reasons = shortage.why.map(({ reason, clusters }) => `${listUpTo(clusters, mostClusters)}: ${reason}`);
  const none = shortage.found === 0 ? 'the fleet has no clusters' : 'the fleet has no other cluster';
  const why = reasons.length === 0 ? none : listUpTo(reasons, mostReasons, '; ');
  return `${countText(shortage)}; ${why}`;
}

/** The command that shows the verdict on every cluster. */
export const explainCommand = (placement: Pick<Shortage, 'name' | 'namespace'>): string =>
  `gitfleet explain placement ${titleOf(placement)}`;

/** Whether a plan leaves a placement with fewer clusters than the one before, and short of them. */
export const isShorter = (after: Shortage | undefined, before: Shortage | undefined): after is Shortage =>
  after !== undefined && (before === undefined || after.wanted - after.found > before.wanted - before.found);
