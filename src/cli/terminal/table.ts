import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** Colour on a terminal, unless NO_COLOR says otherwise (no-color.org) or FORCE_COLOR asks for it in a pipe. */
export function colorsFor(stream: { readonly isTTY?: boolean }): (style: Style, text: string) => string {
  const on = process.env['NO_COLOR']
    ? false
    : process.env['FORCE_COLOR']
      ? process.env['FORCE_COLOR'] !== '0'
      : stream.isTTY === true;
  return on ? (style, text) => styleText(style, text, { validateStream: false }) : (_, text) => text;
}

/** Columns as kubectl prints them: upper-case headings, three spaces between. `undefined` prints as `<none>`. */
export const table = (
  headings: readonly string[],
  rows: readonly (readonly (string | number | undefined)[])[],
): string => aligned([headings, ...rows]).join('\n');

/** Lines whose cells stand under each other. */
export function aligned(rows: readonly (readonly (string | number | undefined)[])[]): string[] {
  const cells = rows.map((row) => row.map((cell) => (cell === undefined || cell === '' ? '<none>' : String(cell))));
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells.map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column]! + 3)))
      .join('')
      .trimEnd(),
  );
}

/** kubectl's short age: `12s`, `5m`, `3h20m`, `4d`. */
export function age(fromMs: number, nowMs: number): string {
  const seconds = Math.max(Math.floor((nowMs - fromMs) / 1000), 0);
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return seconds % 60 === 0 ? `${minutes}m` : `${minutes}m${seconds % 60}s`;
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return minutes % 60 === 0 ? `${hours}h` : `${hours}h${minutes % 60}m`;
  if (hours < 48) return `${hours}h`;
  return `${Math.floor(hours / 24)}d`;
}
