import type { PlacementRef } from '../api/placement.ts';
import type { StagedUpdateRun } from '../api/staged.ts';

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
