import { type Cron, nextHit, parseCron } from '../kernel/cron.ts';
import { civilFromDays, type Instant } from '../kernel/instant.ts';

/** When a budget is active: from each hit of its schedule on, for its duration, in UTC. */
export interface BudgetWindow {
  readonly cron: Cron;
  readonly durationMs: number;
}

const durationPattern = /^(([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?$/;
const minuteMs = 60_000;

/** Milliseconds of a budget's duration, hours and minutes only (`10h5m`, `90m`); undefined for anything else. */
export function budgetDurationMs(text: string): number | undefined {
  if (!durationPattern.test(text)) return undefined;
  const hours = Number(/(\d+)h/.exec(text)?.[1] ?? 0);
  const minutes = Number(/(\d+)m/.exec(text)?.[1] ?? 0);
  return (hours * 60 + minutes) * minuteMs;
}

/** The window of a schedule and a duration; undefined if either cannot be read. */
export function budgetWindow(schedule: string, duration: string): BudgetWindow | undefined {
  const cron = parseCron(schedule);
  const durationMs = budgetDurationMs(duration);
  return cron && durationMs !== undefined ? { cron, durationMs } : undefined;
}

/**
 * The first hit strictly after an instant, as robfig/cron v3 searches it: not beyond the fifth following calendar year. Undefined = it
 * finds none.
 */
export function karpenterNextHit(cron: Cron, after: Instant): Instant | undefined {
  const hit = nextHit(cron, 'UTC', after);
  // It begins one second later.
  return hit !== undefined && yearOf(hit) <= yearOf(after + 1000) + 5 ? hit : undefined;
}

const yearOf = (at: Instant): number => civilFromDays(Math.floor(at / 86_400_000))[0];

/**
 * Whether it is active (core `pkg/apis/v1/nodepool.go`, IsActive): half-open, active at the hit and inactive exactly `duration` later. A
 * schedule without a hit counts as active, because the library's zero time is not after now.
 */
export function isActiveAt({ cron, durationMs }: BudgetWindow, now: Instant): boolean {
  const hit = karpenterNextHit(cron, now - durationMs);
  return hit === undefined || hit <= now;
}

/** The next instant after `now` at which it becomes active or inactive; undefined = never. */
export function changesAfter({ cron, durationMs }: BudgetWindow, now: Instant): Instant | undefined {
  const hit = karpenterNextHit(cron, now - durationMs);
  if (hit === undefined) return undefined;
  if (hit > now) return durationMs === 0 ? undefined : hit;
  // Hits while it is active keep it active.
  let end = hit + durationMs;
  for (let spans = 0; spans < mostSpans; spans++) {
    const next = karpenterNextHit(cron, end - durationMs);
    if (next === undefined || next > end) return end;
    end = next + durationMs;
  }
  return undefined;
}

/** Spans without a gap between them count as endless after this many. */
const mostSpans = 2000;

/** Whether robfig/cron finds no hit at all from an instant on. */
export const neverFires = ({ cron }: BudgetWindow, from: Instant): boolean =>
  karpenterNextHit(cron, from) === undefined;
