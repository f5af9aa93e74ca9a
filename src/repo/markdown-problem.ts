import type { Problem } from '../api/problem.ts';
import { quotedValue } from './fleet/positions.ts';
import { markdownText } from './markdown-text.ts';

/** A problem as a line of Markdown: how bad, where, what, and what to write instead. */
export function markdownProblem({ severity, file, line, column, message, value, fix }: Problem): string {
  const place = [file?.replaceAll('`', ''), line, column].filter((part) => part !== undefined).join(':');
  const where = file ? `\`${place}\` ` : '';
  const end = `${fix ? `. Fix: ${markdownText(fix)}` : ''}${fix?.endsWith('?') ? '' : '.'}`;
  return `${severity}: ${where}${markdownText(message)}${markdownText(quotedValue({ value, message }))}${end}`;
}
