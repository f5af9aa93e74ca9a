import type { Problem } from '../../api/problem.ts';

/** `file:line:column: error[code]: message`, then what to write instead. */
export function formatProblem(problem: Problem): string {
  const { severity, code, message, fix, value } = problem;
  const position = positionText(problem);
  const place = position === '' ? '' : `${position}: `;
  // Omitted if the message contains the value already.
  const quoted = quotedValue({ value, message });
  return `${place}${severity}[${code}]: ${message}${quoted}${fix === undefined ? '' : `\n    fix: ${fix}`}`;
}

/** `file:line:column`, as far as known; empty without a file. */
export const positionText = ({ file, line, column }: Pick<Problem, 'file' | 'line' | 'column'>): string =>
  file === undefined ? '' : [file, line, column].filter((part) => part !== undefined).join(':');

/** Order of problems in reports: by file, line, column, then text. Those without a file come last. */
export function byPosition(a: Problem, b: Problem): number {
  const file = (problem: Problem) => problem.file ?? '\uffff';
  if (file(a) !== file(b)) return file(a) < file(b) ? -1 : 1;
  return (
    (a.line ?? 0) - (b.line ?? 0) ||
    (a.column ?? 0) - (b.column ?? 0) ||
    (a.message < b.message ? -1 : a.message > b.message ? 1 : 0)
  );
}

/** The value in the file, unless the message ends with it. */
export const quotedValue = ({ value, message }: Pick<Problem, 'value' | 'message'>): string =>
  value === undefined || message.endsWith(` ${value}`) ? '' : ` (found ${value})`;

/** New errors and warnings. They are compared by file and message, since lines move with every edit. */
export function newProblems(before: readonly Problem[], next: readonly Problem[]): readonly Problem[] {
  const known = new Set(before.map(identityOf));
  return next.filter((problem) => problem.severity !== 'info' && !known.has(identityOf(problem)));
}

const identityOf = ({ severity, file, message }: Problem): string => `${severity} ${file} ${message}`;
