import type { Plan } from '../engine/plan-document.ts';
import { renderDashboard, summaryOf } from '../repo/dashboard.ts';
import { renderRecord } from '../repo/record-write.ts';

/** Everything the status branch should hold after this plan. A refused plan changes only what tells about the refusal. */
export function statusFiles(
  plan: Plan,
  before: ReadonlyMap<string, string>,
  links: { readonly branch: string },
): Map<string, string> {
  return plan.guard.length > 0 ? new Map([...before, ...told(plan, links)]) : wholeRecord(plan, links);
}

/** The record and what tells about it, whether the guard lets it pass or not. */
export const wholeRecord = (plan: Plan, links: { readonly branch: string }): Map<string, string> =>
  new Map([...renderRecord(plan.record), ...told(plan, links)]);

const told = (plan: Plan, links: { readonly branch: string }): Map<string, string> =>
  new Map([
    ...renderRecord(new Map([['summary.yaml', { kind: 'object', value: summaryOf(plan) }]])),
    ['README.md', renderDashboard(plan, links)],
  ]);

/** True when publishing lets something move on a member: that does not wait for more news. */
export const startsSomething = (plan: Plan): boolean =>
  plan.guard.length > 0 ||
  plan.placements.some(({ bindings }) =>
    bindings.some(({ move }) => move === 'add' || move === 'update' || move === 'remove'),
  );
