import { placementKey } from '../../api/placement.ts';
import { approvalBranch } from '../../engine/gate/request.ts';
import { assertNever } from '../../engine/kernel/assert.ts';
import { markdownText } from '../../repo/markdown-text.ts';
import { wholeSeconds } from '../whole-seconds.ts';
import { type Item, type Line, mostRows, type Section, type Span, sizeOf } from './section.ts';

/** A section below its title. `byGit`: what a reader does with the branch of a request that an item waits for. */
export function sectionMarkdown(
  { intro, rows, folder, total }: Section,
  byGit: ByGit = (branch) => `merge the branch \`${branch}\``,
): string[] {
  const under = folder === undefined ? '' : ` under [${folder}](${folder})`;
  const head = intro === undefined ? [] : [intro, ''];
  if (rows.kind === 'list') {
    const more = rows.items.length - mostRows;
    const items = rows.items.slice(0, mostRows).map((item) => itemLine(item, byGit));
    return [...head, ...items, ...(more > 0 ? [`- … and ${more} more${under}`] : [])];
  }
  const more = (total ?? rows.cells.length) - mostRows;
  return [
    ...head,
    tableLine(rows.headings),
    `|${'---|'.repeat(rows.headings.length)}`,
    ...rows.cells.slice(0, mostRows).map((cells) => tableLine(cells.map(lineMarkdown))),
    ...(more > 0 ? ['', `… and ${more} more${under}.`] : []),
  ];
}

type ByGit = (branch: string) => string;

/** One line, so that a search for the branch or the gate finds all of it. */
const itemLine = ({ line, ask }: Item, byGit: ByGit): string =>
  `- ${lineMarkdown(line)}${ask ? `. To approve: \`gitfleet approve ${placementKey(ask)}\`, or ${byGit(approvalBranch(ask))}` : ''}`;

const tableLine = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** A line of plain text, bold names, code and links; what comes from files is escaped. */
const lineMarkdown = (line: Line): string => line.map(spanMarkdown).join('');

function spanMarkdown(span: Span): string {
  if (typeof span === 'string') return markdownText(wholeSeconds(span));
  if ('bold' in span) return `**${markdownText(span.bold)}**`;
  if ('code' in span) return `\`${span.code.replaceAll('`', '')}\``;
  if ('url' in span) return `[${markdownText(span.link)}](${span.url})`;
  if ('link' in span) return `[${markdownText(span.link)}](${span.path.split('/').map(encodeURIComponent).join('/')})`;
  return assertNever(span);
}

/** A section that readers open; nothing where it is empty. */
export const folded = (section: Section): string[] =>
  sizeOf(section) === 0
    ? []
    : [
        '',
        `<details><summary>${section.title} (${sizeOf(section)})</summary>`,
        '',
        ...sectionMarkdown(section),
        '',
        '</details>',
      ];
