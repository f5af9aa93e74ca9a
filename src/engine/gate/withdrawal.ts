import type { Answer } from './answer.ts';

/**
 * The gate whose approval is withdrawn: removing the file takes back the gate passed last, as long as nothing behind it has
 * started (docs/compatibility.md; in KubeFleet an accepted approval stands).
 */
export function withdrawnGate<Gate>(of: {
  /** In the order in which they are met. */
  readonly gates: readonly Gate[];
  readonly isPassed: (gate: Gate) => boolean;
  readonly hasStartedBehind: (gate: Gate) => boolean;
  readonly answerTo: (gate: Gate) => { readonly kind: Answer<unknown>['kind'] | 'foreign' };
  /** False while some file cannot be read: then a missing file withdraws nothing. */
  readonly absenceIsCertain: boolean;
}): Gate | undefined {
  const { gates, isPassed, hasStartedBehind, answerTo, absenceIsCertain } = of;
  const last = gates.findLast(isPassed);
  if (last === undefined || !absenceIsCertain || hasStartedBehind(last)) return undefined;
  const { kind } = answerTo(last);
  return kind === 'none' || kind === 'rejected' ? last : undefined;
}
