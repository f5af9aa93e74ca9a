import type { Placement } from '../../api/placement.ts';
import type { PolicySnapshotEntry } from '../../api/placement-state.ts';
import { latestOf } from '../kernel/latest-of.ts';

/**
 * The placement with its last recorded policy. While its selectors are invalid a placement gets no snapshots, not even of its
 * policy, and the scheduler continues with the last one (KubeFleet placement/controller.go, handleUpdate). Undefined = none.
 */
export function asLastScheduled(
  placement: Placement,
  policySnapshots: readonly PolicySnapshotEntry[],
): Placement | undefined {
  const last = latestOf(policySnapshots);
  if (last === undefined) return undefined;
  const { generation: _, ...metadata } = placement.metadata;
  return {
    ...placement,
    metadata: {
      ...metadata,
      ...(last.observedGeneration !== undefined && { generation: last.observedGeneration }),
    },
    spec: {
      ...placement.spec,
      policy: {
        ...last.policy,
        ...(last.numberOfClusters !== undefined && { numberOfClusters: last.numberOfClusters }),
      },
    },
  } as Placement;
}
