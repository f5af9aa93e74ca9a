import { placementKey } from '../../api/placement.ts';
import { isFulfilled } from '../../engine/kernel/condition.ts';
import { type Plan, plannedUpgradeRuns } from '../../engine/plan-document.ts';
import { isOver } from '../../engine/update-run.ts';

/** Names of the approvals that the plan waits for. */
export const openApprovals = (plan: Plan): string[] =>
  plan.approvals.flatMap(({ planned, answer }) => (answer === undefined ? placementKey(planned) : []));

/** Nothing moves, nothing waits, nothing is refused, everything is available and every run is over. */
export const isSettled = (plan: Plan): boolean => plan.placements.length > 0 && unfinished(plan).length === 0;

/** What is not done yet, one sentence each. Empty: everything is. */
export function unfinished(plan: Plan): string[] {
  const left = plan.guard.map(({ message }) => `the guard refuses: ${message}`);
  for (const placement of plan.placements) {
    for (const { clusterName, move, conditions } of placement.bindings) {
      const there = isFulfilled(conditions);
      if (move !== 'keep') left.push(`${placement.name} on ${clusterName}: ${move}`);
      else if (!there) left.push(`${placement.name} on ${clusterName} is not available`);
    }
  }
  for (const run of plan.runs) {
    if (!isOver(run.status)) left.push(`run ${run.name} is not over`);
  }
  // One that waits for a maintenance window may wait for days.
  for (const { name, status } of plannedUpgradeRuns(plan)) {
    const { state } = status.status;
    if (state === 'Running' || state === 'Stopping') left.push(`upgrade run ${name} is ${state}`);
  }
  for (const { clusterName, commands } of plan.nodes) {
    for (const { phase, nodes } of commands)
      if (phase !== 'Proposed')
        left.push(`nodes ${nodes.map(({ name }) => name).join(', ')} of ${clusterName}: ${phase}`);
  }
  return left;
}
