import type { Problem } from '../../api/problem.ts';
import { formatInstant, type Instant } from '../kernel/instant.ts';
import { amountOf, type Budget, isFor, limitedReasons, limitsChangeAt, limitsOf, unbounded } from './budgets.ts';
import { doNotDisrupt } from './do-not-disrupt.ts';
import type { Pool } from './pool.ts';
import { fieldsAt } from './read-fields.ts';
import { limitTimeline } from './timeline.ts';

const horizonMs = 400 * 86_400_000;
const mostSpans = 20;
/** Four a day over the horizon. */
const mostChanges = 1_600;
/** Any number: whether a budget is zero or absent does not depend on it. */
const someNodes = 100;

interface Span {
  readonly from: string;
  readonly to?: string;
}

interface Lint {
  readonly rule: string;
  readonly message: string;
  readonly fix: string;
  readonly path: string;
  readonly spans?: readonly Span[];
  readonly reasons?: readonly string[];
}

/** What is valid in a pool and probably not meant. `delegate`: Karpenter acts there, not gitfleet. */
export function poolLints(
  pool: Pool,
  { now, isDelegated }: { readonly now: Instant; readonly isDelegated: boolean },
): readonly Problem[] {
  return [...budgetLints(pool, now), ...ofBudgets(pool, now), ...templateLints(pool, isDelegated)].map(
    ({ rule, message, fix, path, spans, reasons }): Problem => ({
      severity: 'warning',
      code: 'node-disruption',
      path,
      message: `NodePool ${pool.name}: ${message}`,
      fix,
      rule,
      ...(spans === undefined ? {} : { spans }),
      ...(reasons === undefined ? {} : { reasons }),
    }),
  );
}

function budgetLints(pool: Pool, now: Instant): Lint[] {
  const { budgets } = pool;
  if (budgets === 'invalid') return [];
  const path = 'spec.disruption.budgets';
  const ahead = new Map<string, Ahead>();
  const byReason = limitedReasons.map((reason) => {
    const own = decisiveOf(budgets.filter((budget) => isFor(budget, reason)));
    const key = own.map((budget) => budgets.indexOf(budget)).join();
    const known = ahead.get(key) ?? lookAhead({ ...pool, budgets: own }, now);
    ahead.set(key, known);
    return { reason, ...known };
  });
  const forever = byReason.flatMap(({ reason, spans, isEndless }) => {
    if (!isEndless || spans.at(-1)!.limits[reason] !== 0) return [];
    const open = spans.findLast(({ limits }) => limits[reason] !== 0);
    const from = open === undefined ? now : spans[spans.indexOf(open) + 1]!.from;
    return [{ reason, spans: [{ from: formatInstant(from) }] }];
  });
  const open = byReason.map(({ reason, spans, isEndless }) => ({
    reason,
    spans: spansOf(spans, isEndless, { holds: ({ limits }) => limits[reason] === unbounded, until: now + horizonMs }),
  }));
  return [
    ...alike(forever).map((one) => ({
      rule: 'NodeBudgetBlocksForever',
      message: `no node may be disrupted${whichOf(one.reasons)} ${spanText(one.spans[0]!, now)}, for ever: the least of all active budgets counts`,
      fix: 'give the budget of zero nodes a schedule and a duration, or remove it',
      path,
      ...one,
    })),
    ...alike(open.filter((one) => one.spans.length > 0)).map((one) => ({
      rule: 'NodeBudgetUnbounded',
      message: `no budget is active${whichOf(one.reasons)} ${spanText(one.spans[0]!, now)}: all nodes may be disrupted at once`,
      fix: 'add a budget without a schedule, for example nodes: "10%"',
      path,
      ...one,
    })),
  ];
}

type Ahead = ReturnType<typeof limitTimeline>;

/**
 * Every change up to the horizon, and the one after it: only where there is none a span never ends. Where one budget is always active and
 * the others open and close for ever, nothing is to be said, and no look at each of 400 days is needed.
 */
function lookAhead(pool: Pool & { readonly budgets: readonly Budget[] }, now: Instant): Ahead {
  const isClosing = pool.budgets.some(({ window }) => window === undefined);
  if (isClosing && limitsChangeAt(pool, someNodes, now + horizonMs) !== undefined)
    return { spans: [], isEndless: false };
  const timeline = limitTimeline(pool, someNodes, { from: now, until: now + horizonMs, most: mostChanges });
  if (!timeline.isEndless) return timeline;
  const end = limitsChangeAt(pool, someNodes, timeline.spans.at(-1)!.from);
  if (end === undefined) return timeline;
  return { spans: [...timeline.spans, { from: end, limits: limitsOf(pool, someNodes, end) }], isEndless: false };
}

/**
 * Of the budgets of a reason those that decide whether its limit is zero or absent: where one of other than zero nodes is always active,
 * only those of zero nodes do. Others may change every minute, and would hide what comes later.
 */
function decisiveOf(budgets: readonly Budget[]): readonly Budget[] {
  const isAlways = ({ window }: Budget): boolean => window === undefined;
  const isZero = ({ nodes }: Budget): boolean => amountOf(nodes, someNodes) === 0;
  if (!budgets.some(isAlways)) return budgets;
  const zero = budgets.find((budget) => isAlways(budget) && isZero(budget));
  return zero ? [zero] : budgets.filter((budget) => isAlways(budget) || isZero(budget));
}

const whichOf = (reasons: readonly string[] | undefined): string =>
  reasons === undefined ? '' : ` for ${reasons.join(', ')}`;

/** Without the instant of the plan, since each plan has another: the status branch holds the text. */
function spanText({ from, to }: Span, now: Instant): string {
  const begins = from === formatInstant(now) ? 'from now' : `from ${from}`;
  return to === undefined ? `${begins} on` : `${begins} to ${to}`;
}

/** Reasons with the same spans together; of all reasons none is named. */
function alike(of: readonly { readonly reason: string; readonly spans: readonly Span[] }[]) {
  return [...Map.groupBy(of, ({ spans }) => JSON.stringify(spans)).values()].map((same) => ({
    spans: same[0]!.spans,
    ...(same.length === limitedReasons.length ? {} : { reasons: same.map(({ reason }) => reason) }),
  })) as { readonly spans: readonly Span[]; readonly reasons?: readonly string[] }[];
}

function spansOf<T extends { readonly from: Instant }>(
  timeline: readonly T[],
  isEndless: boolean,
  { holds, until }: { readonly holds: (entry: T) => boolean; readonly until: Instant },
): readonly Span[] {
  const found: Span[] = [];
  for (let at = 0; at < timeline.length && found.length < mostSpans; at++) {
    if (!holds(timeline[at]!)) continue;
    const from = timeline[at]!.from;
    if (from > until) break;
    while (at + 1 < timeline.length && holds(timeline[at + 1]!)) at++;
    const end = timeline[at + 1];
    if (end === undefined && !isEndless) break;
    found.push({ from: formatInstant(from), ...(end === undefined ? {} : { to: formatInstant(end.from) }) });
  }
  return found;
}

/** Of single budgets. */
function ofBudgets({ budgets }: Pool, now: Instant): Lint[] {
  if (budgets === 'invalid') return [];
  return budgets.flatMap(({ window, reasons, nodes }, at): Lint[] => {
    const path = `spec.disruption.budgets.${at}`;
    return [
      ...(window?.closesAt(now) === Number.POSITIVE_INFINITY && window.opensAfter(now) === undefined
        ? [
            {
              rule: 'NodeBudgetNeverFires',
              message: `the schedule of budget ${at} (nodes ${nodes}) never fires: Karpenter counts it as always active`,
              fix: 'write a schedule that matches a date, or remove schedule and duration',
              path: `${path}.schedule`,
              spans: [{ from: formatInstant(now) }],
              ...(reasons === undefined ? {} : { reasons: [...reasons] }),
            },
          ]
        : []),
      ...(reasons?.size === 0
        ? [
            {
              rule: 'NodeBudgetWithoutReasons',
              message: `budget ${at} (nodes ${nodes}) has an empty list of reasons, so that it limits nothing`,
              fix: 'remove reasons for all of them, or list some',
              path: `${path}.reasons`,
              spans: [{ from: formatInstant(now) }],
            },
          ]
        : []),
    ];
  });
}

function templateLints(pool: Pool, isDelegated: boolean): Lint[] {
  const { template, replicas, limits, profile, expireAfterMs, writesExpireAfter } = pool;
  const most = limits?.get('nodes');
  const isInTemplate = fieldsAt(pool.manifest, 'spec', 'template', 'spec')['expireAfter'] !== undefined;
  const isForceful = profile === 'karpenter-1.14' || isDelegated;
  return [
    ...(template.annotations[doNotDisrupt] === 'true'
      ? [
          {
            rule: 'PoolWideDoNotDisrupt',
            message: `the template has ${doNotDisrupt}: no new node is ever disrupted, and nodes without it count as drifted`,
            fix: 'write a budget of zero nodes instead',
            path: 'spec.template.metadata.annotations',
          },
        ]
      : []),
    ...(replicas !== undefined && most !== undefined && most <= replicas
      ? [
          {
            rule: 'StaticPoolCannotSurge',
            message: `limits.nodes is ${most} and replicas ${replicas}: a drifted node can never be replaced`,
            fix: 'write limits.nodes above replicas',
            path: 'spec.limits.nodes',
          },
        ]
      : []),
    ...(isForceful && writesExpireAfter && expireAfterMs !== undefined
      ? [
          {
            rule: 'ExpiryIsForceful',
            message: `${profile === 'karpenter-1.14' ? '' : 'where Karpenter acts (mode delegate) '}nodes expire at their age, whatever budgets, PodDisruptionBudgets and do-not-disrupt say, and without a replacement first`,
            fix: 'write expireAfter: Never where that must not be',
            path: isInTemplate ? 'spec.template.spec.expireAfter' : 'spec.disruption.expireAfter',
          },
        ]
      : []),
  ];
}
