import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStatusBranch } from '../../src/git/status-branch.ts';

const entries = 10_000;
const changed = 100;
/** Milliseconds, from the issue: a status commit with 100 of 10,000 entries changed, before it is pushed. */
const limitMs = 500;

/** A status commit in a local bare repository; git's own `git add && git commit` of the same change is the baseline. */
export async function run(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'gitfleet-bench-'));
  try {
    const repo = join(dir, 'status.git');
    execFileSync('git', ['init', '-q', '--bare', repo]);
    const status = await openStatusBranch({
      repo,
      statusBranch: 'fleet-status',
      cacheDir: join(dir, 'cache'),
      credentials: async () => undefined,
      author: { name: 'gitfleet', email: 'gitfleet@localhost' },
      now: () => Date.now(),
    });
    const files = new Map(Array.from({ length: entries }, (_, at) => [pathOf(at), textOf(at, 0)]));
    const first = await timed(() => status.publish({ commit: undefined, files: new Map() }, files, 'First'));
    let { result } = first;
    const rounds: number[] = [];
    for (let round = 1; round <= 5; round++) {
      if (result.kind === 'moved') throw new Error('nobody else writes here');
      const { tip } = result;
      const next = new Map(tip.files);
      for (let at = 0; at < changed; at++) next.set(pathOf(at * 97 + round), textOf(at, round));
      const again = await timed(() => status.publish(tip, next, `Round ${round}`));
      rounds.push(again.ms);
      result = again.result;
    }
    const median = rounds.sort((a, b) => a - b)[2]!;
    const baseline = gitBaseline(join(dir, 'clone'), repo);
    const judged = availableParallelism() < 4 ? 'not judged' : median <= limitMs ? 'ok' : 'TOO SLOW';
    console.log(`status commit, ${entries} new entries: ${first.ms.toFixed(0)} ms`);
    console.log(
      `status commit, ${changed} of ${entries} changed: ${median.toFixed(0)} ms (limit ${limitMs} ms: ${judged}; git add + commit ${baseline.toFixed(0)} ms; ${availableParallelism()} cores)`,
    );
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

const pathOf = (at: number): string => `clusters/${Math.floor(at / 100)}/member-${at}.yaml`;
const textOf = (at: number, round: number): string =>
  `kind: MemberCluster\nname: member-${at}\nround: ${round}\n`.repeat(8);

async function timed<T>(action: () => Promise<T>): Promise<{ readonly result: T; readonly ms: number }> {
  const began = performance.now();
  const result = await action();
  return { result, ms: performance.now() - began };
}

function gitBaseline(clone: string, repo: string): number {
  execFileSync('git', ['clone', '-q', '-b', 'fleet-status', repo, clone]);
  const script = `for i in $(seq 0 ${changed - 1}); do echo changed >> clusters/$i/member-$((i * 100)).yaml; done`;
  execFileSync('sh', ['-c', script], { cwd: clone });
  const began = performance.now();
  const who = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.com'];
  execFileSync('git', ['-C', clone, 'add', '-A']);
  execFileSync('git', ['-C', clone, ...who, 'commit', '-qm', 'Change']);
  return performance.now() - began;
}

if (import.meta.main) await run();
