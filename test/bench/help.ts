import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { limits } from './limits.ts';
import { median, p95, report, timed } from './report.ts';

const main = join(import.meta.dirname, '../../src/main.ts');

/** What a person waits for who only wants to know how a command is written. */
export async function run(): Promise<void> {
  const node = (...args: string[]): Buffer => execFileSync(process.execPath, args);
  node(main, '--help');
  const ours: number[] = [];
  const bare: number[] = [];
  // In turns, so that whatever else the machine does hits both.
  for (let round = 0; round < 15; round++) {
    ours.push(...(await timed(1, () => node(main, '--help'))));
    bare.push(...(await timed(1, () => node('-e', '0'))));
  }
  report({
    what: 'gitfleet --help',
    value: median(ours),
    unit: 'ms',
    p95: p95(ours),
    limit: limits.help,
    baseline: { what: 'node -e 0', value: median(bare) },
  });
}
