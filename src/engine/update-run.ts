import type { PlacementRef } from '../api/placement.ts';
import type { StagedUpdateRun, UpdateRunStatus } from '../api/staged.ts';
import { conditionIs } from './kernel/condition.ts';

type Naming = Pick<StagedUpdateRun, 'kind' | 'metadata' | 'spec'>;

/** The placement that a run moves: one of its own scope, and of a namespaced run of its namespace. */
export const placementOfRun = ({ kind, metadata, spec }: Naming): PlacementRef =>
  kind === 'ClusterStagedUpdateRun'
    ? { kind: 'ClusterResourcePlacement', name: spec.placementName }
    : { kind: 'ResourcePlacement', name: spec.placementName, namespace: metadata.namespace ?? '' };

/** Whether a run moves that placement. */
export function isRunOf(
  run: Naming,
  { kind, name, namespace }: Omit<PlacementRef, 'kind'> & { readonly kind: string },
): boolean {
  const moved = placementOfRun(run);
  return moved.kind === kind && moved.name === name && moved.namespace === namespace;
}

/** Succeeded is True or False, or it could not be initialized: the run no longer changes, whatever its `state`. */
export const isOver = (status: UpdateRunStatus): boolean =>
  conditionIs(status.conditions, 'Succeeded', 'True') ||
  conditionIs(status.conditions, 'Succeeded', 'False') ||
  conditionIs(status.conditions, 'Initialized', 'False');

/** Whether it starts no cluster any more: it is over or rolls back. */
export const isEnding = (status: UpdateRunStatus): boolean => status.rollbackStatus !== undefined || isOver(status);

/** Stages, clusters and the snapshot of the run are fixed. */
export const isInitialized = (status: UpdateRunStatus): boolean =>
  conditionIs(status.conditions, 'Initialized', 'True');
