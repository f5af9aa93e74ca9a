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
