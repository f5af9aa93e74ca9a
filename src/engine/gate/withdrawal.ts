import type { Answer } from './answer.ts';

/**
 * The gate whose approval is withdrawn. Removing the file withdraws the last approval, as long as nothing after its gate has
 * started (docs/compatibility.md; in KubeFleet an accepted approval is final).
 */
export function withdrawnGate<Gate>(of: {
  /** In the order in which they are reached. */
  readonly gates: readonly Gate[];
  readonly isApproved: (gate: Gate) => boolean;
  readonly hasStartedAfter: (gate: Gate) => boolean;
  readonly answerTo: (gate: Gate) => { readonly kind: Answer<unknown>['kind'] | 'foreign' };
  /** False while some file cannot be read: then a missing file withdraws nothing. */
  readonly absenceIsCertain: boolean;
}): Gate | undefined {
  const { gates, isApproved, hasStartedAfter, answerTo, absenceIsCertain } = of;
  const last = gates.findLast(isApproved);
  if (last === undefined || !absenceIsCertain || hasStartedAfter(last)) return undefined;
  const { kind } = answerTo(last);
  return kind === 'none' || kind === 'rejected' ? last : undefined;
}
