import { fork } from 'node:child_process';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { type Figure, isMissed, lineOf } from './report.ts';

/** Benchmarks by name, in the order in which they run. Each prints medians beside a baseline that it measured itself. */
const benches: Readonly<Record<string, () => Promise<{ run: () => void | Promise<void> }>>> = {
  placement: () => import('./placement.ts'),
  files: () => import('./cold-files.ts'),
  'one-file': () => import('./one-file.ts'),
  preview: () => import('./preview.ts'),
  load: () => import('./load.ts'),
  'verified-start': () => import('./verified-start.ts'),
  status: () => import('./status-commit.ts'),
  help: () => import('./help.ts'),
  demo: () => import('./demo.ts'),
  reaction: () => import('./reaction.ts'),
  apply: () => import('./apply.ts'),
  hanging: () => import('./hanging.ts'),
  idle: () => import('./idle.ts'),
  steady: () => import('./steady.ts'),
  delivery: () => import('./delivery.ts'),
  'staged-runs': () => import('./staged-runs.ts'),
  upgrades: () => import('./upgrades.ts'),
  nodes: () => import('./nodes.ts'),
};

const wanted = process.argv.slice(2).filter((name) => !name.startsWith('-'));
const unknown = wanted.filter((name) => !(name in benches));
if (unknown.length > 0) {
  process.stderr.write(`no benchmark ${unknown.join(', ')}: there are ${Object.keys(benches).join(', ')}\n`);
  process.exit(2);
}
if (process.send) {
  await (await benches[wanted[0]!]!()).run();
  process.disconnect();
} else await runAll(wanted.length > 0 ? wanted : Object.keys(benches));

/** Each in a process of its own, so that its peak memory is its own too; then all figures once more as one table. */
async function runAll(names: readonly string[]): Promise<void> {
  process.stdout.write(
    `${availableParallelism()} cores, ${cpus()[0]?.model ?? 'unknown processor'}, node ${process.versions.node}, load ${loadavg()[0]!.toFixed(1)} before\n`,
  );
  const figures: Figure[] = [];
  for (const name of names) {
    process.stdout.write(`\n# ${name}\n`);
    const began = performance.now();
    await runApart(name, (figure) => figures.push(figure));
    process.stdout.write(`(${((performance.now() - began) / 1000).toFixed(1)} s)\n`);
  }
  if (names.length > 1) process.stdout.write(`\n# all\n${figures.map(lineOf).join('\n')}\n`);
  if (figures.some(isMissed)) process.exitCode = 1;
}

function runApart(name: string, reported: (figure: Figure) => void): Promise<void> {
  return new Promise((resolve) => {
    const child = fork(import.meta.filename, [name]);
    child.on('message', (figure) => reported(figure as Figure));
    child.on('exit', (code) => {
      if (code !== 0) {
        process.stdout.write(`${name} ended with ${code}\n`);
        process.exitCode = 1;
      }
      resolve();
    });
  });
}
