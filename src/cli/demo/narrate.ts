import type { PassResult, ReportedFleet } from '../../daemon/pass/pass-result.ts';
import type { FleetRecord } from '../../engine/input.ts';
import { memoize } from '../../engine/kernel/memoize.ts';
import type { Plan } from '../../engine/plan-document.ts';
import { readRecord } from '../../repo/record/read.ts';
import { packRecord } from '../../repo/record/write.ts';
import type { TimelineEntry } from '../../report/event-source.ts';
import { timelineOf } from '../../report/events.ts';
import { currenciesOf } from '../../report/money.ts';

/**
 * What is new in `plan` compared with the plan before: decisions, moves, clusters that became available, waits, problems. The first
 * plan is compared with the record at the `start`, which also stands for that of a plan that has none: while every plan since the start
 * was refused, what was recorded is in effect.
 */
export const narrate = (
  earlier: Plan | undefined,
  plan: Plan,
  {
    start = readRecord(new Map()).record,
    fleet,
  }: { readonly start?: FleetRecord | undefined; readonly fleet?: ReportedFleet } = {},
): readonly TimelineEntry[] => {
  const inEffect = (of: Plan | undefined): FleetRecord => (of && of.record.size > 0 ? recordOf(of) : start);
  return timelineOf({
    before: inEffect(earlier),
    after: inEffect(plan),
    plan,
    earlier,
    currencies: fleet && currenciesOf(fleet),
  });
};

const recordOf = memoize(({ record }: Plan) => readRecord(packRecord(record), record).record);

/** The plan in effect after a reconciliation: the earlier one if the plan is refused, with the reasons for that. */
export function planInEffect(
  before: Plan | undefined,
  { kind, plan }: Pick<Extract<PassResult, { plan: Plan }>, 'kind' | 'plan'>,
): Plan {
  if (kind !== 'refused') return plan;
  const { guard, problems } = plan;
  return { ...(before ?? emptied(plan)), guard, problems };
}

const emptied = (plan: Plan): Plan => ({
  ...(Object.fromEntries(
    Object.entries(plan).map(([field, value]) => [field, Array.isArray(value) ? [] : value]),
  ) as unknown as Plan),
  record: new Map(),
});
