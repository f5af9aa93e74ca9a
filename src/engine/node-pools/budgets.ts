import type { Instant } from '../kernel/instant.ts';
import { allClosedAt, firstOpening, type Window } from '../window/window.ts';
import { budgetWindow } from './budget-window.ts';

/** Why a node may go, in the words of budgets. Expired is limited under the profile karpenter-v1beta1 only. */
export const limitedReasons = ['Empty', 'Drifted', 'Underutilized'] as const;
export type BudgetReason = (typeof limitedReasons)[number];
export type DisruptionReason = BudgetReason | 'Expired';

/** No budget is active: Karpenter's number for it. */
export const unbounded = 2_147_483_647;

export interface Budget {
  readonly nodes: string;
  /** Undefined = always active. */
  readonly window: Window | undefined;
  /** The window as it is written. */
  readonly schedule?: string;
  readonly duration?: string;
  /** Undefined = all. */
  readonly reasons: ReadonlySet<string> | undefined;
}

/** Of a pool whose list has a budget that cannot be read: Karpenter allows nothing then, whatever the others say. */
export type Budgets = readonly Budget[] | 'invalid';

const amountPattern = /^((100|[0-9]{1,2})%|[0-9]+)$/;

/** The default of a pool that has no list of budgets. An explicitly empty list limits nothing. */
export const defaultBudgets: readonly Budget[] = [{ nodes: '10%', window: undefined, reasons: undefined }];

/** The budgets as far as they can be read: `budgets` of a NodePool, of any shape. */
export function readBudgets(written: unknown): Budgets {
  if (written === undefined || written === null) return defaultBudgets;
  if (!Array.isArray(written)) return 'invalid';
  const budgets = written.map(readBudget);
  return budgets.includes(undefined) ? 'invalid' : (budgets as Budget[]);
}

function readBudget(written: unknown): Budget | undefined {
  if (typeof written !== 'object' || written === null) return undefined;
  const fields = written as Readonly<Record<string, unknown>>;
  // Null is absent, as the API server reads it.
  const [schedule, duration, reasons] = [
    fields['schedule'] ?? undefined,
    fields['duration'] ?? undefined,
    fields['reasons'] ?? undefined,
  ];
  const nodes = fields['nodes'] ?? '10%';
  if (typeof nodes !== 'string' || !amountPattern.test(nodes)) return undefined;
  if (reasons !== undefined && !(Array.isArray(reasons) && reasons.every(isReason))) return undefined;
  const isFor = reasons === undefined ? undefined : new Set(reasons as readonly string[]);
  if (schedule === undefined && duration === undefined) return { nodes, window: undefined, reasons: isFor };
  if (typeof schedule !== 'string' || typeof duration !== 'string') return undefined;
  const window = budgetWindow(schedule, duration);
  return window && { nodes, window, schedule, duration, reasons: isFor };
}

const isReason = (word: unknown): boolean => limitedReasons.some((reason) => reason === word);

/** Of `total` nodes: a percentage is rounded up, a number may exceed them. */
export const amountOf = (nodes: string, total: number): number =>
  nodes.endsWith('%') ? Math.ceil((Number(nodes.slice(0, -1)) * total) / 100) : Math.min(Number(nodes), unbounded);

/** The least active budget of a reason; `unbounded` where none is. Expired is limited by budgets without reasons. */
export const limitOf = (budgets: Budgets, reason: DisruptionReason, total: number, now: Instant): number =>
  leastOf(activeOf(budgets, now), reason, total);

const activeOf = (budgets: Budgets, now: Instant): Budgets =>
  budgets === 'invalid' ? budgets : budgets.filter((budget) => isActive(budget, now));

function leastOf(active: Budgets, reason: DisruptionReason, total: number): number {
  if (active === 'invalid') return 0;
  let least = unbounded;
  for (const budget of active) if (isFor(budget, reason)) least = Math.min(least, amountOf(budget.nodes, total));
  return least;
}

export const isFor = ({ reasons }: Budget, reason: DisruptionReason): boolean => reasons?.has(reason) ?? true;

export const isActive = ({ window }: Budget, now: Instant): boolean =>
  window === undefined || window.closesAt(now) !== undefined;

/** What of a limit is left; an unbounded one stays so. */
export const remainingOf = (limit: number, disrupting: number): number =>
  limit === unbounded ? unbounded : Math.max(0, limit - disrupting);

export type Limits = Readonly<Record<BudgetReason, number>> & { readonly Expired?: number };

/** The limits of all reasons that the pool's budgets limit. */
export function limitsOf(
  { budgets, profile }: { readonly budgets: Budgets; readonly profile: string },
  total: number,
  now: Instant,
): Limits {
  const active = activeOf(budgets, now);
  const limit = (reason: DisruptionReason): number => leastOf(active, reason, total);
  return {
    Empty: limit('Empty'),
    Drifted: limit('Drifted'),
    Underutilized: limit('Underutilized'),
    ...(profile === 'karpenter-v1beta1' ? { Expired: limit('Expired') } : {}),
  };
}

/** The first instant after `now` at which time alone changes a limit, `total` being equal. Undefined = none ever does. */
export function limitsChangeAt(
  pool: { readonly budgets: Budgets; readonly profile: string },
  total: number,
  now: Instant,
): Instant | undefined {
  const { budgets } = pool;
  if (budgets === 'invalid') return undefined;
  const limits = Object.entries(limitsOf(pool, total, now)) as [DisruptionReason, number][];
  const areAlike = budgets.every(({ reasons }) => reasons === undefined);
  const changes = (areAlike ? limits.slice(0, 1) : limits).flatMap(([reason, limit]) => {
    const own = budgets.filter((budget) => isFor(budget, reason));
    return changeAfter({ budgets: own, total, limit }, now) ?? [];
  });
  return changes.length === 0 ? undefined : Math.min(...changes);
}

/**
 * A limit changes when a lower budget opens, or the last that is as low closes. Windows of other budgets may open and close thousands of
 * times before that, and are not looked at.
 */
function changeAfter(
  { budgets, total, limit }: { readonly budgets: readonly Budget[]; readonly total: number; readonly limit: number },
  now: Instant,
): Instant | undefined {
  const lower = budgets.filter(({ nodes }) => amountOf(nodes, total) < limit);
  const opens = firstOpening(windowsOf(lower), now);
  const equal = budgets.filter(({ nodes }) => amountOf(nodes, total) === limit);
  if (limit === unbounded || equal.some(({ window }) => window === undefined)) return opens;
  const closes = allClosedAt(windowsOf(equal), now);
  return opens === undefined || closes === undefined ? (opens ?? closes) : Math.min(opens, closes);
}

const windowsOf = (budgets: readonly Budget[]): readonly Window[] => budgets.flatMap(({ window }) => window ?? []);
