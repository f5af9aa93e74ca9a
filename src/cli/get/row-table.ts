import { titleOf } from '../../repo/title-of.ts';
import { wholeSeconds } from '../../report/whole-seconds.ts';
import type { Cell, Row } from '../kinds/listing.ts';
import { aligned } from '../terminal/table.ts';

/** Rows as kubectl prints them: NAMESPACE where some row has one and all namespaces are shown, NAME, then the columns. */
export function rowTable(
  rows: readonly Row[],
  how: {
    readonly wide: boolean;
    readonly headers: boolean;
    readonly nameless: boolean;
    readonly namespaces: boolean;
    /** Rows printed before this table, which it continues: its columns are at least as wide. */
    readonly like?: readonly Row[] | undefined;
  },
): string {
  const before = how.like ?? [];
  const withNamespace = how.namespaces && [...rows, ...before].some(({ namespace }) => namespace !== undefined);
  const columns = (rows[0]?.cells ?? []).flatMap(({ heading, wide }, at) =>
    wide && !how.wide ? [] : [{ heading, at }],
  );
  const headings = [
    ...(withNamespace ? ['NAMESPACE'] : []),
    ...(how.nameless ? [] : ['NAME']),
    ...columns.map(({ heading }) => heading),
  ];
  const line = (row: Row): Cell[] => [
    ...(withNamespace ? [row.namespace] : []),
    ...(how.nameless ? [] : [row.name]),
    ...columns.map(({ at }) => shown(row.cells[at]!)),
  ];
  const lines = aligned([headings, ...before.map(line), ...rows.map(line)]);
  return [...(how.headers ? lines.slice(0, 1) : []), ...lines.slice(1 + before.length)].join('\n');
}

/** Values of objects are shown as they are. */
const shown = ({ heading, cell }: Row['cells'][number]): Cell =>
  typeof cell === 'string' && !heading.startsWith('IN-') ? wholeSeconds(cell) : cell;

/** Rows of `after` that are new or changed; a different age alone is no change. */
export function changedRows(before: readonly Row[], after: readonly Row[]): Row[] {
  const key = (row: Row): string => `${titleOf(row)} ${row.placement ?? ''}`;
  const textOf = ({ cells }: Row): string =>
    JSON.stringify(cells.filter(({ heading }) => !/AGE|SEEN|SINCE/.test(heading)).map(({ cell }) => cell));
  const old = new Set(before.map((row) => key(row) + textOf(row)));
  return after.filter((row) => !old.has(key(row) + textOf(row)));
}
