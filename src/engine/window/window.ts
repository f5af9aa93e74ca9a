import type { Instant } from '../kernel/instant.ts';

/** Recurring instants, in whole seconds. */
export interface Schedule {
  /** The last hit at an instant or before it; undefined = there was none. */
  readonly last: (at: Instant) => Instant | undefined;
  /** The first hit after an instant; undefined = never again. */
  readonly next: (after: Instant) => Instant | undefined;
}

/** Recurring spans of time, each open at its first instant and closed at its end. */
export interface Window {
  /** When a span that contains the instant ends, Infinity = never; undefined = the window is closed at the instant. */
  readonly closesAt: (instant: Instant) => Instant | undefined;
  /** When the next span starts, after the instant; undefined = never again. */
  readonly opensAfter: (instant: Instant) => Instant | undefined;
}

/** A window that opens at every hit of the schedule, for `ms`. A hit while it is open keeps it open for `ms` from then. */
export const windowOf = ({ last, next }: Schedule, ms: number): Window => ({
  closesAt(instant) {
    const opened = last(instant);
    return opened !== undefined && opened + ms > instant ? opened + ms : undefined;
  },
  opensAfter: next,
});

/**
 * Spans without a gap between them count as one; after this many, or so long, they count as endless. Dates and weekdays recur after 28
 * years.
 */
const mostSpans = 2000;
const longestMs = 40 * 366 * 86_400_000;

/** The first instant from `now` on at which no window is open; undefined = there is none. */
export function allClosedAt(windows: readonly Window[], now: Instant): Instant | undefined {
  let end = now;
  for (let count = 0; count < mostSpans; count++) {
    const before = end;
    for (const window of windows) {
      end = window.closesAt(end) ?? end;
      if (end - now > longestMs) return undefined;
    }
    if (end === before) return end;
  }
  return undefined;
}

/** When the first of the windows opens next; undefined = none ever does. */
export function firstOpening(windows: readonly Window[], after: Instant): Instant | undefined {
  const openings = windows.flatMap((window) => window.opensAfter(after) ?? []);
  return openings.length === 0 ? undefined : Math.min(...openings);
}

/** When a window opens or closes next; undefined = never again. */
export const changesAfter = (window: Window, now: Instant): Instant | undefined =>
  window.closesAt(now) === undefined ? window.opensAfter(now) : allClosedAt([window], now);
