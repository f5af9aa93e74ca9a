import type { ConditionStatus } from '../../api/meta.ts';
import type { Placement } from '../../api/placement.ts';

/** What a rollout goes through, in KubeFleet's order (pkg/utils/condition/condition.go). */
export type Phase = 'RolloutStarted' | 'Overridden' | 'WorkSynchronized' | 'Applied' | 'Available' | 'DiffReported';

/** Phases that a placement is expected to show: DiffReported stands for Applied and Available under ReportDiff. */
export function phasesOf({ spec }: Placement): readonly Phase[] {
  const common: readonly Phase[] = ['RolloutStarted', 'Overridden', 'WorkSynchronized'];
  return spec.strategy.applyStrategy.type === 'ReportDiff'
    ? [...common, 'DiffReported']
    : [...common, 'Applied', 'Available'];
}

interface Wording {
  readonly reason: string;
  /** `n` clusters. */
  readonly say: (n: number) => string;
}

/** Reasons and sentences of a placement's conditions; those of single clusters come from their bindings. */
export const wording: Readonly<Record<Phase, Readonly<Record<ConditionStatus, Wording>>>> = {
  RolloutStarted: {
    Unknown: {
      reason: 'RolloutStartedUnknown',
      say: (n) => `The rollout has not been reported for ${n} cluster(s) yet`,
    },
    False: {
      reason: 'RolloutNotStartedYet',
      say: (n) => `The rollout is being blocked by the rollout strategy in ${n} cluster(s)`,
    },
    True: { reason: 'RolloutStarted', say: (n) => `All ${n} cluster(s) start rolling out the latest resource` },
  },
  Overridden: {
    Unknown: {
      reason: 'OverriddenPending',
      say: (n) => `There are still ${n} cluster(s) in the process of overriding the resources`,
    },
    False: { reason: 'OverriddenFailed', say: (n) => `Failed to override resources in ${n} cluster(s)` },
    True: {
      reason: 'OverriddenSucceeded',
      say: (n) => `The selected resources are successfully overridden in ${n} cluster(s)`,
    },
  },
  WorkSynchronized: {
    Unknown: {
      reason: 'WorkSynchronizedUnknown',
      say: (n) => `There are still ${n} cluster(s) whose resources have not been reported`,
    },
    False: {
      reason: 'WorkNotSynchronizedYet',
      say: (n) => `There are ${n} cluster(s) to which the resources are not handed yet`,
    },
    True: { reason: 'WorkSynchronized', say: (n) => `The resources are handed to ${n} cluster(s)` },
  },
  Applied: {
    Unknown: {
      reason: 'ApplyPending',
      say: (n) => `There are still ${n} cluster(s) where applying the resources has not been reported`,
    },
    False: {
      reason: 'ApplyFailed',
      say: (n) => `Failed to apply resources to ${n} cluster(s), see the failed placements`,
    },
    True: {
      reason: 'ApplySucceeded',
      say: (n) => `The selected resources are successfully applied to ${n} cluster(s)`,
    },
  },
  Available: {
    Unknown: {
      reason: 'ResourceAvailableUnknown',
      say: (n) => `There are still ${n} cluster(s) whose availability has not been reported`,
    },
    False: {
      reason: 'ResourceNotAvailableYet',
      say: (n) => `The selected resources in ${n} cluster(s) are still not available yet`,
    },
    True: { reason: 'ResourceAvailable', say: (n) => `The selected resources in ${n} cluster(s) are available now` },
  },
  DiffReported: {
    Unknown: {
      reason: 'DiffReportingPending',
      say: (n) => `There are still ${n} cluster(s) whose differences have not been reported`,
    },
    False: {
      reason: 'DiffReportingIncompleteOrFailed',
      say: (n) => `Differences could not be reported in ${n} cluster(s)`,
    },
    True: { reason: 'DiffReportingCompleted', say: (n) => `Differences are reported in all ${n} cluster(s)` },
  },
};

/** `ClusterResourcePlacementScheduled` or `ResourcePlacementScheduled`. */
export const placementType = (placement: Placement, type: string): string => `${placement.kind}${type}`;
