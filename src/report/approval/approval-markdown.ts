import { markdownText } from '../../repo/markdown-text.ts';
import { changesWithin } from '../effect/effect-markdown.ts';
import { sectionMarkdown } from '../sections/markdown.ts';
import { type Line, type Section, sizeOf } from '../sections/section.ts';
import type { ApprovalPage } from './approval-page.ts';

/** Characters that forges add themselves, and of the note that something was left out. */
const reserve = 2_000;

/** Title and text of a pull request. `most`: longest text that the forge takes, characters. */
export function approvalMarkdown(
  { title, lead, sections, changes }: ApprovalPage,
  most: number,
): { readonly title: string; readonly body: string } {
  const shown = sections.filter((section) => sizeOf(section) > 0);
  const start = lead.map((line) => withCode(line)).join('\n\n');
  const parts = shown.map((section) =>
    ['', `### ${section.title}`, '', ...sectionMarkdown(neutralSection(section))].join('\n'),
  );
  const fixed = [start, ...parts].join('\n');
  const removals = changes.filter(({ isRemoval }) => isRemoval).length;
  const others = changes.length - removals;
  const counts = `${removals === 0 ? 'nothing' : removals} removed, ${others === 0 ? 'nothing' : others} changed or added`;
  const neutralChanges = changes.map((change) => ({ ...change, title: neutral(change.title) }));
  const { lines, left } = changesWithin(neutralChanges, most - reserve - fixed.length);
  const diffs =
    changes.length === 0
      ? []
      : [
          '',
          `### On the clusters: ${counts}`,
          ...lines,
          ...(left === 0 ? [] : ['', `… and ${left} more, which do not fit here: \`gitfleet plan\` has all.`]),
        ];
  return {
    title: neutral(title).replace(/\s+/g, ' ').slice(0, 200),
    body: [start, ...diffs, ...parts].join('\n').slice(0, most - reserve),
  };
}

/**
 * References that a forge acts on: `Closes #12` in a commit's subject would close an issue on merging, `@team` would call people.
 * The texts are read as before, since what is put in has no width.
 */
const neutral = (text: string): string => text.replace(/[#!~%$@]|:(?=\/\/)|GH(?=-\d)/g, (mark) => `${mark}\u200b`);

/** Code between back quotes stays code. */
const withCode = (line: string): string =>
  line
    .split('`')
    .map((part, at) => (at % 2 === 1 ? `\`${part}\`` : markdownText(neutral(part))))
    .join('');

const neutralLine = (line: Line): Line =>
  line.map((span) => {
    if (typeof span === 'string') return neutral(span);
    return 'bold' in span ? { bold: neutral(span.bold) } : span;
  });

function neutralSection(section: Section): Section {
  const { rows } = section;
  if (rows.kind === 'table') return section;
  return {
    ...section,
    rows: { ...rows, items: rows.items.map((item) => ({ ...item, line: neutralLine(item.line) })) },
  };
}
