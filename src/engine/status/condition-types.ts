import type { ConditionStatus } from '../../api/meta.ts';
import type { Placement } from '../../api/placement.ts';

/** What a rollout goes through, in KubeFleet's order (pkg/utils/condition/condition.go). */
export type Phase = 'RolloutStarted' | 'Overridden' | 'WorkSynchronized' | 'Applied' | 'Available' | 'DiffReported';

/** Phases that a placement shows: under ReportDiff DiffReported takes the place of Applied and Available. */
export function phasesOf({ spec }: Placement): readonly Phase[] {
  const common: readonly Phase[] = ['RolloutStarted', 'Overridden', 'WorkSynchronized'];
  return spec.strategy.applyStrategy.type === 'ReportDiff'
    ? [...common, 'DiffReported']
    : [...common, 'Applied', 'Available'];
}

interface Wording {
  readonly reason: string;
  /** `n` clusters. */
  readonly message: (n: number) => string;
  /** Where the condition is False while none of the `n` clusters failed; the reason is KubeFleet's in both cases. */
  readonly inProgress?: (n: number) => string;
}

/** Reasons and sentences of a placement's conditions; those of single clusters come from their bindings. */
export const wording: Readonly<Record<Phase, Readonly<Record<ConditionStatus, Wording>>>> = {
  RolloutStarted: {
    Unknown: {
      reason: 'RolloutStartedUnknown',
      message: (n) => `The rollout has not been reported for ${n} cluster(s) yet`,
    },
    False: {
      reason: 'RolloutNotStartedYet',
      message: (n) => `The rollout is being blocked by the rollout strategy in ${n} cluster(s)`,
    },
    True: { reason: 'RolloutStarted', message: (n) => `All ${n} cluster(s) start rolling out the latest resource` },
  },
  Overridden: {
    Unknown: {
      reason: 'OverriddenPending',
      message: (n) => `There are still ${n} cluster(s) in the process of overriding the resources`,
    },
    False: { reason: 'OverriddenFailed', message: (n) => `Failed to override resources in ${n} cluster(s)` },
    True: {
      reason: 'OverriddenSucceeded',
      message: (n) => `The selected resources are successfully overridden in ${n} cluster(s)`,
    },
  },
  WorkSynchronized: {
    Unknown: {
      reason: 'WorkSynchronizedUnknown',
      message: (n) => `There are still ${n} cluster(s) whose resources have not been reported`,
    },
    False: {
      reason: 'WorkNotSynchronizedYet',
      message: (n) => `There are ${n} cluster(s) to which the resources are not handed yet`,
    },
    True: { reason: 'WorkSynchronized', message: (n) => `The resources are handed to ${n} cluster(s)` },
  },
  Applied: {
    Unknown: {
      reason: 'ApplyPending',
      message: (n) => `There are still ${n} cluster(s) where applying the resources has not been reported`,
    },
    False: {
      reason: 'ApplyFailed',
      message: (n) => `Failed to apply resources to ${n} cluster(s), see the failed placements`,
      inProgress: (n) => `The resources are still being applied to ${n} cluster(s)`,
    },
    True: {
      reason: 'ApplySucceeded',
      message: (n) => `The selected resources are successfully applied to ${n} cluster(s)`,
    },
  },
  Available: {
    Unknown: {
      reason: 'ResourceAvailableUnknown',
      message: (n) => `There are still ${n} cluster(s) whose availability has not been reported`,
    },
    False: {
      reason: 'ResourceNotAvailableYet',
      message: (n) => `The selected resources in ${n} cluster(s) are still not available yet`,
    },
    True: {
      reason: 'ResourceAvailable',
      message: (n) => `The selected resources in ${n} cluster(s) are available now`,
    },
  },
  DiffReported: {
    Unknown: {
      reason: 'DiffReportingPending',
      message: (n) => `There are still ${n} cluster(s) whose differences have not been reported`,
    },
    False: {
      reason: 'DiffReportingIncompleteOrFailed',
      message: (n) => `Differences could not be reported in ${n} cluster(s)`,
      inProgress: (n) => `The resources are still being compared in ${n} cluster(s)`,
    },
    True: { reason: 'DiffReportingCompleted', message: (n) => `Differences are reported in all ${n} cluster(s)` },
  },
};

/** `ClusterResourcePlacementScheduled` or `ResourcePlacementScheduled`. */
export const placementType = (placement: Placement, type: string): string => `${placement.kind}${type}`;
