import type { Problem } from '../../api/problem.ts';
import { markdownText } from '../../repo/markdown-text.ts';
import { folded } from '../sections/markdown.ts';
import { neutral, neutralSection } from '../sections/neutral.ts';
import { problems } from '../sections/problems.ts';
import { type EffectText, effectHeadings } from './effect-text.ts';

/** GitHub's limit of a comment is 65,536 characters; the rest is for what forges add. */
const mostCharacters = 60_000;

/** The marker by which a comment is found again. */
export const planMarker = '<!-- gitfleet plan -->';

/**
 * The total effect as a comment on a pull request. `head`: what was planned. Diffs beyond the limit are only counted; `whole`: where all
 * are.
 */
export function effectMarkdown(
  text: EffectText,
  {
    head,
    problems: found,
    limit = mostCharacters,
    whole = '`gitfleet plan -o table` has all',
  }: { readonly head: string; readonly problems: readonly Problem[]; readonly limit?: number; readonly whole?: string },
): string {
  const start = [
    planMarker,
    `### gitfleet plan: ${escaped(titleWith(text.title, found))}`,
    ...(text.guard.length > 0
      ? ['', '**Refused by the guard**', ...text.guard.map((line) => `- ${escaped(line)}`)]
      : []),
    ...(text.rows.length > 0
      ? [
          '',
          `| ${effectHeadings.map((heading) => heading.toLowerCase()).join(' | ')} |`,
          `|${'---|'.repeat(effectHeadings.length)}`,
          ...text.rows.map(rowMarkdown),
        ]
      : []),
  ];
  const section = neutralSection(problems({ plan: { problems: found } as never }));
  const end = [
    ...(text.rollout.length > 0
      ? ['', '**How it rolls out**', ...text.rollout.map((line) => `- ${escaped(line)}`)]
      : []),
    ...(text.upgrades.length > 0
      ? ['', '**Cluster upgrades**', ...text.upgrades.map((line) => `- ${escaped(line)}`)]
      : []),
    ...(text.nodes.length > 0 ? ['', '**Nodes**', ...text.nodes.map((line) => `- ${escaped(line)}`)] : []),
    '',
    `**Forecast.** ${escaped(text.forecast)}`,
    ...folded(section),
    '',
    head,
    '',
  ];
  const fixed = [...start, ...end].join('\n').length;
  const { lines, left } = changesWithin(text.changes, limit - fixed - 200);
  const cut = left === 0 ? [] : ['', `… and ${left} more changes, which do not fit here: ${whole}.`];
  return [...start, ...lines, ...cut, ...end].join('\n').slice(0, limit);
}

/** Text of files: neither Markdown nor anything that a forge acts on. */
const escaped = (text: string): string => markdownText(neutral(text));

/** The title with what is wrong: the worst first. */
export function titleWith(title: string, problems: readonly Problem[]): string {
  const count = (severity: Problem['severity'], mark: string): string[] => {
    const { length } = problems.filter((problem) => problem.severity === severity);
    return length === 0 ? [] : [`${mark} ${length} ${severity}${length === 1 ? '' : 's'}`];
  };
  return [title, ...count('error', '❌'), ...count('warning', '⚠️')].join(' · ');
}

const rowMarkdown = (cells: readonly string[]): string =>
  `| ${cells.map((cell, at) => (at === 1 && cell !== '-' ? `**${cell}**` : escaped(cell))).join(' | ')} |`;

/**
 * Changes up to `most` characters. Removals are never collapsed. Titles first matter most: a change whose diff does not fit is listed
 * without it.
 */
export function changesWithin(
  changes: EffectText['changes'],
  most: number,
): { readonly lines: readonly string[]; readonly left: number } {
  const lines: string[] = [];
  let used = 0;
  for (const [at, { title, diff, isRemoval }] of changes.entries()) {
    const name = `**${escaped(title)}**`;
    const whole = isRemoval ? ['', name] : ['', name, ...fenced(diff)];
    const short = ['', `${name} (diff left out)`];
    const fits = (part: readonly string[]) => used + part.join('\n').length + 1 <= most;
    const part = fits(whole) ? whole : short;
    if (!fits(part)) return { lines, left: changes.length - at };
    lines.push(...part);
    used += part.join('\n').length + 1;
  }
  return { lines, left: 0 };
}

/** A fence longer than any in the diff, so that no manifest ends it. */
function fenced(diff: string): string[] {
  const longest = Math.max(2, ...[...diff.matchAll(/~+/g)].map(([run]) => run.length));
  const fence = '~'.repeat(longest + 1);
  return [`${fence}diff`, ...diff.split('\n').map((line) => line.replaceAll('@', '@\u200b')), fence];
}
