import { parseDuration } from '../../engine/kernel/duration.ts';
import type { Assumptions } from '../../forecast/assumptions.ts';
import { type Forecast, forecast as forecastFleet } from '../../forecast/forecast.ts';
import { markdownText } from '../../repo/markdown-text.ts';
import { ganttLegend } from '../../report/forecast/gantt.ts';
import {
  clusterHeadings,
  clusterRows,
  forecastHeadings,
  forecastParts,
  forecastSummary,
  supposedText,
} from '../../report/forecast/lines.ts';
import { indent } from '../kinds/page-text.ts';
import { type PlanOptions, readPlanInput } from '../plan/input.ts';
import { withRecordedStatus } from '../plan/recorded-status.ts';
import { CliError, exitCodes } from '../terminal/exit.ts';
import { outputFormat, print, printJson } from '../terminal/output.ts';
import { aligned, table } from '../terminal/table.ts';

export interface AssumptionFlags {
  readonly until: string;
  readonly readyAfter: string;
  readonly approveAfter: string;
  readonly upgradedAfter: string;
}

/** Clusters that a table lists one by one. */
const mostClusters = 50;

/** When the changes of the fleet would happen. Exit code 4 if the guard refuses the last plan. */
export async function forecast(options: PlanOptions & AssumptionFlags & { readonly output: string }): Promise<void> {
  const format = outputFormat(options.output, ['table', 'json', 'markdown']);
  const assumptions = assumptionsOf(options);
  const found = forecastFleet(withRecordedStatus(await readPlanInput(options)), assumptions);
  if (format === 'json') {
    const { readyAfter, approveAfter, upgradedAfter } = options;
    printJson({ ...found, assumptions: { readyAfter, approveAfter, upgradedAfter } });
  } else if (format === 'markdown') print(forecastMarkdown(found, options));
  else print(forecastTable(found, options));
  if (found.end === 'refused') throw new CliError('', exitCodes.refused, { silent: true });
}

/** What the flags suppose. Days are written as `7d`. Errors: CliError. */
export function assumptionsOf({ until, readyAfter, approveAfter, upgradedAfter }: AssumptionFlags): Assumptions {
  return {
    untilMs: durationOf('--until', until),
    readyAfterMs: durationOf('--ready-after', readyAfter),
    upgradedAfterMs: durationOf('--upgraded-after', upgradedAfter),
    approveAfterMs: approveAfter === 'never' ? undefined : durationOf('--approve-after', approveAfter),
  };
}

function durationOf(flag: string, text: string): number {
  const days = /^(\d+)d$/.exec(text)?.[1];
  const ms = parseDuration(days === undefined ? text : `${Number(days) * 24}h`);
  if (ms === undefined) throw new CliError(`${flag} ${text} is not a duration: write for example 90s, 1h or 7d`);
  return ms;
}

function forecastTable(found: Forecast, flags: AssumptionFlags): string {
  const parts = forecastParts(found).map(({ title, rows, notes }) =>
    [title, indent(aligned([forecastHeadings, ...rows]).join('\n')), ...notes.map((note) => `  - ${note}`)].join('\n'),
  );
  const clusters = clusterRows(found);
  const listed = clusters.slice(0, mostClusters);
  const more =
    clusters.length > listed.length ? [`${clusters.length - listed.length} more clusters (-o json has all).`] : [];
  return [
    forecastSummary(found),
    ...parts,
    ...(listed.length > 0 ? [table(clusterHeadings.slice(0, listed[0]!.length), listed), ...more, ganttLegend] : []),
    supposedText(found, flags),
  ].join('\n\n');
}

function forecastMarkdown(found: Forecast, flags: AssumptionFlags): string {
  const parts = forecastParts(found).flatMap(({ title, rows, notes }) => [
    '',
    `**${markdownText(title)}**`,
    '',
    '~~~text',
    ...aligned([forecastHeadings, ...rows]),
    '~~~',
    ...notes.map((note) => `- ${markdownText(note)}`),
  ]);
  const legend = parts.length === 0 ? [] : ['', ganttLegend];
  return [
    '### gitfleet forecast',
    '',
    forecastSummary(found),
    ...parts,
    ...legend,
    '',
    supposedText(found, flags),
    '',
  ].join('\n');
}
