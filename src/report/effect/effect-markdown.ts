import type { Problem } from '../../api/problem.ts';
import { folded } from '../sections/markdown.ts';
import { neutralMarkdown, neutralSection } from '../sections/neutral.ts';
import { problems } from '../sections/problems.ts';
import { type EffectText, effectHeadings } from './effect-text.ts';

/** GitHub's limit of a comment is 65,536 characters; the rest is for what forges add. */
const mostCharacters = 60_000;

/** The marker by which a comment is found again. */
export const planMarker = '<!-- gitfleet plan -->';

/** Lines of one list in a comment. */
const mostLines = 100;
/** Characters of a title: the guard's message in it names objects. */
const longestTitle = 500;

export interface EffectOptions {
  /** What was planned, and where all of it is: below the title, so that no cut reaches it. */
  readonly head: string;
  readonly problems: readonly Problem[];
  /** Characters. */
  readonly limit?: number;
  /** Of the table and of each list. */
  readonly lines?: number;
  /** Where all changes are. */
  readonly whole?: string;
}

/**
 * The total effect as a comment on a pull request. No part can push out another: each has a share of the limit, and says how much was
 * left out. Diffs beyond the limit are only counted.
 */
export function effectMarkdown(
  text: EffectText,
  {
    head,
    problems: found,
    limit = mostCharacters,
    lines: most = mostLines,
    whole = '`gitfleet plan -o table` has all',
  }: EffectOptions,
): string {
  const title = titleWith(text.title, found);
  const listed = (name: string, all: readonly string[], share: number): string[] => {
    const { kept, left } = linesWithin(
      all.map((line) => `- ${neutralMarkdown(line)}`),
      most,
      limit * share,
    );
    return all.length === 0 ? [] : ['', `**${name}**`, ...kept, ...(left === 0 ? [] : [`- … and ${left} more`])];
  };
  const start = [
    planMarker,
    `### gitfleet plan: ${neutralMarkdown(title.length > longestTitle ? `${title.slice(0, longestTitle)}…` : title)}`,
    '',
    head,
    ...listed('Refused by the guard', text.guard, 0.1),
    ...tableMarkdown(text.rows, most, limit * 0.3),
  ];
  const end = [
    ...listed('How it rolls out', text.rollout, 0.1),
    ...listed('Cluster upgrades', text.upgrades, 0.1),
    ...listed('Nodes', text.nodes, 0.05),
    '',
    `**Forecast.** ${neutralMarkdown(text.forecast)}`,
    ...problemsWithin(found, limit * 0.15),
    '',
  ];
  const fixed = [...start, ...end].join('\n').length;
  const { lines, left } = changesWithin(text.changes, limit - fixed - 200);
  const more = left === 0 ? [] : ['', `… and ${left} more changes, which do not fit here: ${whole}.`];
  const all = [...start, ...lines, ...more, ...end].join('\n');
  const note = `\n… cut here: ${whole}.\n`;
  return all.length <= limit ? all : `${all.slice(0, limit - note.length)}${note}`;
}

/** The first lines of a list, up to a number and to characters. */
function linesWithin(
  lines: readonly string[],
  most: number,
  characters: number,
): { readonly kept: readonly string[]; readonly left: number } {
  let used = 0;
  const past = lines.findIndex((line, at) => {
    used += line.length + 1;
    return at >= most || used > characters;
  });
  return past === -1 ? { kept: lines, left: 0 } : { kept: lines.slice(0, past), left: lines.length - past };
}

/** Placements that lose objects come first. */
function tableMarkdown(rows: EffectText['rows'], most: number, characters: number): string[] {
  if (rows.length === 0) return [];
  const removes = (cells: readonly string[]): number => (cells[1] === '-' ? 0 : 1);
  const sorted = rows.toSorted((a, b) => removes(b) - removes(a));
  const { kept, left } = linesWithin(sorted.map(rowMarkdown), most, characters);
  return [
    '',
    `| ${effectHeadings.map((heading) => heading.toLowerCase()).join(' | ')} |`,
    `|${'---|'.repeat(effectHeadings.length)}`,
    ...kept,
    ...(left === 0 ? [] : ['', `… and ${left} more placements.`]),
  ];
}

function problemsWithin(found: readonly Problem[], characters: number): string[] {
  const section = (of: readonly Problem[]): string[] =>
    folded(neutralSection(problems({ plan: { problems: of } as never })));
  const shown = found.filter(({ severity }) => severity !== 'info');
  const { kept } = linesWithin(
    shown.slice(0, mostLines).map((problem) => section([problem]).join('\n')),
    mostLines,
    characters,
  );
  const left = shown.length - kept.length;
  return [...section(shown.slice(0, kept.length)), ...(left === 0 ? [] : ['', `… and ${left} more problems.`])];
}

/** The title with what is wrong: the worst first. */
export function titleWith(title: string, problems: readonly Problem[]): string {
  const count = (severity: Problem['severity'], mark: string): string[] => {
    const { length } = problems.filter((problem) => problem.severity === severity);
    return length === 0 ? [] : [`${mark} ${length} ${severity}${length === 1 ? '' : 's'}`];
  };
  return [title, ...count('error', '❌'), ...count('warning', '⚠️')].join(' · ');
}

const rowMarkdown = (cells: readonly string[]): string =>
  `| ${cells.map((cell, at) => (at === 1 && cell !== '-' ? `**${cell}**` : neutralMarkdown(cell))).join(' | ')} |`;

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
    const name = `**${neutralMarkdown(title)}**`;
    const whole = isRemoval || diff === '' ? ['', name] : ['', name, ...fenced(diff)];
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
