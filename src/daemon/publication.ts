import type { Plan } from '../engine/plan-document.ts';
import { renderDashboard, summaryOf } from '../repo/dashboard.ts';
import { renderRecord } from '../repo/record-write.ts';
import type { StatusTip } from './ports.ts';

/** Everything the status branch should hold after this plan. A refused plan changes only what tells about the refusal. */
export function statusFiles(plan: Plan, base: StatusTip, links: { readonly branch: string }): Map<string, string> {
  return plan.guard.length > 0 ? new Map([...base.files, ...told(plan, links)]) : wholeRecord(plan, links);
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

/** Subject of a status commit: what a reader of `git log` wants to know, no ages and no counts that change by themselves. */
export function statusMessage(before: Plan | undefined, plan: Plan): string {
  const said: string[] = [];
  for (const placement of plan.placements) {
    const name = placement.namespace ? `${placement.namespace}/${placement.name}` : placement.name;
    const moved = placement.bindings.filter(({ move }) => move === 'add' || move === 'update' || move === 'remove');
    if (moved.length > 0)
      said.push(`${name}: ${verb(moved.map(({ move }) => move))} ${list(moved.map(({ clusterName }) => clusterName))}`);
    else {
      const arrived = placement.bindings.filter(({ clusterName, conditions }) => {
        const was = before?.placements.find(
          (old) => old.kind === placement.kind && old.name === placement.name && old.namespace === placement.namespace,
        );
        const is = (of: readonly { readonly type: string; readonly status: string }[] | undefined) =>
          of?.some(({ type, status }) => type === 'Available' && status === 'True') ?? false;
        return is(conditions) && !is(was?.bindings.find((binding) => binding.clusterName === clusterName)?.conditions);
      });
      if (arrived.length > 0) said.push(`${name}: available on ${list(arrived.map(({ clusterName }) => clusterName))}`);
    }
  }
  if (plan.guard.length > 0) said.unshift(`refused: ${plan.guard[0]!.message}`);
  for (const approval of plan.approvals) {
    const waits = !approval.status.conditions.some(({ type, status }) => type === 'Approved' && status === 'True');
    const known = before?.approvals.some((old) => old.name === approval.name && old.namespace === approval.namespace);
    if (waits && !known) said.push(`${approval.name}: waiting for approval`);
  }
  const subject =
    said.length === 0
      ? 'Update status'
      : said.slice(0, 3).join('; ') + (said.length > 3 ? `; and ${said.length - 3} more` : '');
  return [
    subject.length > 100 ? `${subject.slice(0, 99)}…` : subject,
    '',
    ...(subject.length > 100 || said.length > 3 ? [...said, ''] : []),
    '[skip ci]',
    '',
    `Gitfleet-Commit: ${plan.commit}`,
    `Gitfleet-Plan: ${plan.digest}`,
  ].join('\n');
}

const verb = (moves: readonly string[]): string => {
  const kinds = new Set(moves);
  if (kinds.size > 1) return 'change';
  return kinds.has('add') ? 'install on' : kinds.has('update') ? 'update' : 'remove from';
};

const list = (names: readonly string[]): string =>
  names.length > 5 ? `${names.slice(0, 4).join(', ')} and ${names.length - 4} more` : names.join(', ');
