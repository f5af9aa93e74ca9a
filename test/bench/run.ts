import { availableParallelism, cpus } from 'node:os';

/** Benchmarks by name; each prints medians and ratios against a baseline measured in the same run. */
const benches: Readonly<Record<string, () => Promise<{ run: () => void | Promise<void> }>>> = {
  placement: () => import('./placement.ts'),
  load: () => import('./load.ts'),
  status: () => import('./status-commit.ts'),
};

const wanted = process.argv.slice(2).filter((name) => !name.startsWith('-'));
const unknown = wanted.filter((name) => !(name in benches));
if (unknown.length > 0) {
  process.stderr.write(`no benchmark ${unknown.join(', ')}: there are ${Object.keys(benches).join(', ')}\n`);
  process.exit(2);
}
process.stdout.write(
  `${availableParallelism()} cores, ${cpus()[0]?.model ?? 'unknown processor'}, node ${process.versions.node}\n`,
);
for (const name of wanted.length > 0 ? wanted : Object.keys(benches)) {
  process.stdout.write(`\n# ${name}\n`);
  await (await benches[name]!()).run();
}
