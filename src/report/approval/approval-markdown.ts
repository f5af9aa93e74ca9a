import { cutAfterWord } from '../cut-after-word.ts';
import { changesWithin } from '../effect/effect-markdown.ts';
import { sectionMarkdown } from '../sections/markdown.ts';
import { neutral, neutralMarkdown, neutralSection } from '../sections/neutral.ts';
import { sizeOf } from '../sections/section.ts';
import { type ApprovalPage, closing } from './approval-page.ts';

/** Characters that forges add themselves, and of the note that something was left out. */
const reserve = 2_000;

/** Title and text of a pull request. `most`: longest text that the forge takes, characters. */
export function approvalMarkdown(
  { title, lead, instructions, sections, changes, changesTitle }: ApprovalPage,
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
          `### ${changesTitle}`,
          ...lines,
          ...(left === 0 ? [] : ['', `… and ${left} more, which do not fit here: \`gitfleet plan\` has all.`]),
        ];
  return {
    title: cutAfterWord(neutral(title).replace(/\s+/g, ' '), 200),
    body: [start, ...diffs, ...parts].join('\n').slice(0, most - reserve),
  };
}

/** What became of a request. */
export interface RequestAnswer {
  readonly outcome: 'approved' | 'rejected' | 'dropped';
  /** `Approved by Ann in commit 41ab9c0, 2026-11-20T10:00:00Z` */
  readonly text: string;
}

const outcomes = {
  approved: { sign: '✅', what: 'This was approved:' },
  rejected: { sign: '❌', what: 'This was requested:' },
  dropped: { sign: '🚫', what: 'If it is reopened, it is closed again. This was requested:' },
} as const;

/** The text of a pull request that is decided, or no longer requested: what was requested, without how to decide. */
export const answeredBody = (body: string, { outcome, text }: RequestAnswer): string =>
  [
    `${outcomes[outcome].sign} ${neutralMarkdown(text.replace(/\s+/g, ' '))}. ${nothingLeft} ${outcomes[outcome].what}`,
    ...paragraphsOf(body).filter((paragraph) => !isInstruction(paragraph)),
  ].join('\n\n');

/** Whether it is the text of one that is decided, or no longer requested. */
export const isAnswered = (body: string): boolean => paragraphsOf(body)[0]!.includes(nothingLeft);

const nothingLeft = 'Nothing is left to decide here.';

export const saysHowToDecide = (body: string): boolean => paragraphsOf(body).some(isInstruction);

const isInstruction = (paragraph: string): boolean => paragraph.startsWith(closing);

const paragraphsOf = (body: string): string[] => body.replaceAll('\r\n', '\n').split('\n\n');

/** Code between back quotes stays code. */
const withCode = (line: string): string =>
  line
    .split('`')
    .map((part, at) => (at % 2 === 1 ? `\`${part}\`` : neutralMarkdown(part)))
    .join('');
