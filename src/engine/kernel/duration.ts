import { durationMs, longestDurationMs } from '../../api/longest-duration.ts';

/** Go's duration text, `1h30m`, to milliseconds, at most ten years; undefined for anything else. Units h, m, s, ms. */
export function parseDuration(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?(h|ms|m|s))+$/.test(text)) return undefined;
  // Readers of files refuse what is longer; elsewhere it must neither count as none nor overflow an instant.
  return Math.min(durationMs(text), longestDurationMs);
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
