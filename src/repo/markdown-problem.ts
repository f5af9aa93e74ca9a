import type { Problem } from '../api/problem.ts';
import { positionText, quotedValue } from './fleet/positions.ts';
import { markdownText } from './markdown-text.ts';

/** A problem as a line of Markdown: how bad, where, what, and what to write instead. */
export function markdownProblem(problem: Problem): string {
  const { severity, message, value, fix } = problem;
  const place = positionText(problem).replaceAll('`', '');
  const where = place ? `\`${place}\` ` : '';
  const end = `${fix ? `. Fix: ${markdownText(fix)}` : ''}${fix?.endsWith('?') ? '' : '.'}`;
  return `${severity}: ${where}${markdownText(message)}${markdownText(quotedValue({ value, message }))}${end}`;
}
