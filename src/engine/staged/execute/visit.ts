import type { ClusterName } from '../../../api/meta.ts';
import type { Binding } from '../../../api/placement-state.ts';
import type { ClusterUpdatingStatus } from '../../../api/staged.ts';
import type { BindingStep, PlacementWork } from '../../placement-work.ts';
import type { RunContext, RunStep, Waiting } from '../step.ts';

/**
 * A run at one cluster of a stage, with all that it may change there. A stage may have thousands: no visit goes over the
 * bindings, the clusters or the holds of others.
 */
export interface Visit extends Waiting {
  readonly cluster: ClusterUpdatingStatus;
  /** Of the placement, on this cluster. */
  readonly bindings: readonly BindingStep[];
}

/** What is the same for all visits to the clusters of a stage in one plan. */
export interface StageContext {
  /** The run before the first of them. */
  readonly begun: RunStep;
  readonly context: RunContext;
  /** Name of the stage. */
  readonly stage: string;
}

/** Before anything is done anywhere. */
export function visitsTo(clusters: readonly ClusterUpdatingStatus[], { bindings }: PlacementWork): Visit[] {
  const byCluster = Map.groupBy(bindings, clusterOf);
  return clusters.map((cluster) => ({
    cluster,
    bindings: byCluster.get(cluster.clusterName) ?? [],
    holds: [],
    wakes: [],
  }));
}

/** The run with the bindings that its visits left, in their places, and with all that they wait for. */
export function afterVisits(step: RunStep, visits: readonly Visit[]): RunStep {
  const left = new Map(visits.map(({ cluster, bindings }) => [cluster.clusterName, bindings]));
  const byCluster = Map.groupBy(step.work.bindings, clusterOf);
  return {
    ...step,
    work: { ...step.work, bindings: [...byCluster].flatMap(([cluster, present]) => left.get(cluster) ?? present) },
    holds: [...step.holds, ...visits.flatMap(({ holds }) => holds)],
    wakes: [...step.wakes, ...visits.flatMap(({ wakes }) => wakes)],
  };
}

const clusterOf = ({ binding }: BindingStep): ClusterName => binding.targetCluster;

/** The binding on the cluster that is not on its way out. */
export const liveBinding = ({ bindings }: Visit): Binding | undefined =>
  bindings.find(({ binding }) => !binding.deleting)?.binding;
