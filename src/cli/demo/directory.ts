import { cp, mkdtemp, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fileErrorText } from '../../api/file-error-text.ts';
import { GitError } from '../../git/git-error.ts';
import { takeLock } from '../../git/local/process-lock.ts';
import { commitAll, initRepo } from '../../git/local/worktree.ts';
import { makeDirectory } from '../../repo/make-directory.ts';
import { CliError, exitCodes } from '../terminal/exit.ts';

export interface DemoDirectory {
  readonly dir: string;
  readonly repo: string;
  /** The repo was made just now; false when an earlier demo is continued. */
  readonly fresh: boolean;
  /** Start of simulated time, milliseconds: after everything that an earlier demo in the directory has written. */
  readonly startsAt: number;
  /** Reserves simulated time up to `until`: if this demo is killed, the next one starts there. */
  reserve(until: number): Promise<void>;
  /** Saves the end of simulated time and releases the lock. */
  release(now: number): Promise<void>;
}

/**
 * A directory with the example fleet as a git repo, locked by this process. Error: CliError when it has other files, cannot
 * be written, or another demo is running in it.
 */
export async function openDemoDirectory(wanted: string | undefined): Promise<DemoDirectory> {
  const dir = wanted === undefined ? await mkdtemp(join(tmpdir(), 'gitfleet-demo-')) : resolve(wanted);
  try {
    await makeDirectory(dir);
    const entries = await readdir(dir);
    if (entries.some((name) => !name.startsWith('lock')) && !entries.includes('fleet'))
      throw new CliError(`${dir} is neither empty nor an earlier demo: choose another --dir`);
    const unlock = await takeLock(join(dir, 'lock'));
    const clock = join(dir, 'clock.json');
    const keep = keeping(clock);
    const repo = join(dir, 'fleet');
    return {
      dir,
      repo,
      fresh: await prepareRepo(repo),
      startsAt: await startsAt(clock),
      reserve: keep,
      async release(now) {
        await keep(now);
        await unlock();
      },
    };
  } catch (error) {
    if (error instanceof CliError) throw error;
    if (error instanceof GitError && error.code === 'locked')
      throw new CliError(`a demo is running in ${dir} already: give this one another --dir`, undefined, {
        cause: error,
      });
    throw new CliError(`--dir ${dir}: ${fileErrorText(error)}`, exitCodes.unreachable, { cause: error });
  }
}

async function prepareRepo(repo: string): Promise<boolean> {
  if ((await readdir(repo).catch(() => [])).length > 0) return false;
  const example = resolve(dirname(fileURLToPath(import.meta.url)), '../../../fleet-repo-example');
  await cp(example, repo, { recursive: true });
  await initRepo(repo, 'main');
  await commitAll(repo, 'The example fleet');
  return true;
}

/** Writes one after the other, each atomically: a demo may be killed at any moment. */
function keeping(clock: string): (now: number) => Promise<void> {
  const whole = `${clock}.new`;
  let last = Promise.resolve();
  return (now) => {
    const next = last.then(async () => {
      await writeFile(whole, JSON.stringify({ now }));
      await rename(whole, clock);
    });
    last = next.catch(() => {});
    return next;
  };
}

/** Simulated time continues that of an earlier demo in the same directory: it must never run backwards. */
async function startsAt(clock: string): Promise<number> {
  const saved = await readFile(clock, 'utf8').catch(() => '{}');
  return Math.max(Date.now(), (JSON.parse(saved) as { now?: number }).now ?? 0);
}
