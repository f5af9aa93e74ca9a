import type { Problem } from '../../api/problem.ts';
import { listUpTo } from '../../engine/kernel/short-list.ts';
import { type Assumptions, readyAfterIn, supposedOf } from '../../forecast/assumptions.ts';
import { type Forecast, forecast as forecastFleet } from '../../forecast/forecast.ts';
import { placeProblems } from '../../repo/fleet/place-problems.ts';
import { formatProblem } from '../../repo/fleet/positions.ts';
import { titleOf } from '../../repo/title-of.ts';
import { gantt, ganttLegend } from '../../report/forecast/gantt.ts';
import {
  clusterHeadings,
  clusterRows,
  forecastHeadings,
  forecastParts,
  forecastSummary,
  refusalNotes,
  supposedText,
} from '../../report/forecast/lines.ts';
import {
  nodeCommandHeadings,
  nodeCommandRows,
  nodeHeadings,
  nodeParts,
  nodeSentences,
} from '../../report/forecast/node-lines.ts';
import { runToAdd } from '../../report/run-to-add.ts';
import { neutralMarkdown } from '../../report/sections/neutral.ts';
import { indent } from '../kinds/page-text.ts';
import { type PlanOptions, withPlanInput } from '../plan/input.ts';
import { withRecordedStatus } from '../plan/recorded-status.ts';
import { durationOf } from '../terminal/duration-flag.ts';
import { CliError, exitCodes } from '../terminal/exit.ts';
import { outputFormat, print, printJson } from '../terminal/output.ts';
import { aligned, table } from '../terminal/table.ts';

interface AssumptionFlags {
  readonly until: string;
  readonly readyAfter?: string;
  readonly approveAfter: string;
  readonly upgradedAfter: string;
}

/** Clusters that a table lists one by one, and commands for nodes. */
const mostListed = 50;

/** When the changes of the fleet would happen. Exit code 2 if files have errors, 4 if the guard refuses the last plan. */
export async function forecast(options: PlanOptions & AssumptionFlags & { readonly output: string }): Promise<void> {
  const format = outputFormat(options.output, ['table', 'json', 'markdown']);
  const given = assumptionsOf(options);
  const { found, assumptions, errors } = await withPlanInput(options, async (input, { tree }) => {
    const all = await placeProblems(input.fleet.problems, async () => tree);
    const readyAfterMs = given.readyAfterMs ?? readyAfterIn(input.fleet);
    const assumptions = supposedOf(input.fleet, { ...given, readyAfterMs });
    return {
      found: forecastFleet(withRecordedStatus(input), assumptions),
      assumptions,
      errors: all.filter(({ severity }) => severity === 'error'),
    };
  });
  if (format === 'json') {
    const { readyAfter = `${assumptions.readyAfterMs / 1_000}s`, upgradedAfter } = options;
    const approveAfter = assumptions.approveAfterMs === undefined ? 'never' : options.approveAfter;
    printJson({ ...found, problems: errors, assumptions: { readyAfter, approveAfter, upgradedAfter } });
  } else if (format === 'markdown') print(forecastMarkdown(found, { errors, assumptions }));
  else print(forecastTable(found, { errors, assumptions }));
  if (errors.length > 0) throw new CliError('', exitCodes.invalidInput, { silent: true });
  if (found.end === 'refused') throw new CliError('', exitCodes.refused, { silent: true });
}

/** What the flags suppose. Errors: CliError. */
function assumptionsOf({ until, readyAfter, approveAfter, upgradedAfter }: AssumptionFlags) {
  return {
    untilMs: durationOf('--until', until),
    readyAfterMs: readyAfter === undefined ? undefined : durationOf('--ready-after', readyAfter),
    upgradedAfterMs: durationOf('--upgraded-after', upgradedAfter),
    approveAfterMs: approveAfter === 'never' ? undefined : durationOf('--approve-after', approveAfter, ', or never'),
  };
}

/** A title, a chart and notes: of rollouts and cluster update runs, then of nodes, whose bars have a scale of their own. */
function partsOf(found: Forecast) {
  const nodes = nodeParts(found);
  const bars = [
    ...gantt(
      nodes.flatMap(({ rows }) => rows),
      found.until,
    ),
  ];
  return [
    ...forecastParts(found).map((part) => ({ ...part, headings: forecastHeadings })),
    ...nodes.map(({ title, rows, notes }) => ({
      title,
      headings: nodeHeadings,
      rows: rows.map(({ cells }) => [...cells, bars.shift() || ' ']),
      notes,
    })),
  ];
}

interface Supposed {
  /** Of files. */
  readonly errors: readonly Problem[];
  readonly assumptions: Assumptions;
}

const summaryOf = (found: Forecast, { errors, assumptions }: Supposed): string =>
  [
    ...(errors.length === 0
      ? []
      : [
          `❌ ${errors.length} ${errors.length === 1 ? 'error' : 'errors'}: what is not valid is not part of it; of an object that was valid before, that version is.`,
        ]),
    forecastSummary(found, assumptions),
    ...missingRuns(found),
    ...nodeSentences(found),
  ].join(' ');

/** A preview has them in its title. */
function missingRuns({ notRolledOut }: Forecast): string[] {
  const missing = listUpTo(
    notRolledOut.map(({ placement }) => titleOf(placement)),
    5,
  );
  const toAdd = runToAdd(notRolledOut);
  return missing === '' ? [] : [`Needs a staged update run: ${missing}${toAdd === undefined ? '' : `; ${toAdd}`}.`];
}

function forecastTable(found: Forecast, supposed: Supposed): string {
  const parts = partsOf(found);
  const further = found.end === 'horizon' ? ' A later --until looks further.' : '';
  return [
    summaryOf(found, supposed) + further,
    ...refusalNotes(found).map((note) => `Refused: ${note}.`),
    ...parts.map(({ title, headings, rows, notes }) =>
      [
        title,
        ...(rows.length === 0 ? [] : [indent(aligned([headings, ...rows]).join('\n'))]),
        ...notes.map((note) => `  - ${note}`),
      ].join('\n'),
    ),
    ...listOf(clusterHeadings, clusterRows(found), 'clusters'),
    ...listOf(nodeCommandHeadings, nodeCommandRows(found), 'commands'),
    ...(parts.length > 0 ? [ganttLegend] : []),
    supposedText(found, supposed.assumptions),
    ...(supposed.errors.length === 0 ? [] : [['Problems', ...supposed.errors.map(formatProblem)].join('\n')]),
  ].join('\n\n');
}

function listOf(headings: readonly string[], rows: readonly (readonly string[])[], what: string): string[] {
  if (rows.length === 0) return [];
  const listed = rows.slice(0, mostListed);
  const more = rows.length - listed.length;
  return [
    table(headings.slice(0, listed[0]!.length), listed),
    ...(more > 0 ? [`${more} more ${what} (-o json has all).`] : []),
  ];
}

function forecastMarkdown(found: Forecast, supposed: Supposed): string {
  const parts = partsOf(found).flatMap(({ title, headings, rows, notes }) => [
    '',
    `**${neutralMarkdown(title)}**`,
    '',
    ...(rows.length === 0 ? [] : ['~~~text', ...aligned([headings, ...rows]), '~~~']),
    ...notes.map((note) => `- ${neutralMarkdown(note)}`),
  ]);
  const legend = parts.length === 0 ? [] : ['', ganttLegend];
  return [
    '### gitfleet forecast',
    '',
    neutralMarkdown(summaryOf(found, supposed)),
    ...refusalNotes(found).flatMap((note) => ['', `**Refused.** ${neutralMarkdown(note)}.`]),
    ...parts,
    ...legend,
    '',
    supposedText(found, supposed.assumptions),
    ...supposed.errors.flatMap((problem) => ['', `**Problem.** ${neutralMarkdown(formatProblem(problem))}`]),
    '',
  ].join('\n');
}
