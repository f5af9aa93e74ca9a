import type { NodeCommand, NodePlan, PlannedPool } from '../../../api/nodes/node-plan.ts';
import { unbounded } from '../../../engine/node-pools/budgets.ts';
import { holdText } from '../../../report/hold-text.ts';
import { money, monthHours } from '../../../report/nodes.ts';
import type { Status } from '../../status/open-status.ts';
import { table } from '../../terminal/table.ts';
import { fields, sentences, titled } from '../page-text.ts';

/** What is planned for a node and why: the command that takes it, or what keeps it. */
export function nodePage(plan: NodePlan, name: string, status: Status): string[] {
  const { mode, commands, blocked, claims, failures } = plan;
  const cluster = plan.metadata.name;
  const claim = claims.find((one) => (one.node ?? one.name) === name);
  const command = commands.find(({ nodes }) => nodes.some((node) => node.name === name));
  const block = blocked.find(({ node }) => node === name);
  const failure = failures.find(({ nodes }) => nodes.includes(name));
  const node = command?.nodes.find((one) => one.name === name);
  return [
    fields([
      ['Name', name],
      ['Cluster', `${cluster} (${mode})`],
      ['Pool', node?.pool ?? claim?.pool ?? block?.pool],
      ['Claim', claim && `${claim.name} (${claim.uid})`],
      ...(claim?.expireAfter === undefined ? [] : [['Expires after', claim.expireAfter] as const]),
      ...(node === undefined ? [] : [['Type', [node.instanceType, node.capacityType, node.zone].join(' ')] as const]),
      ...(node?.drift === undefined ? [] : [['Drift', node.drift] as const]),
      ['State', command ? `${command.phase} ${command.method}` : (block?.reason ?? 'Idle')],
      block && ['Blocked', `${block.message}${block.reasons ? ` (stops ${block.reasons.join(', ')})` : ''}`],
      block?.until === undefined ? undefined : ['Until', block.until],
      failure && ['Rolled back', `${failure.times} times, last: ${failure.cause}; not before ${failure.until}`],
    ]),
    ...(command ? [titled('Command', commandText(command))] : []),
    ...(command && command.pods !== undefined ? [titled('Pods', podTable(command, name))] : []),
    titled('Waits', sentences(waitsOf(cluster, node?.pool ?? claim?.pool, status))),
  ];
}

/** How many nodes of a pool may go now, what takes nodes of it, and what keeps the others. */
export function nodePoolPage(plan: NodePlan, { name, ...pool }: PlannedPool, status: Status): string[] {
  const { mode, commands, blocked, metadata } = plan;
  const reasons = Object.keys(pool.limit) as (keyof PlannedPool['limit'] & string)[];
  const own = commands.filter(({ nodes }) => nodes.some((node) => node.pool === name));
  const kept = blocked.filter((node) => node.pool === name);
  return [
    fields([
      ['Name', name],
      ['Cluster', `${metadata.name} (${mode})`],
      ['Profile', pool.profile],
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
    titled('Commands', own.length === 0 ? '<none>' : own.map(commandText).join('\n\n')),
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

const number = (limit: unknown): string => (limit === unbounded ? 'unbounded' : String(limit));

function commandText({
  id,
  method,
  reason,
  phase,
  since,
  nodes,
  replacements,
  priceBefore,
  priceAfter,
}: NodeCommand): string {
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
            `${one.name}: ${one.instanceType} ${one.capacityType} in ${one.zone}, or ${one.options.slice(1, 4).join(', ') || 'nothing else'}`,
        )
        .join('; '),
    ],
    [
      'Saves',
      saving === undefined
        ? 'unknown: a node has no known price'
        : `${money(saving)} an hour, ${money(saving * monthHours)} a month`,
    ],
  ]);
}

const podTable = ({ pods = [] }: NodeCommand, node: string): string =>
  table(
    ['POD', 'TO'],
    pods
      .filter(({ from }) => from === node)
      .map(({ namespace, name, to }) => [`${namespace}/${name}`, to ?? 'no place is held for it']),
  );

/** Holds of the cluster and of the pool there. */
const waitsOf = (cluster: string, pool: string | undefined, { holds }: Status): string[] =>
  holds
    .filter(
      ({ subject }) =>
        (subject.kind === 'MemberCluster' && subject.name === cluster) ||
        (subject.kind === 'NodePool' && subject.clusterName === cluster && subject.name === pool),
    )
    .map(holdText);
