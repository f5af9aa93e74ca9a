import type { ClusterName } from '../../../api/meta.ts';
import type { Binding } from '../../../api/placement-state.ts';
import type { ClusterUpdatingStatus } from '../../../api/staged.ts';
import type { BindingStep, PlacementWork } from '../../placement-work.ts';
import type { RunContext, RunStep, Waiting } from '../step.ts';
import type { DesiredBinding } from './desired-binding.ts';

/**
 * One cluster of a stage on its way through a plan, with everything that the run may change for it. A stage may have thousands
 * of clusters, so a step never reads the bindings or holds of other clusters.
 */
export interface ClusterStep extends Waiting {
  readonly cluster: ClusterUpdatingStatus;
  /** Bindings of the placement on this cluster. */
  readonly bindings: readonly BindingStep[];
}

/** What all cluster steps of a stage share. */
export interface StageContext {
  /** The run before the first of them. */
  readonly before: RunStep;
  readonly context: RunContext;
  /** Name of the stage. */
  readonly stage: string;
  /** The run rolls out its snapshot, or returns clusters to what they had. */
  readonly direction: 'out' | 'back';
  /** What the run gives to a cluster of the stage; undefined = nothing is known that it could give. */
  readonly desired: (cluster: ClusterUpdatingStatus) => DesiredBinding | undefined;
  /** Of a rollback: what the run gave it. A cluster that has something else by now keeps that. */
  readonly given?: (cluster: ClusterUpdatingStatus) => DesiredBinding | undefined;
}

/** The steps of a stage before anything is changed. */
export function clusterSteps(clusters: readonly ClusterUpdatingStatus[], { bindings }: PlacementWork): ClusterStep[] {
  const byCluster = Map.groupBy(bindings, clusterOf);
  return clusters.map((cluster) => ({
    cluster,
    bindings: byCluster.get(cluster.clusterName) ?? [],
    holds: [],
    wakes: [],
  }));
}

/** The run with the bindings, holds and wakes of its cluster steps; the order of bindings stays. */
export function withClusterSteps(step: RunStep, steps: readonly ClusterStep[]): RunStep {
  const bindingsOn = new Map(steps.map(({ cluster, bindings }) => [cluster.clusterName, bindings]));
  const byCluster = Map.groupBy(step.work.bindings, clusterOf);
  return {
    ...step,
    work: {
      ...step.work,
      bindings: [...byCluster].flatMap(([cluster, present]) => bindingsOn.get(cluster) ?? present),
    },
    holds: [...step.holds, ...steps.flatMap(({ holds }) => holds)],
    wakes: [...step.wakes, ...steps.flatMap(({ wakes }) => wakes)],
  };
}

const clusterOf = ({ binding }: BindingStep): ClusterName => binding.targetCluster;

/** The binding on the cluster that is not being removed. */
export const liveBinding = ({ bindings }: ClusterStep): Binding | undefined =>
  bindings.find(({ binding }) => !binding.deleting)?.binding;
