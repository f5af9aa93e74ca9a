import type { Condition } from '../../../api/meta.ts';
import type { NodeCommand, NodePlan, PlannedPool } from '../../../api/nodes/node-plan.ts';
import { amountOf, isActive, unbounded } from '../../../engine/node-pools/budgets.ts';
import { conditionsOf, textAt } from '../../../engine/node-pools/read-fields.ts';
import type { FleetBudget } from '../../../engine/nodes/fleet-budgets.ts';
import type { Status } from '../../status/open-status.ts';
import { table } from '../../terminal/table.ts';
import { conditionTable, fields, sentences, titled } from '../page-text.ts';
import { eventsAbout, eventTable, type KarpenterEvent } from './events.ts';
import { bindingLines, fleetBudgetTable } from './fleet-budgets.ts';
import { commandText, waitsOf } from './page.ts';

/** How many nodes of a pool may go now, what takes nodes of it, and what keeps the others. */
export function nodePoolPage(plan: NodePlan, { name, ...pool }: PlannedPool, status: Status): string[] {
  const { mode, blocked, metadata } = plan;
  const reasons = Object.keys(pool.limit) as (keyof PlannedPool['limit'] & string)[];
  const own = commandsOf(plan, { name });
  const kept = blocked.filter((node) => node.pool === name);
  const currency = status.nodes?.get(metadata.name)?.plan?.state.market.currency;
  const details = poolDetails(metadata.name, { name }, status);
  return [
    fields([
      ['Name', name],
      ['Cluster', `${metadata.name} (${mode})`],
      ['Profile', pool.profile],
      details?.replicas === undefined ? undefined : ['Static', staticText(details.replicas)],
      ['Nodes', `${pool.nodes}, of which ${pool.disrupting} are not ready or on their way out`],
      ['Next change', pool.changesAt],
    ]),
    titled(
      'Budgets',
      table(
        ['REASON', 'LIMIT', 'ALLOWED'],
        reasons.map((reason) => [reason, number(pool.limit[reason]), number(pool.allowed[reason])]),
      ),
    ),
    ...(details ? detailsText(details, pool) : []),
    titled(
      'Commands',
      own.length === 0 ? '<none>' : own.map((command) => commandText(command, plan, currency)).join('\n\n'),
    ),
    titled(
      'Blocked nodes',
      kept.length === 0
        ? '<none>'
        : table(
            ['NODE', 'REASON', 'UNTIL', 'MESSAGE'],
            kept.map(({ node, reason, until, message }) => [node, reason, until, message]),
          ),
    ),
    titled('Waits', sentences(waitsOf(metadata.name, name, status))),
  ];
}

/** Those that take nodes of the pool. */
export const commandsOf = (
  { commands }: Pick<NodePlan, 'commands'>,
  { name }: Pick<PlannedPool, 'name'>,
): readonly NodeCommand[] => commands.filter(({ nodes }) => nodes.some(({ pool }) => pool === name));

const staticText = (replicas: number): string =>
  `${replicas} ${replicas === 1 ? 'replica' : 'replicas'}, which Karpenter sees to, not gitfleet`;

const number = (limit: unknown): string => (limit === unbounded ? 'unbounded' : String(limit));

/** Each budget of a pool, and what Karpenter says of the pool and its NodeClaims. */
interface PoolDetails {
  /** Of a static pool. */
  readonly replicas?: number;
  /** Absent: one of them cannot be read, so that nothing is allowed. */
  readonly budgets?: readonly {
    readonly nodes: string;
    readonly schedule?: string;
    readonly duration?: string;
    readonly reasons?: readonly string[];
    readonly active: boolean;
    /** Of the nodes that the pool has. */
    readonly allows: number;
  }[];
  /** Those of the fleet that limit the cluster; absent = none does. */
  readonly fleetBudgets?: readonly FleetBudget[];
  readonly conditions: readonly Condition[];
  readonly claims: readonly {
    readonly name: string;
    readonly node?: string;
    readonly conditions: readonly Condition[];
  }[];
  /** About the pool and its claims. */
  readonly events: readonly KarpenterEvent[];
}

/** Known where the plan is made now. */
export function poolDetails(
  cluster: string,
  { name }: Pick<PlannedPool, 'name'>,
  { nodes, now, record }: Status,
): PoolDetails | undefined {
  const known = nodes?.get(cluster);
  const pool = known?.pools.get(name);
  if (known === undefined || pool === undefined) return undefined;
  const planned = [...record.nodes.values()]
    .find(({ metadata }) => metadata.name === cluster)
    ?.pools.find((one) => one.name === name);
  const own = known.live.find(({ kind, metadata }) => kind === 'NodePool' && metadata.name === name);
  const claims = known.live.filter(
    ({ kind, metadata }) => kind === 'NodeClaim' && metadata.labels?.['karpenter.sh/nodepool'] === name,
  );
  return {
    ...(pool.replicas === undefined ? {} : { replicas: pool.replicas }),
    ...(pool.budgets === 'invalid'
      ? {}
      : {
          budgets: pool.budgets.map((budget) => ({
            nodes: budget.nodes,
            ...(budget.schedule === undefined ? {} : { schedule: budget.schedule }),
            ...(budget.duration === undefined ? {} : { duration: budget.duration }),
            ...(budget.reasons === undefined ? {} : { reasons: [...budget.reasons] }),
            active: isActive(budget, now),
            allows: amountOf(budget.nodes, planned?.nodes ?? 0),
          })),
        }),
    ...(known.fleetBudgets.length === 0 ? {} : { fleetBudgets: known.fleetBudgets }),
    conditions: own ? conditionsOf(own) : [],
    claims: claims.map((claim) => {
      const node = textAt(claim, 'status', 'nodeName');
      return { name: claim.metadata.name, ...(node ? { node } : {}), conditions: conditionsOf(claim) };
    }),
    events: eventsAbout(known.live, [
      `NodePool ${name}`,
      ...claims.map(({ metadata }) => `NodeClaim ${metadata.name}`),
    ]),
  };
}

/** Conditions of a NodeClaim that speak of disruption, where they are True. */
const shownTypes = [
  'Consolidatable',
  'Drifted',
  'DisruptionReason',
  'Drained',
  'VolumesDetached',
  'InstanceTerminating',
];

function detailsText(
  { budgets, fleetBudgets, conditions, claims, events }: PoolDetails,
  pool: Pick<PlannedPool, 'nodes' | 'allowed'>,
): string[] {
  const rows = claims.map(({ name, node, conditions: own }) => [
    name,
    node,
    ...shownTypes.map((type) => own.find((condition) => condition.type === type)?.status),
    own.find(({ type, status }) => (type === 'Drifted' || type === 'DisruptionReason') && status === 'True')?.reason,
  ]);
  return [
    titled(
      'Each budget',
      budgets === undefined
        ? 'one of them cannot be read: nothing may be disrupted'
        : table(
            ['NODES', 'SCHEDULE', 'DURATION', 'REASONS', 'ACTIVE', 'ALLOWS'],
            budgets.map(({ nodes, schedule, duration, reasons, active, allows }) => [
              nodes,
              schedule ?? 'always',
              duration,
              reasons === undefined ? 'all' : reasons.join(',') || 'none',
              active ? 'yes' : 'no',
              allows,
            ]),
          ),
    ),
    ...(fleetBudgets === undefined
      ? []
      : [
          titled(
            'Budgets of the fleet',
            [fleetBudgetTable(fleetBudgets), ...bindingLines(pool, fleetBudgets)].join('\n'),
          ),
        ]),
    ...(conditions.length === 0 ? [] : [titled('Conditions', conditionTable(conditions))]),
    ...(rows.length === 0
      ? []
      : [
          titled(
            'Conditions of its NodeClaims',
            table(['NAME', 'NODE', ...shownTypes.map((type) => type.toUpperCase()), 'REASON'], rows),
          ),
        ]),
    ...(conditions.length + rows.length === 0 ? [] : [titled("Karpenter's events", eventTable(events))]),
  ];
}
