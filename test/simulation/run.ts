import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { firstWide, simulate } from './simulate.ts';

const usage =
  'usage: npm run simulate -- COUNT [FROM [JOBS]]   e.g. 2000 1000000, or 2000 3000000 for the most that is drawn';

/** Seeds FROM, FROM + step, … as long as they are below `to`; prints those that fail. */
async function runSome(from: number, to: number, step: number): Promise<number> {
  let failed = 0;
  for (let seed = from; seed < to; seed += step) {
    const { broken, story } = await simulate(String(seed));
    if (broken.length === 0) continue;
    failed++;
    console.log(
      [`seed ${seed}`, ...broken.map((text) => `  ${text}`), ...story.map((text) => `    ${text}`)].join('\n'),
    );
  }
  return failed;
}

/** One process per core: a run is one thread of events. */
async function runAll(count: number, from: number, jobs: number): Promise<number> {
  const began = performance.now();
  const codes = await Promise.all(
    Array.from({ length: jobs }, (_, job) => {
      const share = [from + job, from + count, jobs].map(String);
      const child = spawn(process.execPath, [fileURLToPath(import.meta.url), '--share', ...share], {
        stdio: 'inherit',
      });
      return new Promise<number>((resolve) =>
        child.on('close', (code, signal) => {
          // A share that crashes or is killed names no seed of its own.
          if (code !== 0) console.log(`share ${share.join(' ')} ended with ${signal ?? `exit code ${code}`}`);
          resolve(code ?? 1);
        }),
      );
    }),
  );
  const seconds = Math.round((performance.now() - began) / 1000);
  const failing = codes.some((code) => code !== 0);
  console.log(`${count} seeds from ${from} on ${jobs} cores in ${seconds} s: ${failing ? 'some failed' : 'all well'}`);
  return failing ? 1 : 0;
}

const [first, ...rest] = process.argv.slice(2);
if (first === '--share') {
  const [from, to, step] = rest.map(Number) as [number, number, number];
  process.exitCode = (await runSome(from, to, step)) === 0 ? 0 : 1;
} else {
  const [count, from = firstWide, jobs = availableParallelism()] = [first, ...rest].map(Number);
  if (count === undefined || !Number.isInteger(count) || count < 1) {
    console.error(usage);
    process.exitCode = 2;
  } else process.exitCode = await runAll(count, from, jobs);
}
