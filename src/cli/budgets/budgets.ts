import type { PlannedPool } from '../../api/nodes/node-plan.ts';
import { nodeObjects } from '../../engine/delivery/node-pools.ts';
import { parseDuration } from '../../engine/kernel/duration.ts';
import { formatInstant, type Instant, parseInstant } from '../../engine/kernel/instant.ts';
import { type Limits, limitedReasons, remainingOf, unbounded } from '../../engine/node-pools/budgets.ts';
import { limitTimeline } from '../../engine/node-pools/timeline.ts';
import { type FleetBudget, fleetBudgets } from '../../engine/nodes/fleet-budgets.ts';
import { nodeMembers } from '../../engine/nodes/node-members.ts';
import { planFleet } from '../../engine/plan.ts';
import { bindingLines, fleetBudgetTable } from '../kinds/nodes/fleet-budgets.ts';
import { type PlanOptions, readPlanInput } from '../plan/input.ts';
import { CliError } from '../terminal/exit.ts';
import { outputFormat, print, printJson, printYaml } from '../terminal/output.ts';
import { table } from '../terminal/table.ts';
import { unknownName } from '../terminal/unknown-name.ts';
import { writeError } from '../terminal/write.ts';

interface Span {
  readonly from: string;
  readonly to?: string;
  readonly limit: Limits;
  readonly allowed: Limits;
}

interface PoolTimeline extends Pick<PlannedPool, 'name' | 'nodes' | 'disrupting'> {
  readonly spans: readonly Span[];
}

/** How many nodes of each pool of a cluster may be disrupted, at an instant or over time. */
export async function budgets(
  cluster: string,
  options: PlanOptions & {
    readonly pool?: string;
    readonly at?: string;
    readonly next?: string;
    readonly output: string;
  },
): Promise<void> {
  const format = outputFormat(options.output, ['table', 'json', 'yaml']);
  if (options.at !== undefined && options.next !== undefined)
    throw new CliError('--at and --next exclude each other: leave one out');
  const input = await readPlanInput(options);
  const { plan, contents, parts, nodes } = planFleet(input);
  const member = nodeMembers(contents.world, nodeObjects(parts.outcomes, contents.world)).find(
    ({ name }) => name === cluster,
  );
  if (!input.fleet.members.some(({ metadata }) => metadata.name === cluster))
    throw unknownName({
      what: 'cluster',
      name: cluster,
      known: input.fleet.members.map(({ metadata }) => metadata.name),
    });
  const planned = plan.nodes.find(({ clusterName }) => clusterName === cluster)?.pools ?? [];
  if (options.pool !== undefined && !planned.some(({ name }) => name === options.pool))
    throw unknownName({ what: 'pool', name: options.pool, known: planned.map(({ name }) => name), flag: '--pool' });
  const window = windowOf(options, parseInstant(input.now)!);
  const pools = planned
    .filter(({ name }) => options.pool === undefined || name === options.pool)
    .map(({ name, nodes, disrupting }): PoolTimeline => {
      const { spans } = limitTimeline(member!.pools.get(name)!, nodes, {
        ...window,
        most: window.isInstant ? 2 : Number.POSITIVE_INFINITY,
      });
      const shown = window.isInstant ? spans.slice(0, 1) : spans.filter(({ from }) => from < window.until);
      return {
        name,
        nodes,
        disrupting,
        spans: shown.map(({ from, limits }, at) => ({
          from: formatInstant(from),
          ...endOf(spans[at + 1]?.from, window),
          limit: limits,
          allowed: Object.fromEntries(
            Object.entries(limits).map(([reason, limit]) => [reason, remainingOf(limit, disrupting)]),
          ) as unknown as Limits,
        })),
      };
    });
  const ofFleet = fleetBudgets({ planned: nodes, world: contents.world }, window.from)(cluster);
  const document = {
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'BudgetTimeline',
    clusterName: cluster,
    pools,
    ...(ofFleet.length === 0 ? {} : { fleetBudgets: ofFleet }),
  };
  if (format === 'json') return printJson(document);
  if (format === 'yaml') return printYaml(document);
  // Percentages of nodes that are not known would read as budgets of zero.
  if (plan.holds.some(({ reason, subject }) => reason === 'NodesNotObserved' && subject.name === cluster))
    writeError(`nodes of ${cluster} were not observed: their number is that of the record (use --observed)\n`);
  if (pools.length === 0) return print(`no NodePool is on ${cluster}`);
  print([...pools.map((pool) => asTable(pool, window)), ...fleetText(ofFleet, pools)].join('\n\n'));
}

/** They bind besides those of the pools, which the spans count alone. */
function fleetText(budgets: readonly FleetBudget[], pools: readonly PoolTimeline[]): string[] {
  if (budgets.length === 0) return [];
  const binding = pools.flatMap(({ name, nodes, spans }) =>
    bindingLines({ nodes, allowed: spans[0]!.allowed }, budgets).map((line) => `${name}: ${line}`),
  );
  return [
    [
      `Budgets of the fleet (spec.nodeDisruption of FleetConfig) bind as well, at ${pools[0]?.spans[0]?.from}:`,
      fleetBudgetTable(budgets),
      ...binding,
    ].join('\n'),
  ];
}

interface Range {
  readonly from: Instant;
  readonly until: Instant;
  readonly isInstant: boolean;
}

function windowOf({ at, next }: { readonly at?: string; readonly next?: string }, now: Instant): Range {
  if (at !== undefined) {
    const from = parseInstant(at);
    if (from === undefined)
      throw new CliError(`--at ${at} is no RFC 3339 instant: write for example 2026-11-20T10:00:00Z`);
    // One span: that of the instant, as long as it lasts.
    return { from, until: from + 400 * 86_400_000, isInstant: true };
  }
  const text = next ?? '24h';
  const days = /^(\d+)d$/.exec(text);
  const length = days ? Number(days[1]) * 86_400_000 : parseDuration(text);
  if (!length || length > 400 * 86_400_000)
    throw new CliError(`--next ${text} is not a duration up to 400d: write for example 7d or 36h`);
  return { from: now, until: now + length, isInstant: false };
}

/** Absent: the span that holds an instant does not end within the time that is looked at. */
function endOf(next: Instant | undefined, { until, isInstant }: Range): Pick<Span, 'to'> {
  if (next === undefined && isInstant) return {};
  return { to: formatInstant(next ?? until) };
}

function asTable({ name, nodes, disrupting, spans }: PoolTimeline, { from, until, isInstant }: Range): string {
  const rows = spans.map(({ from: begin, to, allowed }) => [
    begin,
    to ?? '-',
    ...limitedReasons.map((reason) => number(allowed[reason])),
  ]);
  const head = `${name}: ${nodes} ${nodes === 1 ? 'node' : 'nodes'}, ${disrupting} disrupting`;
  const chart = isInstant ? [] : hourChart(spans, { from, until });
  return [head, ...chart, table(['FROM', 'TO', ...limitedReasons.map((reason) => reason.toUpperCase())], rows)].join(
    '\n',
  );
}

const number = (allowed: number): string => (allowed === unbounded ? 'unbounded' : String(allowed));

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const ruler = '0     6     12    18    ';

/** A line for each day, at most eight, with a character for each hour: how many may go at least, for whatever reason is limited most. */
function hourChart(spans: readonly Span[], { from, until }: Pick<Range, 'from' | 'until'>): string[] {
  const first = Math.floor(from / dayMs) * dayMs;
  const end = Math.min(until, from + 7 * dayMs);
  const known = spans.map((span) => ({
    from: parseInstant(span.from)!,
    to: parseInstant(span.to ?? '') ?? until,
    least: Math.min(...limitedReasons.map((reason) => span.allowed[reason])),
  }));
  const cell = (hour: Instant): string => {
    const within = known.filter((span) => span.from < Math.min(hour + hourMs, end) && span.to > Math.max(hour, from));
    const least = Math.min(...within.map((span) => span.least));
    return within.length === 0 ? ' ' : least === unbounded ? '∞' : least > 9 ? '+' : String(least);
  };
  const days = Array.from({ length: Math.ceil((end - first) / dayMs) }, (_, day) => first + day * dayMs);
  return [
    `UTC         ${ruler}  nodes that may go in each hour, for the reason that allows least (+ more than 9, ∞ unbounded)`,
    ...days.map((day) => {
      const cells = Array.from({ length: 24 }, (_, hour) => cell(day + hour * hourMs));
      return `${formatInstant(day).slice(0, 10)}  ${cells.join('')}`.trimEnd();
    }),
  ];
}
