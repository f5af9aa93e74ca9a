/** Ten years: longer than any soak, freeze or timeout, and far below what an instant of JavaScript can hold on top of now. */
export const longestDurationHours = 87_600;
export const longestDurationMs = longestDurationHours * 3_600_000;

const unitMs: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** Milliseconds of a duration text that is known to be one, however long. */
export function durationMs(text: string): number {
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s)/g)) total += Number(amount) * unitMs[unit!]!;
  return Math.round(total);
}
