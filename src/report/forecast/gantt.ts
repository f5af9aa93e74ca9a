import type { Timestamp } from '../../api/meta.ts';
import { parseInstant } from '../../engine/kernel/instant.ts';
import type { ClusterSpan, Wait } from '../../forecast/spans.ts';

/** A row of a chart: from when until when something happens, and what it waits for meanwhile. Absent `to` = beyond the chart. */
export interface GanttRow {
  readonly from?: Timestamp | undefined;
  readonly to?: Timestamp | undefined;
  readonly waits: readonly Wait[];
  readonly clusters: readonly Pick<ClusterSpan, 'from' | 'to'>[];
}

/** Columns of a chart. */
const width = 40;

/** What a column of a row shows: of several the changes, then soak and approval, then the last wait. */
export const ganttLegend =
  '█ changes, ░ soaks, ? waits for approval, ▒ soaks and waits for approval, · frozen or no window open, ▶ beyond the end';
const marks: Readonly<Record<Wait['kind'], string>> = {
  soak: '░',
  freeze: '·',
  window: '·',
  start: '·',
  approval: '?',
};

/** Bars of one scale for rows: the first column is the earliest start, the last the latest end. */
export function gantt(rows: readonly GanttRow[], until: Timestamp): readonly string[] {
  const times = rows.flatMap(({ from, to, waits }) => [from, to, ...waits.flatMap((wait) => [wait.from, wait.to])]);
  const known = times.flatMap((time) => parseInstant(time ?? '') ?? []);
  if (known.length === 0) return rows.map(() => '');
  const isOpen = rows.some(({ from, to }) => from !== undefined && to === undefined);
  const begin = known.reduce((a, b) => Math.min(a, b));
  const end = Math.max(begin + 1, isOpen ? (parseInstant(until) ?? 0) : known.reduce((a, b) => Math.max(a, b)));
  const column = (at: number): number => Math.min(width - 1, Math.floor(((at - begin) / (end - begin)) * width));
  return rows.map(({ from, to, waits, clusters }) => {
    if (from === undefined) return '';
    const cells = Array.from({ length: width }, () => ' ');
    const fill = (mark: string, start: Timestamp, stop: Timestamp | undefined): void => {
      const last =
        stop === undefined ? width - 1 : Math.max(column(parseInstant(start)!), column(parseInstant(stop)! - 1));
      for (let at = column(parseInstant(start)!); at <= last; at++)
        cells[at] = (mark === '░' && cells[at] === '?') || (mark === '?' && cells[at] === '░') ? '▒' : mark;
    };
    for (const { kind, from: start, to: stop } of waits) fill(marks[kind], start, stop);
    // What a run has started when it fails, it no longer follows.
    for (const span of clusters) fill('█', span.from, span.to ?? to);
    if (to === undefined) cells[width - 1] = '▶';
    return cells.join('').trimEnd();
  });
}
