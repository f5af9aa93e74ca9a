import type { NodeCommand } from '../../api/nodes/node-plan.ts';
import type { Hold } from '../plan-document.ts';
import type { NodeMember } from './node-members.ts';
import type { ClusterPlan, MostNodes } from './plan-cluster.ts';
import { type FleetContext, holdOfStart, isForced } from './start-commands.ts';

/**
 * The plan of a member, with no more nodes in commands that may begin than limits of the fleet leave: what they keep waits for these
 * commands, and takes neither places for pods nor budgets of pools from them. `holds`: what kept those that are not listed now.
 */
export function cutToFleet(
  member: NodeMember,
  plan: ClusterPlan,
  context: FleetContext,
): { readonly plan: ClusterPlan; readonly holds: readonly Hold[] } {
  const holds = new Map<NodeCommand['reason'], Hold>();
  let most: MostNodes = {};
  let cut = plan;
  while (member.mode === 'execute') {
    const found = firstOverLimits(member, cut, context);
    if (found === undefined || found.most >= (most[found.reason] ?? Number.POSITIVE_INFINITY)) break;
    most = { ...most, [found.reason]: found.most };
    holds.set(found.reason, found.hold);
    cut = plan.within({ most });
  }
  const isListed = (reason: NodeCommand['reason']): boolean => cut.waiting.some((one) => one.reason === reason);
  return { plan: cut, holds: [...holds].flatMap(([reason, hold]) => (isListed(reason) ? [] : [hold])) };
}

/** What begins before it is admitted only to find it. `most`: nodes that may go for its reason. */
function firstOverLimits(member: NodeMember, { proposed }: ClusterPlan, context: FleetContext) {
  const { limits } = context;
  const begun: NodeCommand[] = [];
  try {
    for (const command of proposed) {
      if (isForced(command, member.pools)) continue;
      const { reason } = command;
      const hold = holdOfStart(command, member, context);
      if (hold === undefined) begun.push(command);
      if (hold?.reason !== 'FleetNodeBudget' && hold?.reason !== 'NodeWave') continue;
      const before = begun.reduce((sum, one) => sum + (one.reason === reason ? one.nodes.length : 0), 0);
      return { reason, hold, most: before + (hold.reason === 'NodeWave' ? 0 : limits.most(member.name, command)) };
    }
    return undefined;
  } finally {
    for (const command of begun) limits.withdraw(member.name, command);
  }
}
