import type { Timestamp } from '../../../api/meta.ts';
import type { PlacementObservation } from '../../../api/observation.ts';
import type { Binding } from '../../../api/placement-state.ts';
import { findCondition } from '../../kernel/condition.ts';

/** Results of comparing alone: no apply ends with one. */
const ofReports: ReadonlySet<string> = new Set([
  'FoundDiff',
  'FoundDiffInDegradedMode',
  'NoDiffFound',
  'FailedToReportDiff',
]);

/**
 * Whether what an actor said last is of the other mode: of a report where objects are to be applied since, of an apply where
 * they are to be compared only. A report names what it compared; where no result tells, the word of a binding that was
 * applied until this very plan is of that apply.
 */
export function isOfOtherMode(
  { results }: PlacementObservation,
  { report, binding, now }: { readonly report: boolean; readonly binding: Binding; readonly now: Timestamp },
): boolean {
  const isReport = results.some(({ result }) => ofReports.has(result));
  const reported = findCondition(binding.conditions, 'DiffReported');
  const applied = findCondition(binding.conditions, 'Applied');
  if (!report) return isReport && (reported !== undefined || applied?.reason === 'ApplyInProgress');
  if (isReport) return false;
  return reported
    ? reported.reason === 'DiffReportInProgress' && reported.lastTransitionTime === now
    : applied !== undefined;
}
