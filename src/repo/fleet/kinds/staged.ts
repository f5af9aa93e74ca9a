import { placementKey } from '../../../api/placement.ts';
import {
  maxFailuresAnnotation,
  onFailureAnnotation,
  progressDeadlineAnnotation,
} from '../../../api/run-annotations.ts';
import type { ApprovalRequest, StagedUpdateRun, StagedUpdateStrategy } from '../../../api/staged.ts';
import { reviewAnnotation } from '../../../engine/gate/review.ts';
import type { FleetRecord } from '../../../engine/input.ts';
import { membershipAnnotation } from '../../../engine/staged/left-clusters.ts';
import { isInitialized } from '../../../engine/update-run.ts';
import type { Names, Reference } from '../names.ts';
import type { FleetRows } from './row.ts';

const strategy = { in: 'strategies' } as const;

const run = {
  in: 'runs',
  annotations: {
    [membershipAnnotation]: 'abort',
    [progressDeadlineAnnotation]: undefined,
    [maxFailuresAnnotation]: undefined,
    [onFailureAnnotation]: undefined,
  },
  references: ({ metadata: { namespace }, spec }: StagedUpdateRun, names: Names): Reference[] => [
    { ...names.placement(spec.placementName, namespace), path: 'spec.placementName' },
    { ...names.strategy(spec.stagedRolloutStrategyName, namespace), path: 'spec.stagedRolloutStrategyName' },
  ],
  hasFoundAll(object: Parameters<typeof placementKey>[0], { runs }: FleetRecord) {
    const status = runs.get(placementKey(object))?.status;
    return status !== undefined && isInitialized(status);
  },
} as const;

const approval = { in: 'approvals', annotations: { [reviewAnnotation]: undefined } } as const;

export const stagedRows: FleetRows<StagedUpdateStrategy | StagedUpdateRun | ApprovalRequest> = {
  ClusterStagedUpdateStrategy: strategy,
  StagedUpdateStrategy: strategy,
  ClusterStagedUpdateRun: run,
  StagedUpdateRun: run,
  ClusterApprovalRequest: approval,
  ApprovalRequest: approval,
};
