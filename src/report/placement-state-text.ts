import type { Condition } from '../api/meta.ts';
import { memoize } from '../engine/kernel/memoize.ts';
import type { PlannedPlacement } from '../engine/plan-document.ts';
import { deliveryReason } from './placements/delivery-reason.ts';
import { isRequired } from './tally.ts';

/** Reasons for conditions of placements that are not True, in words. */
const words: Readonly<Record<string, string>> = {
  ScheduleFailed: 'scheduling failed',
  InvalidResourceSelectors: 'its resource selectors are not valid',
  RolloutStartedUnknown: 'its rollout has not started',
  RolloutNotStartedYet: 'the rollout waits on some clusters',
  RolloutControlledByExternalController: 'rolled out by update runs',
  OverriddenPending: 'overrides are being applied',
  OverriddenFailed: 'overrides fail',
  WorkSynchronizedUnknown: 'being sent to its clusters',
  WorkNotSynchronizedYet: 'being sent to its clusters',
  ApplyPending: 'being applied',
  ApplyInProgress: 'being applied',
  ApplyFailed: 'apply failed',
  ResourceAvailableUnknown: 'not known to be available',
  ResourceNotAvailableYet: 'not available on all clusters yet',
  DiffReportingPending: 'being compared',
  DiffReportInProgress: 'being compared',
  DiffReportingIncompleteOrFailed: 'comparison incomplete or failed',
};

const failures: ReadonlySet<string> = new Set([
  'ScheduleFailed',
  'InvalidResourceSelectors',
  'OverriddenFailed',
  'ApplyFailed',
]);

const lastCondition = ({ conditions }: PlannedPlacement): Condition | undefined =>
  conditions.findLast(({ type }) => !type.endsWith('StatusSynced'));

const lastReason = memoize((placement: PlannedPlacement): string | undefined => {
  const last = lastCondition(placement);
  if (last === undefined || last.status === 'True') return undefined;
  const required = placement.bindings.filter(isRequired);
  return deliveryReason(
    last,
    required.map(({ conditions }) => conditions),
  );
});

/** What keeps a placement from being as desired, in words; nothing where it is. */
export function stateOf(placement: PlannedPlacement): string[] {
  const reason = lastReason(placement);
  return reason === undefined ? [] : [words[reason] ?? reason];
}

/** Something failed, and does not end by waiting. */
export const hasFailed = (placement: PlannedPlacement): boolean => failures.has(lastReason(placement) ?? '');
