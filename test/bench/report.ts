import { availableParallelism } from 'node:os';
import type { Limit } from './limits.ts';

/** One measured value. Every figure that is a time says what else was timed in the same run, since machines differ. */
export interface Figure {
  readonly what: string;
  readonly value: number;
  readonly unit: 'ms' | 'MB' | '×' | 'requests' | 'EUR' | 'nodes';
  /** Only where the slow cases matter. */
  readonly p95?: number;
  /** A figure without one is for information. */
  readonly limit?: Limit;
  readonly baseline?: { readonly what: string; readonly value: number };
}

/** Prints a figure, and tells the process that forked this one. */
export function report(...figures: readonly Figure[]): void {
  for (const figure of figures) {
    process.stdout.write(`${lineOf(figure)}\n`);
    process.send?.(figure);
  }
}

export const isMissed = (figure: Figure): boolean => verdictOf(figure) === 'MISSED';

export function lineOf(figure: Figure): string {
  const { what, value, unit, p95, limit, baseline } = figure;
  const text = [
    `${number(value, unit)} ${unit}`.padStart(14),
    p95 === undefined ? '' : `p95 ${number(p95, unit)}`,
    limit?.most === undefined ? '' : `limit ${limit.most}`,
    baseline === undefined
      ? ''
      : `${(value / baseline.value).toFixed(2)} × ${baseline.what} (${number(baseline.value, unit)} ${unit})`,
    limit?.ratio === undefined ? '' : `limit ${limit.ratio} ×`,
  ];
  return `${verdictOf(figure).padEnd(10)} ${what.padEnd(64)} ${text.filter((part) => part !== '').join('  ')}`;
}

function verdictOf({ value, limit, baseline }: Figure): '' | 'not judged' | 'ok' | 'MISSED' {
  if (limit === undefined) return '';
  if (availableParallelism() < limit.cores) return 'not judged';
  const most = Math.min(limit.most ?? Infinity, limit.ratio === undefined ? Infinity : limit.ratio * baseline!.value);
  return value > most ? 'MISSED' : 'ok';
}

const number = (value: number, unit: Figure['unit']): string =>
  unit === '×' || (unit === 'requests' && !Number.isInteger(value))
    ? value.toFixed(2)
    : value < 10 && unit === 'ms'
      ? value.toFixed(1)
      : value.toFixed(0);

/** Milliseconds of each of so many runs, one after the other. */
export async function timed(times: number, work: (time: number) => unknown): Promise<number[]> {
  const all: number[] = [];
  for (let time = 0; time < times; time++) {
    const began = performance.now();
    await work(time);
    all.push(performance.now() - began);
  }
  return all;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);
export const p95 = (values: readonly number[]): number => quantile(values, 0.95);

/** By nearest rank: always a value that was measured. */
function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN;
}

/** Largest memory that this process ever held. */
export const peakRss = (limit?: Limit): Figure => ({
  what: '  peak RSS',
  value: process.resourceUsage().maxRSS / 1024,
  unit: 'MB',
  ...(limit === undefined ? {} : { limit }),
});
