import type { Condition } from '../../api/meta.ts';
import { parseInstant } from '../../engine/kernel/instant.ts';
import { wholeSeconds } from '../../report/whole-seconds.ts';
import { age } from '../terminal/age.ts';
import { table } from '../terminal/table.ts';

/** The head of a page: titles and values under each other; what has no value is `<none>`. */
export function fields(
  lines: readonly (readonly [title: string, value: string | number | undefined] | undefined)[],
): string {
  const shown = lines.filter((line) => line !== undefined);
  const width = Math.max(...shown.map(([title]) => title.length)) + 2;
  return shown
    .map(([title, value]) => `${`${title}:`.padEnd(width)} ${value || value === 0 ? value : '<none>'}`)
    .join('\n');
}

/** One sentence per line, or `<none>`. */
export const sentences = (lines: readonly string[]): string => (lines.length === 0 ? '<none>' : lines.join('\n'));

/** A table, or `<none>` without rows. */
export const tableOrNone: typeof table = (headings, rows) => (rows.length === 0 ? '<none>' : table(headings, rows));

/** Conditions in their recorded order, with the age of each at `now`; without it since when. */
export const conditionTable = (conditions: readonly Condition[] | undefined, now?: number): string =>
  tableOrNone(
    ['TYPE', 'STATUS', 'REASON', now === undefined ? 'SINCE' : 'AGE', 'MESSAGE'],
    (conditions ?? []).map(({ type, status, reason, lastTransitionTime, message }) => [
      type,
      status,
      reason,
      now === undefined ? wholeSeconds(lastTransitionTime ?? '') : ageSince(lastTransitionTime, now),
      message,
    ]),
  );

/** `3m`; undefined for what is no instant. */
export function ageSince(instant: string | undefined, now: number): string | undefined {
  const at = parseInstant(instant ?? '');
  return at === undefined ? undefined : age(at, now);
}

/** Names and values, nested by indentation: what `kubectl describe` does for kinds it does not know. */
export const objectText = (value: object): string => lines(value, 0).join('\n');

/** A heading, and what belongs to it indented below. */
export const titled = (title: string, body: string): string => `${title}:\n${indent(body)}`;
/** Every line two columns further to the right. */
export const indent = (text: string): string => text.replace(/^/gm, '  ');

function lines(value: unknown, depth: number): string[] {
  const pad = '  '.repeat(depth);
  if (Array.isArray(value))
    return value.flatMap((item) =>
      typeof item === 'object' && item !== null ? [`${pad}-`, ...lines(item, depth + 1)] : [`${pad}- ${item}`],
    );
  return Object.entries(value as Record<string, unknown>).flatMap(([key, item]) => {
    const title = titleCase(key);
    if (item === undefined || item === null) return [];
    if (typeof item === 'object')
      return Object.keys(item).length === 0 ? [] : [`${pad}${title}:`, ...lines(item, depth + 1)];
    return [`${pad}${title}:  ${String(item).replaceAll('\n', `\n${pad}  `)}`];
  });
}

/** `lastTransitionTime` reads `Last Transition Time`; names that are data (`kubernetes-fleet.io/node-count`) stay. */
const titleCase = (key: string): string =>
  /[^A-Za-z]/.test(key) ? key : key[0]!.toUpperCase() + key.slice(1).replace(/([a-z])([A-Z])/g, '$1 $2');
