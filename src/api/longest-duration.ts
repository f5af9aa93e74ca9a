/** Ten years: longer than any soak, freeze or timeout, and now plus ten years is a valid Date. */
export const longestDurationHours = 87_600;
export const longestDurationMs = longestDurationHours * 3_600_000;

const unitMs: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** Milliseconds of a valid duration text of any length. */
export function durationMs(text: string): number {
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s)/g)) total += Number(amount) * unitMs[unit!]!;
  return Math.round(total);
}
