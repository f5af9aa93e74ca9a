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
 * Whether the last report of an actor is of the other mode: of a comparison where objects are to be applied since, or of an
 * apply where they are to be compared only. A comparison has results of its own. Without results, the conditions of the
 * binding decide: a binding that was applied until this plan still has those of the apply.
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
