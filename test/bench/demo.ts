import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { limits } from './limits.ts';
import { report, timed } from './report.ts';

const root = join(import.meta.dirname, '../..');

/** The first thing a newcomer runs, as a process of its own. */
export async function run(): Promise<void> {
  const main = join(root, 'src/main.ts');
  const [plan] = await timed(1, () => finished([main, 'plan', '--repo', join(root, 'fleet-repo-example')], [0, 1]));
  const [demo] = await timed(1, () => finished([main, 'demo', '--exit-when-settled'], [0]));
  report({
    what: 'gitfleet demo --exit-when-settled',
    value: demo!,
    unit: 'ms',
    limit: limits.demo,
    baseline: { what: 'gitfleet plan of the same repo', value: plan! },
  });
}

/** Rejects with the output of the process when it ends with another code. */
function finished(args: readonly string[], codes: readonly number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const reported: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => reported.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code !== null && codes.includes(code)) resolve();
      else reject(new Error(`${args.join(' ')} ended with ${code}:\n${Buffer.concat(reported)}`));
    });
  });
}
