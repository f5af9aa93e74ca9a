import { listUpTo } from '../../engine/kernel/short-list.ts';
import type { Forecast } from '../../forecast/forecast.ts';
import type { NodeCommandSpan, NodeForecast, NodeWait } from '../../forecast/node-forecasts.ts';
import { money, monthHours } from '../money.ts';
import type { GanttRow } from './gantt.ts';
import { instantText } from './instant-text.ts';

export const nodeHeadings = ['POOL', 'METHOD', 'NODES', 'START', 'END', 'TIMELINE'];

/** Names in one line. */
const mostNamed = 5;

/** A row of a chart and the cells before it. */
export interface NodeRow extends GanttRow {
  readonly cells: readonly string[];
}

export interface NodePart {
  readonly title: string;
  readonly rows: readonly NodeRow[];
  readonly notes: readonly string[];
}

/** `14 nodes of eu-1 go, which saves 312 EUR a month.`: a sentence for each cluster with nodes that go, or that are not known. */
export function nodeSentences({ nodes }: Pick<Forecast, 'nodes'>): string[] {
  const going = nodes.filter(({ commands }) => commands.length > 0);
  const unknown = nodes.filter(({ isObserved }) => !isObserved).map(({ clusterName }) => clusterName);
  return [
    ...going.map((of) => `${goingText(of)}.`),
    ...(unknown.length === 0
      ? []
      : [`Nodes of ${listUpTo(unknown, mostNamed)} were not observed, and are not forecast (use --observed).`]),
  ];
}

function goingText(of: NodeForecast): string {
  const { clusterName, mode, commands } = of;
  const count = commands.reduce((sum, { nodes }) => sum + nodes.length, 0);
  const verb = mode === 'execute' ? (count === 1 ? 'goes' : 'go') : 'may go';
  return `${count} ${count === 1 ? 'node' : 'nodes'} of ${clusterName} ${verb}${savingText(of)}`;
}

/** Of commands that end by then. */
function savingText({ commands, currency }: NodeForecast): string {
  const saving = commands.reduce((sum, { saving: own = 0, to }) => (to === undefined ? sum : sum + own), 0);
  if (saving < 1e-9) return '';
  return `, which saves ${money(saving * monthHours, currency)} a month`;
}

/** One for each cluster with nodes that go or wait: a row for each pool and method, then what waits and what stays. */
export function nodeParts({ nodes }: Pick<Forecast, 'nodes'>): readonly NodePart[] {
  return nodes.flatMap((of) => {
    if (of.commands.length + of.waits.length === 0) return [];
    return [{ title: titleOf(of), rows: rowsOf(of), notes: [...of.waits.map(waitText), ...blockedText(of)] }];
  });
}

function titleOf(of: NodeForecast): string {
  const { clusterName, commands, mode } = of;
  const what = commands.length === 0 ? 'no node goes' : goingText(of);
  return `Nodes of ${clusterName} (${whoActs[mode]}): ${what.replace(` of ${clusterName}`, '')}`;
}

const whoActs: Readonly<Record<NodeForecast['mode'], string>> = {
  delegate: 'delegate, if Karpenter decides as predicted',
  plan: 'plan, if someone carries it out',
  execute: 'execute',
};

function rowsOf({ commands, waits }: NodeForecast): NodeRow[] {
  const groups = Map.groupBy(commands, (command) => `${poolsOf(command)} ${command.method}`);
  return [...groups.values()].map((of): NodeRow => {
    const pools = poolsOf(of[0]!);
    const ends = of.map(({ to }) => to);
    const from = of[0]!.from;
    const to = ends.every((end) => end !== undefined) ? ends.reduce((a, b) => (b! > a! ? b : a)) : undefined;
    const count = (those: readonly NodeCommandSpan[]) => those.reduce((sum, { nodes }) => sum + nodes.length, 0);
    const done = count(of.filter((span) => span.to !== undefined));
    return {
      cells: [
        pools.join(', '),
        of[0]!.method,
        `${done}/${count(of)}`,
        instantText(from),
        to === undefined ? '' : instantText(to),
      ],
      from,
      ...(to === undefined ? {} : { to }),
      waits: waits.filter((wait) => wait.pool === undefined || pools.includes(wait.pool)).flatMap(asWindow),
      clusters: of,
    };
  });
}

/** One command may take empty nodes of several. */
const poolsOf = ({ nodes }: NodeCommandSpan): readonly string[] => [...new Set(nodes.map(({ pool }) => pool))];

const asWindow = ({ from, to }: NodeWait) => [{ kind: 'window' as const, from, ...(to === undefined ? {} : { to }) }];

function waitText({ from, to, message }: NodeWait): string {
  const span = to === undefined ? `from ${instantText(from)} on` : `${instantText(from)} to ${instantText(to)}`;
  return `${span}: ${message}`;
}

/** A line for each reason. */
const blockedText = ({ blocked }: NodeForecast): string[] =>
  [...Map.groupBy(blocked, ({ reason }) => reason)].map(([reason, of]) => {
    const names = listUpTo(
      of.map(({ node, until }) => (until === undefined ? node : `${node} (until ${instantText(until)})`)),
      mostNamed,
    );
    return `at the end ${reason} keeps ${names}`;
  });

export const nodeCommandHeadings = ['START', 'END', 'METHOD', 'CLUSTER', 'POOL', 'NODES', 'REPLACED BY'];

/** Every command, in order of its start. */
export const nodeCommandRows = ({ nodes }: Pick<Forecast, 'nodes'>): readonly (readonly string[])[] =>
  nodes
    .flatMap(({ clusterName, commands }) => commands.map((command) => ({ clusterName, command })))
    .sort((a, b) => a.command.from.localeCompare(b.command.from))
    .map(({ clusterName, command }) => ({ clusterName, ...command, pools: poolsOf(command) }))
    .map(({ clusterName, from, to, method, nodes: own, replacements, pools }) => [
      instantText(from),
      to === undefined ? '' : instantText(to),
      method,
      clusterName,
      pools.join(', '),
      listUpTo(
        own.map(({ name }) => name),
        mostNamed,
      ),
      listUpTo(
        replacements.map(({ instanceType, capacityType, zone }) => `${instanceType} ${capacityType} in ${zone}`),
        2,
      ),
    ]);
