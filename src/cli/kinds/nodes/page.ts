import type { NodeCommand, NodePlan } from '../../../api/nodes/node-plan.ts';
import { conditionsOf } from '../../../engine/node-pools/read-fields.ts';
import { explainNode, type NodeExplanation, type ReplacementVerdict } from '../../../engine/nodes/explain-node.ts';
import { holdText } from '../../../report/hold-text.ts';
import { money, monthHours } from '../../../report/money.ts';
import type { Status } from '../../status/open-status.ts';
import { table } from '../../terminal/table.ts';
import { conditionTable, fields, sentences, titled } from '../page-text.ts';
import { eventsAbout, eventTable, type KarpenterEvent } from './events.ts';
import { bindingLines } from './fleet-budgets.ts';

/** What is planned for a node and why: the command that takes it, or what keeps it. */
export function nodePage(plan: NodePlan, name: string, status: Status): string[] {
  const { mode, commands, blocked, claims, failures } = plan;
  const cluster = plan.metadata.name;
  const claim = claims.find((one) => (one.node ?? one.name) === name);
  const command = commands.find(({ nodes }) => nodes.some((node) => node.name === name));
  const block = blocked.find(({ node }) => node === name);
  const failure = failures.find(({ nodes }) => nodes.includes(name));
  const node = command?.nodes.find((one) => one.name === name);
  const known = status.nodes?.get(cluster);
  const explanation = known?.plan && explainNode(known.plan, name);
  const currency = known?.plan?.state.market.currency;
  const seen = node ?? known?.plan?.cluster.nodes.find((one) => one.name === name);
  const live = known?.live.find(({ kind, metadata }) => kind === 'NodeClaim' && metadata.name === claim?.name);
  const poolName = node?.pool ?? claim?.pool ?? block?.pool;
  const pool = plan.pools.find((one) => one.name === poolName);
  const binding = pool ? bindingLines(pool, known?.fleetBudgets ?? []) : [];
  return [
    fields([
      ['Name', name],
      ['Cluster', `${cluster} (${mode})`],
      ['Pool', poolName],
      // The record keeps a node without a NodeClaim as a claim of its own name.
      ...(claim === undefined || claim.name === name ? [] : [['Claim', `${claim.name} (${claim.uid})`] as const]),
      ...(claim?.expireAfter === undefined ? [] : [['Expires after', claim.expireAfter] as const]),
      seen && ['Type', [seen.instanceType, seen.capacityType, seen.zone].filter(Boolean).join(' ')],
      seen && ['Price', seen.price === undefined ? 'not known' : `${money(seen.price, currency)} an hour`],
      ...(node?.drift === undefined ? [] : [['Drift', node.drift] as const]),
      ['State', command ? `${command.phase} ${command.method}` : (block?.reason ?? 'Idle')],
      block && ['Blocked', `${block.message}${block.reasons ? ` (stops ${block.reasons.join(', ')})` : ''}`],
      block?.until === undefined ? undefined : ['Until', block.until],
      failure && ['Rolled back', `${failure.times} times, last: ${failure.cause}; not before ${failure.until}`],
    ]),
    ...(command ? [titled('Command', commandText(command, plan, currency))] : []),
    ...(command && command.pods !== undefined ? [titled('Pods', podTable(command, name, plan))] : []),
    ...(explanation ? explained(explanation, currency) : []),
    ...(live ? [titled('Conditions of its NodeClaim', conditionTable(conditionsOf(live), status.now))] : []),
    ...(live ? [titled("Karpenter's events", eventTable(eventsOfNode(plan, name, status)))] : []),
    ...(binding.length === 0 ? [] : [titled('Budgets of the fleet', sentences(binding))]),
    titled('Waits', sentences(waitsOf(cluster, poolName, status))),
  ];
}

/** About the node and its NodeClaim. */
export function eventsOfNode(
  { metadata, claims }: NodePlan,
  name: string,
  { nodes }: Status,
): readonly KarpenterEvent[] {
  const claim = claims.find((one) => (one.node ?? one.name) === name);
  return eventsAbout(nodes?.get(metadata.name)?.live ?? [], [`Node ${name}`, `NodeClaim ${claim?.name}`]);
}

/** `default-1f2e3d4c (node vm-7)`: what was launched has that name, and its node may have another. */
const withNode = (name: string, { claims }: Pick<NodePlan, 'claims'>): string => {
  const node = claims.find((claim) => claim.name === name)?.node;
  return node === undefined || node === name ? name : `${name} (node ${node})`;
};

export function commandText(
  command: NodeCommand,
  plan: Pick<NodePlan, 'claims'>,
  currency: string | undefined,
): string {
  const { id, method, reason, phase, since, nodes, replacements, priceBefore, priceAfter } = command;
  const saving = priceBefore === undefined ? undefined : priceBefore - priceAfter;
  return fields([
    ['Id', id],
    ['Method', `${method} (${reason})`],
    ['Phase', since === undefined ? phase : `${phase} since ${since}`],
    ['Nodes', nodes.map((node) => node.name).join(', ')],
    [
      'Replacements',
      replacements
        .map(
          (one) =>
            `${withNode(one.name, plan)}: ${one.instanceType} ${one.capacityType} in ${one.zone}, or ${one.options.slice(1, 4).join(', ') || 'nothing else'}`,
        )
        .join('; '),
    ],
    [
      'Saves',
      saving === undefined
        ? 'unknown: a node has no known price'
        : `${money(saving, currency)} an hour, ${money(saving * monthHours, currency)} a month`,
    ],
  ]);
}

function podTable({ pods = [] }: NodeCommand, node: string, plan: Pick<NodePlan, 'claims'>): string {
  const own = pods.filter(({ from }) => from === node);
  if (own.length === 0) return '<none>';
  return table(
    ['POD', 'TO'],
    own.map(({ namespace, name, to }) => [
      `${namespace}/${name}`,
      to === undefined ? 'no place is held for it' : withNode(to, plan),
    ]),
  );
}

/** Every rule in order, and what a simulation without the node answers. */
function explained({ rules, pods, replacement, ...times }: NodeExplanation, currency: string | undefined): string[] {
  const { disruptionCost, drift, expiresAt, consolidatableAt } = times;
  const isOfNoPool = rules.some(
    ({ rule, verdict }) => (rule === 'NoNodePool' || rule === 'UnknownNodePool') && verdict !== 'passed',
  );
  return [
    fields([
      ['Disruption cost', disruptionCost],
      ['Drifted', drift ? `${drift.reason}, since ${drift.since}` : 'no'],
      ['Expires', expiresAt ?? (isOfNoPool ? 'unknown without its NodePool' : 'never')],
      [
        'Consolidation',
        consolidatableAt === undefined
          ? isOfNoPool
            ? 'unknown without its NodePool'
            : 'never'
          : `from ${consolidatableAt} on`,
      ],
    ]),
    titled(
      'Rules',
      table(
        ['RULE', 'VERDICT', 'STOPS', 'UNTIL', 'MESSAGE'],
        rules.map(({ rule, verdict, message, reasons, until }) => [
          rule,
          verdict,
          message === undefined ? undefined : (reasons?.join(',') ?? 'everything'),
          until,
          message,
        ]),
      ),
    ),
    ...(pods === undefined
      ? []
      : [
          titled(
            'Pods without this node',
            pods.length === 0
              ? '<none>'
              : table(
                  ['POD', 'TO'],
                  pods.map(({ namespace, name, to, message }) => [
                    `${namespace}/${name}`,
                    to ?? message ?? 'not tried',
                  ]),
                ),
          ),
        ]),
    ...(replacement === undefined ? [] : [titled('Replacement', replacementText(replacement, currency))]),
  ];
}

const replacementText = (
  { instanceType, capacityType, zone, price, message }: ReplacementVerdict,
  currency: string | undefined,
): string =>
  instanceType === undefined
    ? message
    : `${instanceType} ${capacityType} in ${zone} for ${price === undefined ? 'an unknown price' : `${money(price, currency)} an hour`}: ${message}`;

/** Holds of the cluster and of the pool there. */
export const waitsOf = (cluster: string, pool: string | undefined, { holds }: Status): string[] =>
  holds
    .filter(
      ({ subject, clusters }) =>
        (subject.kind === 'MemberCluster' && subject.name === cluster) ||
        (subject.kind === 'NodePool' &&
          (subject.clusterName === cluster || (clusters ?? []).includes(cluster)) &&
          subject.name === pool),
    )
    .map(holdText);
