import { availableParallelism } from 'node:os';

/** One measured value. Every figure that is a time says what else was timed in the same run, since machines differ. */
export interface Figure {
  readonly what: string;
  readonly value: number;
  readonly unit: 'ms' | 'MB' | '×' | 'requests';
  /** Only where the slow cases matter. */
  readonly p95?: number;
  /** Of the issue, in the same unit; a figure without one is for information. */
  readonly most?: number;
  /** `most`: of the issue, how many times the baseline the value may be. */
  readonly baseline?: { readonly what: string; readonly value: number; readonly most?: number };
}

/** On fewer cores the figures are reported, not judged. */
const fewestCores = 4;

/** Prints a figure, and tells the process that forked this one. */
export function report(...figures: readonly Figure[]): void {
  for (const figure of figures) {
    process.stdout.write(`${lineOf(figure)}\n`);
    process.send?.(figure);
  }
}

export const isMissed = (figure: Figure): boolean => isBeyond(figure) && availableParallelism() >= fewestCores;

const isBeyond = ({ value, most = Number.POSITIVE_INFINITY, baseline }: Figure): boolean =>
  value > most || (baseline?.most !== undefined && value > baseline.most * baseline.value);

export function lineOf(figure: Figure): string {
  const { what, value, unit, p95, most, baseline } = figure;
  const text = [
    `${number(value, unit)} ${unit}`.padStart(14),
    p95 === undefined ? '' : `p95 ${number(p95, unit)}`,
    most === undefined ? '' : `limit ${most}`,
    baseline === undefined
      ? ''
      : `${(value / baseline.value).toFixed(2)} × ${baseline.what} (${number(baseline.value, unit)} ${unit})`,
    baseline?.most === undefined ? '' : `limit ${baseline.most} ×`,
  ];
  return `${verdict(figure).padEnd(10)} ${what.padEnd(64)} ${text.filter((part) => part !== '').join('  ')}`;
}

function verdict(figure: Figure): string {
  if (figure.most === undefined && figure.baseline?.most === undefined) return '';
  if (availableParallelism() < fewestCores) return 'not judged';
  return isMissed(figure) ? 'MISSED' : 'ok';
}

const number = (value: number, unit: Figure['unit']): string =>
  unit === '×' ? value.toFixed(2) : value < 10 && unit === 'ms' ? value.toFixed(1) : value.toFixed(0);

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
export const peakRss = (most?: number): Figure => ({
  what: '  peak RSS',
  value: process.resourceUsage().maxRSS / 1024,
  unit: 'MB',
  ...(most === undefined ? {} : { most }),
});
