const units: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** Go's duration text, `1h30m`, to milliseconds; undefined for anything else. Units h, m, s, ms. */
export function parseDuration(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?(h|ms|m|s))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s)/g)) total += Number(amount) * units[unit!]!;
  return Math.round(total);
}

/** Go's form: `1h0m0s`, `5m0s`, `30s`, `1.5s`, `0s`. */
export function formatDuration(ms: number): string {
  const seconds = ms / 1000;
  const h = Math.floor(seconds / 3600);
  const m = Math.floor(seconds / 60) % 60;
  const s = Number((seconds - h * 3600 - m * 60).toFixed(3));
  if (h > 0) return `${h}h${m}m${s}s`;
  return m > 0 ? `${m}m${s}s` : `${s}s`;
}
