import type { Condition } from '../../api/meta.ts';
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

/** Sentences one under the other, or that there are none. */
export const sentences = (lines: readonly string[]): string => (lines.length === 0 ? '<none>' : lines.join('\n'));

/** Conditions in the order in which they are kept. */
export const conditionTable = (conditions: readonly Condition[] | undefined): string =>
  table(
    ['TYPE', 'STATUS', 'REASON', 'SINCE', 'MESSAGE'],
    (conditions ?? []).map(({ type, status, reason, lastTransitionTime, message }) => [
      type,
      status,
      reason,
      lastTransitionTime,
      message,
    ]),
  );
