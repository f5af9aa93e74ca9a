import { cutAfterWord } from '../cut-after-word.ts';
import { changesWithin } from '../effect/effect-markdown.ts';
import { sectionMarkdown } from '../sections/markdown.ts';
import { neutral, neutralMarkdown, neutralSection } from '../sections/neutral.ts';
import { sizeOf } from '../sections/section.ts';
import { type ApprovalPage, changesTitle, closing } from './approval-page.ts';

/** Characters that forges add themselves, and of the note that something was left out. */
const reserve = 2_000;

/** Title and text of a pull request. `most`: longest text that the forge takes, characters. */
export function approvalMarkdown(
  { title, lead, instructions, sections, changes }: ApprovalPage,
  most: number,
): { readonly title: string; readonly body: string } {
  const shown = sections.filter((section) => sizeOf(section) > 0);
  const start = [...lead, instructions].map((line) => withCode(line)).join('\n\n');
  const parts = shown.map((section) =>
    ['', `### ${section.title}`, '', ...sectionMarkdown(neutralSection(section))].join('\n'),
  );
  const fixed = [start, ...parts].join('\n');
  const { lines, left } = changesWithin(changes, most - reserve - fixed.length);
  const diffs =
    changes.length === 0
      ? []
      : [
          '',
          `### ${changesTitle({ changes })}`,
          ...lines,
          ...(left === 0 ? [] : ['', `… and ${left} more, which do not fit here: \`gitfleet plan\` has all.`]),
        ];
  return {
    title: cutAfterWord(neutral(title).replace(/\s+/g, ' '), 200),
    body: [start, ...diffs, ...parts].join('\n').slice(0, most - reserve),
  };
}

/** The text of a pull request whose approval was given: what was approved, without how to decide. */
export const answeredBody = (body: string, answer: string): string =>
  [
    `✅ ${neutralMarkdown(answer)}. Nothing is left to decide here. This was approved:`,
    ...paragraphsOf(body).filter((paragraph) => !isInstruction(paragraph)),
  ].join('\n\n');

export const saysHowToDecide = (body: string): boolean => paragraphsOf(body).some(isInstruction);

const isInstruction = (paragraph: string): boolean => paragraph.startsWith(closing);

const paragraphsOf = (body: string): string[] => body.replaceAll('\r\n', '\n').split('\n\n');

/** Code between back quotes stays code. */
const withCode = (line: string): string =>
  line
    .split('`')
    .map((part, at) => (at % 2 === 1 ? `\`${part}\`` : neutralMarkdown(part)))
    .join('');
