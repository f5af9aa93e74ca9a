import type { ClusterName } from '../../api/meta.ts';
import type { CommandNode, NodeCommand, NodePlan, PlannedPool } from '../../api/nodes/node-plan.ts';
import { type Instant, parseInstant } from '../kernel/instant.ts';
import { shortList } from '../kernel/short-list.ts';
import type { Hold, NodeTarget, PlannedNodes } from '../plan-document.ts';
import type { World } from '../world.ts';
import { nodesUnderWay, phaseEnd } from './lifecycle.ts';
import type { NodeMember } from './node-members.ts';
import { byStart, type ClusterPlan, poolEntry } from './plan-cluster.ts';
import { type FleetContext, started, startedInTurn } from './start-commands.ts';
import { targetOf } from './target.ts';

/** What is planned for the nodes of one member. */
export interface MemberOutcome {
  readonly section: PlannedNodes;
  readonly target: NodeTarget;
  readonly holds: readonly Hold[];
  readonly wakes: readonly Instant[];
  readonly document: NodePlan | undefined;
}

/** Begins what the limits of the fleet allow. `plan`: undefined = its nodes are not observed. `holds`: of what is not listed. */
export function memberOutcome(
  member: NodeMember,
  plan: ClusterPlan | undefined,
  context: FleetContext & { readonly now: Instant; readonly holds: readonly Hold[] },
): MemberOutcome {
  if (plan === undefined) return unobserved(member, context);
  const { name: clusterName, mode } = member;
  const { digest } = context.world.input;
  const holds: Hold[] = [...context.holds];
  const underWay = [...plan.underWay, ...plan.due].sort(byStart);
  const commands = [
    ...underWay,
    ...plan.proposed.map((command) => started(command, member, { ...context, holds })),
    ...startedInTurn(plan.waiting, member, { ...context, holds }),
  ];
  const marked = underWay.flatMap(({ nodes }) => nodes.map(({ name }) => name));
  const pools = plan.poolsWith(new Set(marked));
  const leaving = nodesUnderWay(commands);
  const section: PlannedNodes = {
    clusterName,
    mode,
    pools,
    commands: commands.map(shown),
    blocked: plan.blocked,
  };
  const uids = new Set(plan.claims.map(({ uid }) => uid));
  const kept = (member.record?.claims ?? []).filter(
    ({ uid, node }) =>
      !uids.has(uid) &&
      commands.some(({ phase, nodes }) => phase !== 'Proposed' && nodes.some((one) => one.name === node)),
  );
  return {
    section,
    target: targetOf(mode === 'execute' ? commands : [], plan.claims, digest),
    holds: [...holds, ...budgetHolds(plan, pools, clusterName), ...rollbackHolds(plan, clusterName, context.now)],
    wakes: [
      ...plan.wakes,
      ...commands.flatMap((command) => {
        const end = phaseEnd(command, leaving);
        // Only what is older than its deadline has failed.
        return end === undefined ? [] : [command.phase === 'Launching' ? end + 1 : end];
      }),
    ],
    document: {
      apiVersion: 'gitfleet.dev/v1alpha1',
      kind: 'NodePlan',
      metadata: { name: clusterName },
      mode,
      pools: [...pools],
      commands: commands.map((command) => {
        if (command.phase !== 'Proposed') return command;
        const { pods: _, ...rest } = command;
        return { ...rest, nodes: rest.nodes.map(shownNode) };
      }),
      blocked: [...plan.blocked],
      claims: [...plan.claims, ...kept],
      failures: [...plan.evolved.failures],
    },
  };
}

/** Without what only the record remembers. */
const shown = ({ startedAt: _, ...command }: NodeCommand): NodeCommand => ({
  ...command,
  nodes: command.nodes.map(shownNode),
  replacements: command.replacements.map(({ seen: _seen, ...replacement }) => replacement),
});

const shownNode = ({ uid: _, ...node }: CommandNode): CommandNode => node;

function budgetHolds({ state }: ClusterPlan, pools: readonly PlannedPool[], clusterName: ClusterName): Hold[] {
  return pools.flatMap(({ name, changesAt }): Hold[] => {
    const over = [...(state.overBudget.get(name) ?? [])].filter((at) => !state.isTaken(at));
    if (over.length === 0) return [];
    const message = `${over.length} more ${over.length === 1 ? 'node' : 'nodes'} of NodePool ${name} would be disrupted than its budgets allow now`;
    return [
      {
        subject: { kind: 'NodePool', name, clusterName },
        reason: 'NodeBudget',
        message,
        ...(changesAt === undefined ? {} : { until: changesAt }),
      },
    ];
  });
}

const rollbackHolds = ({ evolved, cluster }: ClusterPlan, clusterName: ClusterName, now: Instant): Hold[] =>
  evolved.failures.flatMap(({ nodes, until, cause }): Hold[] => {
    const pool = cluster.nodes.find(({ name }) => nodes.includes(name))?.poolName;
    if (pool === undefined || (parseInstant(until) ?? 0) <= now) return [];
    const message = `the command for ${nodes.join(', ')} was rolled back: ${cause}`;
    return [{ subject: { kind: 'NodePool', name: pool, clusterName }, reason: 'CommandRolledBack', message, until }];
  });

/** What is recorded stands, and so does its target. */
function unobserved(
  member: NodeMember,
  { world, now }: { readonly world: World; readonly now: Instant },
): MemberOutcome {
  const { name: clusterName, mode, pools, record } = member;
  const underWay = mode === 'execute' ? (record?.commands ?? []).filter(({ phase }) => phase !== 'Proposed') : [];
  const known = new Map((record?.pools ?? []).map((pool) => [pool.name, pool]));
  const listed = [...pools.values()].map((pool): PlannedPool => {
    const { nodes = 0, disrupting = 0 } = known.get(pool.name) ?? {};
    return poolEntry(pool, { total: nodes, disrupting }, now);
  });
  return {
    section: {
      clusterName,
      mode,
      pools: listed,
      commands: underWay.map(shown),
      blocked: [],
    },
    target: targetOf(underWay, record?.claims ?? [], world.input.digest),
    holds: [
      {
        subject: { kind: 'MemberCluster', name: clusterName },
        reason: 'NodesNotObserved',
        message: `nothing is planned: ${unread(member, world)}`,
      },
    ],
    wakes: [],
    document: record,
  };
}

function unread({ name }: NodeMember, world: World): string {
  const { notListed = [] } = world.nodesOf(name) ?? {};
  const causes = notListed.length === 0 ? '' : ` (${shortList(notListed)})`;
  return `its nodes and pods were not observed${causes}`;
}
