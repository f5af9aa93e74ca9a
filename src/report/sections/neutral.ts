import { markdownText } from '../../repo/markdown-text.ts';
import type { Line, Section } from './section.ts';

/**
 * References that a forge acts on: `Closes #12` in a commit's subject would close an issue on merging, `@team` would call people.
 * The texts are read as before, since what is put in has no width.
 */
export const neutral = (text: string): string =>
  text.replace(/[#!~%$@](?=[\w"])|:(?=\/\/)|GH(?=-\d)/g, (mark) => `${mark}\u200b`);

/** Text of files as Markdown: neither markup nor anything that a forge acts on. */
export const neutralMarkdown = (text: string): string => markdownText(neutral(text));

const neutralLine = (line: Line): Line =>
  line.map((span) => {
    if (typeof span === 'string') return neutral(span);
    return 'bold' in span ? { bold: neutral(span.bold) } : span;
  });

/** A section whose texts a forge does not act on. */
export function neutralSection(section: Section): Section {
  const { rows } = section;
  if (rows.kind === 'table') return section;
  return {
    ...section,
    rows: { ...rows, items: rows.items.map((item) => ({ ...item, line: neutralLine(item.line) })) },
  };
}
