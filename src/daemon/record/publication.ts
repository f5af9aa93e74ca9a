import type { Plan } from '../../engine/plan-document.ts';
import { type DaemonMemory, writeDaemonMemory } from '../../repo/record/daemon-memory.ts';
import { unknownFolderOf } from '../../repo/record/path.ts';
import { renderRecord } from '../../repo/record/write.ts';
import { type DashboardInput, renderDashboard } from '../../report/dashboard/dashboard.ts';
import { inForce } from '../../report/in-force.ts';
import { summaryOf } from '../../report/summary.ts';

/** Everything the status branch should hold after this plan. A refused plan changes only what tells about the refusal. Folders that a
 * newer gitfleet wrote stay. */
export function statusFiles(
  plan: Plan,
  before: ReadonlyMap<string, string>,
  beside: DashboardInput,
): Map<string, string> {
  if (plan.guard.length > 0) return new Map([...before, ...told(plan, beside)]);
  const ofOthers = [...before].filter(([path]) => unknownFolderOf(path) !== undefined);
  return new Map([...ofOthers, ...wholeRecord(plan, beside)]);
}

/** The record and what tells about it, whether the guard lets it pass or not. */
export const wholeRecord = (plan: Plan, beside: DashboardInput): Map<string, string> =>
  new Map([...renderRecord(plan.record), ...told(plan, beside)]);

const told = (plan: Plan, beside: DashboardInput): Map<string, string> =>
  new Map([
    ...renderRecord(
      new Map([
        ['daemon.yaml', { kind: 'object', value: writeDaemonMemory(memoryOf(plan, beside)) }],
        ['summary.yaml', { kind: 'object', value: summaryOf(plan, beside) }],
      ]),
    ),
    ['README.md', renderDashboard(plan, beside)],
  ]);

const memoryOf = (plan: Plan, { unreachable, before, fleet }: DashboardInput): DaemonMemory => {
  const { commit, holds, holdCount } = inForce(plan, { before, fleet });
  return { commit: plan.commit, silent: unreachable, inEffect: { commit, holds, holdCount } };
};

/** True when publishing lets something move on a member: that does not wait for more news. */
export const startsSomething = (plan: Plan): boolean =>
  plan.guard.length > 0 ||
  plan.placements.some(({ bindings }) =>
    bindings.some(({ move }) => move === 'add' || move === 'update' || move === 'remove'),
  );
