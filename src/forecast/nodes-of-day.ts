import type { Timestamp } from '../api/meta.ts';
import { formatInstant, type Instant, parseInstant } from '../engine/kernel/instant.ts';
import { sameValue } from '../engine/kernel/same-value.ts';
import { isNodePool } from '../engine/node-pools/pool.ts';
import { planOf } from '../engine/nodes/nodes-outcome.ts';
import type { PlannedMember } from '../engine/nodes/reused-plan.ts';
import type { PlanResult } from '../engine/plan.ts';
import type { PlannedNodes } from '../engine/plan-document.ts';

/** What may become of nodes at an instant, without a change and with it, if they are then as they are now. */
export interface NodesAt {
  readonly at: Timestamp;
  readonly isNow: boolean;
  readonly before: readonly LeavingNodes[];
  readonly after: readonly LeavingNodes[];
}

export type LeavingNodes = Pick<PlannedNodes, 'clusterName' | 'mode' | 'commands'>;

/** Now, and where the change touches what plans of nodes read, at the next changes of budgets. */
export function nodesOfDay(before: PlanResult, after: PlanResult): readonly NodesAt[] {
  const { input } = after.contents.world;
  const now = { at: input.now, isNow: true, before: before.plan.nodes, after: after.plan.nodes };
  if (sameValue(disruptionIn(before), disruptionIn(after))) return [now];
  const found: NodesAt[] = [now];
  const end = parseInstant(input.now)! + dayMs;
  let [was, is] = [before.nodes, after.nodes];
  while (found.length <= mostInstants) {
    const at = Math.min(...[...was, ...is].flatMap(changesOf));
    if (at > end) break;
    was = plannedAt(before, at);
    is = plannedAt(after, at);
    found.push({
      at: formatInstant(at),
      isNow: false,
      before: was.flatMap(leavingNodes),
      after: is.flatMap(leavingNodes),
    });
  }
  return found;
}

const changesOf = ({ plan }: PlannedMember): Instant[] =>
  (plan?.poolsWith(new Set()) ?? []).flatMap(({ changesAt }) => parseInstant(changesAt ?? '') ?? []);

const plannedAt = ({ nodes, contents: { world } }: PlanResult, at: Instant): readonly PlannedMember[] =>
  nodes.map(({ member }) => ({ member, plan: planOf(member, world, at) }));

const leavingNodes = ({ member: { name, mode }, plan }: PlannedMember): LeavingNodes[] =>
  plan === undefined
    ? []
    : [{ clusterName: name, mode, commands: [...plan.underWay, ...plan.due, ...plan.proposed, ...plan.waiting] }];

const dayMs = 86_400_000;
const mostInstants = 4;

const disruptionIn = ({ contents: { world } }: PlanResult) => {
  const { resources, overrides, config } = world.input.fleet;
  const pools = resources.flatMap(({ manifest }) => (isNodePool(manifest) ? [manifest] : []));
  return [pools, overrides, config?.spec.nodeDisruption];
};
