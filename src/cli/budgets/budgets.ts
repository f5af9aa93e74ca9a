import type { PlannedPool } from '../../api/nodes/node-plan.ts';
import { nodeObjects } from '../../engine/delivery/node-pools.ts';
import { parseDuration } from '../../engine/kernel/duration.ts';
import { formatInstant, type Instant, parseInstant } from '../../engine/kernel/instant.ts';
import { type Limits, limitedReasons, remainingOf, unbounded } from '../../engine/node-pools/budgets.ts';
import { limitTimeline } from '../../engine/node-pools/timeline.ts';
import { nodeMembers } from '../../engine/nodes/node-members.ts';
import { planFleet } from '../../engine/plan.ts';
import { type PlanOptions, readPlanInput } from '../plan/input.ts';
import { CliError } from '../terminal/exit.ts';
import { outputFormat, print, printJson, printYaml } from '../terminal/output.ts';
import { table } from '../terminal/table.ts';
import { unknownName } from '../terminal/unknown-name.ts';

interface Span {
  readonly from: string;
  readonly to: string;
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
  const { plan, contents, parts } = planFleet(input);
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
          to: formatInstant(spans[at + 1]?.from ?? window.until),
          limit: limits,
          allowed: Object.fromEntries(
            Object.entries(limits).map(([reason, limit]) => [reason, remainingOf(limit, disrupting)]),
          ) as unknown as Limits,
        })),
      };
    });
  const document = { apiVersion: 'gitfleet.dev/v1alpha1', kind: 'BudgetTimeline', clusterName: cluster, pools };
  if (format === 'json') return printJson(document);
  if (format === 'yaml') return printYaml(document);
  print(pools.length === 0 ? `no NodePool is on ${cluster}` : pools.map((pool) => asTable(pool, window)).join('\n\n'));
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

function asTable({ name, nodes, disrupting, spans }: PoolTimeline, { from, until, isInstant }: Range): string {
  const rows = spans.map(({ from: begin, to, allowed }) => [
    begin,
    to,
    ...limitedReasons.map((reason) => number(allowed[reason])),
  ]);
  const head = `${name}: ${nodes} nodes, ${disrupting} disrupting`;
  const line = isInstant ? [] : [hourLine(spans, { from, until })];
  return [head, ...line, table(['FROM', 'TO', ...limitedReasons.map((reason) => reason.toUpperCase())], rows)].join(
    '\n',
  );
}

const number = (allowed: number): string => (allowed === unbounded ? 'unbounded' : String(allowed));

/** A character for each hour, at most 168: how many may go for whatever reason is limited most. */
function hourLine(spans: readonly Span[], { from, until }: Pick<Range, 'from' | 'until'>): string {
  const hours = Math.min(168, Math.ceil((until - from) / 3_600_000));
  const starts = spans.map((span) => ({
    at: parseInstant(span.from)!,
    least: Math.min(...limitedReasons.map((reason) => span.allowed[reason])),
  }));
  const cells = Array.from({ length: hours }, (_, hour) => {
    const { least } = starts.findLast(({ at }) => at <= from + hour * 3_600_000) ?? starts[0]!;
    return least === unbounded ? '∞' : least > 9 ? '+' : String(least);
  });
  return cells.join('');
}
