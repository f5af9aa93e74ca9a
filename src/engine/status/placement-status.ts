import type { Condition, Timestamp } from '../../api/meta.ts';
import type { PerClusterPlacementStatus, PlacementStatus, ResourceIdentifier } from '../../api/placement.ts';
import { isInProgress } from '../bindings/health.ts';
import { findCondition, withTransitionTime } from '../kernel/condition.ts';
import { latestOf } from '../kernel/latest-of.ts';
import { sameValue } from '../kernel/same-value.ts';
import { wantedClusters } from '../placement/wanted-clusters.ts';
import type { PlacementWork } from '../placement-work.ts';
import { identifierOf } from '../selection/group-version.ts';
import { phasesOf, placementType, wording } from './condition-types.ts';
import { selectedCluster, unfilledSlot } from './per-cluster.ts';

/**
 * The status as `kubectl get -o yaml` would show it (KubeFleet pkg/controllers/placement/placement_status.go): per-cluster
 * conditions in decision order, then the placement's own, each aggregated over the selected clusters.
 */
export function placementStatus(
  work: PlacementWork,
  context: { readonly now: Timestamp; readonly recorded: PlacementStatus | undefined },
): PlacementStatus {
  const { placement, selection, scheduled } = work;
  const { now, recorded } = context;
  const generation = placement.metadata.generation;
  const newCondition = (type: string, condition: Pick<Condition, 'status' | 'reason' | 'message'>): Condition =>
    withTransitionTime(
      recorded?.conditions,
      {
        type: placementType(placement, type),
        ...condition,
        ...(generation === undefined ? {} : { observedGeneration: generation }),
      },
      now,
    );
  if (!selection.ok) {
    const refused = newCondition('Scheduled', {
      status: 'False',
      reason: 'InvalidResourceSelectors',
      message: selection.message,
    });
    const rest = (recorded?.conditions ?? []).filter(({ type }) => type !== refused.type);
    return { ...recorded, conditions: [refused, ...rest] };
  }
  const own = newCondition('Scheduled', {
    status: scheduled.status,
    reason: scheduled.reason,
    message: scheduled.message,
  });
  const placementStatuses = perCluster(work, context);
  const selected = placementStatuses.filter(({ clusterName }) => clusterName !== undefined);
  const seen = observed(work, selected);
  // KubeFleet empties fields that do not apply; the API server leaves empty fields out.
  const base = {
    ...(seen.resources.length > 0 ? { selectedResources: seen.resources } : {}),
    ...(seen.index === undefined ? {} : { observedResourceIndex: seen.index }),
    ...(placementStatuses.length > 0 ? { placementStatuses } : {}),
  };
  if (selected.length === 0) return { ...base, conditions: [own] };
  if (seen.differ !== undefined) {
    const unknown = newCondition('RolloutStarted', {
      status: 'Unknown',
      reason: 'RolloutControlledByExternalController',
      message: seen.differ,
    });
    return { ...base, conditions: [own, unknown] };
  }
  return { ...base, conditions: [own, ...summed(work, selected, newCondition)] };
}

function perCluster(
  work: PlacementWork,
  { now, recorded }: { readonly now: Timestamp; readonly recorded: PlacementStatus | undefined },
): PerClusterPlacementStatus[] {
  const { placement, decisions } = work;
  const byName = new Map((recorded?.placementStatuses ?? []).map((status) => [status.clusterName, status]));
  const emptyBefore = (recorded?.placementStatuses ?? []).filter(
    ({ clusterName }) => clusterName === undefined || clusterName === '',
  );
  const selected = decisions.filter((decision) => decision.selected);
  const unselected = decisions.filter((decision) => !decision.selected);
  const failed = Math.min(missing(work, selected.length), unselected.length);
  const live = new Map(
    work.bindings
      .filter(({ binding: { deleting, state } }) => !deleting && state !== 'Unscheduled')
      .map(({ binding }) => [binding.targetCluster, binding]),
  );
  return [
    ...selected.map((decision) => {
      const before = byName.get(decision.clusterName);
      const binding = live.get(decision.clusterName);
      const status = selectedCluster(decision, work, { now, binding, recorded: before });
      return before && sameValue(before, status) ? before : status;
    }),
    ...unselected
      .slice(0, failed)
      .map((decision, at) => unfilledSlot(decision, now, placement.metadata.generation, emptyBefore[at])),
  ];
}

/** How many clusters the policy requires beyond those that were found; PickAll requires no number. */
function missing({ placement, policySnapshots }: PlacementWork, selected: number): number {
  const numberOfClusters = latestOf(policySnapshots)?.numberOfClusters ?? 0;
  return Math.max((wantedClusters({ numberOfClusters, ...placement.spec.policy }) ?? selected) - selected, 0);
}

interface Observed {
  readonly index: string | undefined;
  readonly resources: ResourceIdentifier[];
  /** Under External, when there is no one index that all clusters run. */
  readonly differ: string | undefined;
}

function observed(work: PlacementWork, selected: readonly PerClusterPlacementStatus[]): Observed {
  const { placement, contents, resourceSnapshots, selection } = work;
  const latest = latestOf(resourceSnapshots)?.index;
  const of = (index: number | undefined): ResourceIdentifier[] =>
    index === undefined ? [] : (contents.get(index) ?? []).map(identifierOf);
  if (placement.spec.strategy.type !== 'External') {
    const resources =
      latest !== undefined && contents.has(latest) ? of(latest) : selection.ok ? [...selection.identifiers] : [];
    return { index: latest === undefined ? undefined : String(latest), resources, differ: undefined };
  }
  const indexes = new Set(selected.map(({ observedResourceIndex }) => observedResourceIndex));
  const [only] = indexes;
  if (indexes.size > 1)
    return {
      index: undefined,
      resources: [],
      differ:
        'The clusters run different resource snapshots: an update run is bringing them to one, or ended before it did',
    };
  if (only === undefined)
    return {
      index: undefined,
      resources: [],
      differ: 'No cluster runs a resource snapshot yet: a staged update run starts the rollout',
    };
  const started = selected.every(({ conditions }) =>
    conditions?.some(({ type, status }) => type === 'RolloutStarted' && status !== 'Unknown'),
  );
  return {
    index: only,
    resources: of(Number(only)),
    differ: started
      ? undefined
      : 'The rollout is controlled by an update run and has not been reported for every cluster',
  };
}

/** Type by type: any Unknown makes it Unknown, else any False makes it False; later types are not shown. */
function summed(
  work: PlacementWork,
  selected: readonly PerClusterPlacementStatus[],
  newCondition: (type: string, condition: Pick<Condition, 'status' | 'reason' | 'message'>) => Condition,
): Condition[] {
  const conditions: Condition[] = [];
  for (const type of phasesOf(work.placement)) {
    const ofType = selected.map(({ conditions: own }) => findCondition(own, type));
    const statuses = ofType.map((condition) => condition?.status);
    const count = (status: Condition['status']) => statuses.filter((each) => each === status).length;
    const status = statuses.some((each) => each === undefined || each === 'Unknown')
      ? 'Unknown'
      : count('False') > 0
        ? 'False'
        : 'True';
    const inProgress = ofType.filter(isInProgress).length;
    const failed = count('False') - inProgress;
    const number =
      status === 'Unknown'
        ? statuses.filter((each) => each === undefined || each === 'Unknown').length
        : status === 'False'
          ? failed || inProgress
          : count(status);
    const texts = wording[type][status];
    const message = failed === 0 && texts.inProgress ? texts.inProgress : texts.message;
    const plain = type === 'Overridden' && status === 'True' && !selected.some(hasOverrides);
    conditions.push(
      newCondition(type, {
        status,
        reason: plain ? 'NoOverrideSpecified' : texts.reason,
        message: plain ? 'No override rules are configured for the selected resources' : message(number),
      }),
    );
    if (status !== 'True') break;
  }
  return conditions;
}

const hasOverrides = ({
  applicableResourceOverrides,
  applicableClusterResourceOverrides,
}: PerClusterPlacementStatus): boolean =>
  (applicableResourceOverrides?.length ?? 0) + (applicableClusterResourceOverrides?.length ?? 0) > 0;
