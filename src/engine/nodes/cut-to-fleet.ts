import type { NodeCommand } from '../../api/nodes/node-plan.ts';
import type { Hold } from '../plan-document.ts';
import type { NodeMember } from './node-members.ts';
import type { ClusterPlan, MostNodes } from './plan-cluster.ts';
import { type FleetContext, holdOfStart, isForced } from './start-commands.ts';

/**
 * The plan of a member, with no more nodes in a command than budgets of the fleet leave, where they leave some: one that is too large
 * would never begin. `holds`: what kept the larger ones. `replan`: plans the member again, with fewer nodes in a command.
 */
export function cutToFleet(
  member: NodeMember,
  plan: ClusterPlan,
  { replan, ...context }: FleetContext & { readonly replan: (most: MostNodes) => ClusterPlan },
): { readonly plan: ClusterPlan; readonly holds: readonly Hold[] } {
  const holds = new Map<string, Hold>();
  let most: MostNodes = {};
  let cut = plan;
  while (member.mode === 'execute') {
    const found = firstTooLarge(member, cut, context);
    if (found === undefined) break;
    most = { ...most, [found.reason]: found.most };
    holds.set(found.reason, found.hold);
    cut = replan(most);
  }
  return { plan: cut, holds: [...holds.values()] };
}

/** What begins before it is admitted only to find it. */
function firstTooLarge(member: NodeMember, { proposed }: ClusterPlan, context: FleetContext) {
  const { limits } = context;
  const begun: NodeCommand[] = [];
  try {
    for (const command of proposed) {
      if (isForced(command, member.pools)) continue;
      const hold = holdOfStart(command, member, context);
      if (hold === undefined) begun.push(command);
      const most = hold?.reason === 'FleetNodeBudget' ? limits.most(member.name, command) : 0;
      if (hold && most > 0) return { reason: command.reason, most, hold };
    }
    return undefined;
  } finally {
    for (const command of begun) limits.withdraw(member.name, command);
  }
}
