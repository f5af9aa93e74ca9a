import type { Problem } from '../../api/problem.ts';

/** `file:line:column: error[code]: message`, then what to write instead. */
export function formatProblem(problem: Problem): string {
  const { severity, code, message, fix, value } = problem;
  const position = positionText(problem);
  const place = position === '' ? '' : `${position}: `;
  // Where the sentence names it already, once is enough.
  const quoted = quotedValue({ value, message });
  return `${place}${severity}[${code}]: ${message}${quoted}${fix === undefined ? '' : `\n    fix: ${fix}`}`;
}

/** `file:line:column`, as far as it is known; empty where no file is. */
export const positionText = ({ file, line, column }: Pick<Problem, 'file' | 'line' | 'column'>): string =>
  file === undefined ? '' : [file, line, column].filter((part) => part !== undefined).join(':');

/** Order in which problems are told: by file, line, column, then text. Those without a file come last. */
export function byPosition(a: Problem, b: Problem): number {
  const file = (problem: Problem) => problem.file ?? '\uffff';
  if (file(a) !== file(b)) return file(a) < file(b) ? -1 : 1;
  return (
    (a.line ?? 0) - (b.line ?? 0) ||
    (a.column ?? 0) - (b.column ?? 0) ||
    (a.message < b.message ? -1 : a.message > b.message ? 1 : 0)
  );
}

/** What stands in the file, unless the message ends with it already. */
export const quotedValue = ({ value, message }: Pick<Problem, 'value' | 'message'>): string =>
  value === undefined || message.endsWith(` ${value}`) ? '' : ` (found ${value})`;

/** Errors and warnings that were not there before. Lines of a file move with every edit: what is said of it tells. */
export function newProblems(before: readonly Problem[], next: readonly Problem[]): readonly Problem[] {
  const known = new Set(before.map(sayingOf));
  return next.filter((problem) => problem.severity !== 'info' && !known.has(sayingOf(problem)));
}

const sayingOf = ({ severity, file, message }: Problem): string => `${severity} ${file} ${message}`;
