import type { Instant } from '../kernel/instant.ts';

/** When something recurs. Instants are whole seconds. */
export interface Schedule {
  /** The last hit at an instant or before it; undefined = there was none. */
  readonly last: (at: Instant) => Instant | undefined;
  /** The first hit after an instant; undefined = never again. */
  readonly next: (after: Instant) => Instant | undefined;
}

/** Spans of time, each `[opens, closes)`: open at its first instant, closed at its end. */
export interface Window {
  /** When the span that holds the instant ends; undefined = the window is closed then. */
  readonly closesAt: (instant: Instant) => Instant | undefined;
  /** When the next span begins, after the instant; undefined = never again. */
  readonly opensAfter: (instant: Instant) => Instant | undefined;
}

/** Open from every hit of the schedule for as long as `ms`. Hits that come while it is open keep it open for as long anew. */
export const windowOf = ({ last, next }: Schedule, ms: number): Window => ({
  closesAt(instant) {
    const opened = last(instant);
    return opened !== undefined && opened + ms > instant ? opened + ms : undefined;
  },
  opensAfter: next,
});

/** Spans that follow one another without a gap are one; after so many they are taken to go on for ever. */
const mostSpans = 1000;

/** When none of the windows is open any more, seen from `now`: `now` itself where none is; undefined = they leave no gap. */
export function allClosedAt(windows: readonly Window[], now: Instant): Instant | undefined {
  let end = now;
  for (let count = 0; count < mostSpans; count++) {
    const later = windows.flatMap((window) => window.closesAt(end) ?? []);
    if (later.length === 0) return end;
    end = Math.max(...later);
  }
  return undefined;
}

/** When the first of the windows opens next; undefined = none ever does. */
export function firstOpening(windows: readonly Window[], after: Instant): Instant | undefined {
  const openings = windows.flatMap((window) => window.opensAfter(after) ?? []);
  return openings.length === 0 ? undefined : Math.min(...openings);
}
