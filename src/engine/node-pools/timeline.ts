import type { Instant } from '../kernel/instant.ts';
import { type Limits, limitsChangeAt, limitsOf } from './budgets.ts';
import type { Pool } from './pool.ts';

/** From an instant on these limits hold, until the next entry. */
export interface LimitSpan {
  readonly from: Instant;
  readonly limits: Limits;
}

/** The limits of a pool with so many nodes over time, without gaps. `isEndless`: the last entry holds for ever. */
export function limitTimeline(
  pool: Pool,
  total: number,
  { from, until, most = 2000 }: { readonly from: Instant; readonly until: Instant; readonly most?: number },
): { readonly spans: readonly LimitSpan[]; readonly isEndless: boolean } {
  const spans: LimitSpan[] = [{ from, limits: limitsOf(pool, total, from) }];
  while (spans.length < most) {
    const next = limitsChangeAt(pool, total, spans.at(-1)!.from);
    if (next === undefined || next > until) return { spans, isEndless: true };
    spans.push({ from: next, limits: limitsOf(pool, total, next) });
  }
  return { spans, isEndless: false };
}
