import { mergeCommand } from '../engine/gate/request.ts';
import { assertNever } from '../engine/kernel/assert.ts';
import type { Plan } from '../engine/plan-document.ts';
import { markdownText } from '../repo/markdown-text.ts';
import type { DashboardInput } from './dashboard-input.ts';
import { type InForce, inForce } from './in-force.ts';
import { type Item, type Line, mostRows, type Section, type Span } from './sections/section.ts';
import { sectionsOf } from './sections/sections.ts';

/** README.md of the status branch: what runs where, what waits for whom since when, how to approve. Instants, never ages. */
export function renderDashboard(plan: Plan, input: DashboardInput): string {
  const { branch, inPlace = false } = input;
  const present = inForce(plan, input);
  const merging: Merging = (from) =>
    `merge the branch \`${from}\` into \`${branch}\`. In ${inPlace ? 'the repo' : 'a clone'}: \`${mergeCommand(from, inPlace)}\``;
  const sections = sectionsOf({ ...input, plan, inForce: present });
  const lines = [
    '# Fleet status',
    '',
    plannedFrom(plan, present, branch),
    ...sections.flatMap((section) => ['', `## ${section.title}`, '', ...markdownOf(section, merging)]),
  ];
  return `${lines.join('\n')}\n`;
}

function plannedFrom({ commit, guard }: Plan, present: InForce, branch: string): string {
  const newest = `commit \`${commit.slice(0, 12)}\` of \`${branch}\``;
  if (guard.length === 0) return `Planned from ${newest}.`;
  return `The plan of ${newest} is refused. In effect is ${standing(present)}.`;
}

function standing({ commit, placements }: InForce): string {
  if (commit !== undefined) return `the plan from commit \`${commit.slice(0, 12)}\``;
  return placements.length === 0 ? 'nothing' : 'the previous status';
}

/** How to merge a branch. */
type Merging = (branch: string) => string;

function markdownOf({ intro, rows, folder, total }: Section, merging: Merging): string[] {
  const under = folder === undefined ? '' : ` under [${folder}](${folder})`;
  const head = intro === undefined ? [] : [intro, ''];
  if (rows.kind === 'list') {
    const more = rows.items.length - mostRows;
    const items = rows.items.slice(0, mostRows).flatMap((item) => itemLines(item, merging));
    return [...head, ...items, ...(more > 0 ? [`- … and ${more} more${under}`] : [])];
  }
  const more = (total ?? rows.cells.length) - mostRows;
  return [
    ...head,
    tableLine(rows.headings),
    `|${'---|'.repeat(rows.headings.length)}`,
    ...rows.cells.slice(0, mostRows).map((cells) => tableLine(cells.map(lineText))),
    ...(more > 0 ? ['', `… and ${more} more${under}.`] : []),
  ];
}

const itemLines = ({ line, ask }: Item, merging: Merging): string[] => [
  `- ${lineText(line)}`,
  ...(ask ? [`  ${ask.does} ${merging(ask.branch)}`] : []),
];

const tableLine = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

const lineText = (line: Line): string => line.map(spanText).join('');

function spanText(span: Span): string {
  if (typeof span === 'string') return markdownText(span);
  if ('bold' in span) return `**${markdownText(span.bold)}**`;
  if ('code' in span) return `\`${span.code.replaceAll('`', '')}\``;
  if ('link' in span) return `[${markdownText(span.link)}](${span.path.split('/').map(encodeURIComponent).join('/')})`;
  return assertNever(span);
}
