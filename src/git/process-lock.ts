import { open, readFile, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { GitError } from './git-error.ts';

/** The holder touches the file this often; from another host it counts as left behind after three misses. Milliseconds. */
const touchMs = 10_000;
const leftBehindMs = 30_000;

const held = new Set<string>();

/**
 * Takes a lock file for the life of this process and returns what releases it. A lock whose process is gone is taken over:
 * process ids are compared together with the start of the process, since in a container it is always the same number.
 * Error `locked` when another process holds it.
 */
export async function takeLock(path: string): Promise<() => Promise<void>> {
  if (held.has(path)) throw new GitError('locked', `${path} is held by this process already`);
  const me = JSON.stringify({ host: hostname(), pid: process.pid, started: await startOf(process.pid) });
  for (let attempt = 0; ; attempt++) {
    const file = await open(path, 'wx').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return undefined;
      throw error;
    });
    if (file) {
      await file.writeFile(me);
      await file.close();
      break;
    }
    const holder = await livingHolder(path);
    if (holder !== undefined || attempt >= 3)
      throw new GitError(
        'locked',
        `${path}: another gitfleet (${holder ?? 'starting'}) uses this cache: give each its own --cache-dir`,
      );
    await rm(path, { force: true });
  }
  held.add(path);
  const timer = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => {});
  }, touchMs).unref();
  return async () => {
    clearInterval(timer);
    held.delete(path);
    await rm(path, { force: true });
  };
}

async function livingHolder(path: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const touched = (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;
  const fresh = Date.now() - touched < leftBehindMs;
  let holder: { host: string; pid: number; started: string | undefined };
  try {
    holder = JSON.parse(text);
  } catch {
    // Killed between making the file and writing into it, or just being written.
    return fresh && text !== '' ? 'unknown' : undefined;
  }
  const name = `process ${holder.pid} on ${holder.host}`;
  if (holder.host !== hostname()) return fresh ? name : undefined;
  const started = await startOf(holder.pid);
  return started !== undefined && started === holder.started && holder.pid !== process.pid ? name : undefined;
}

/** When a process started, in whatever unit the system counts; undefined when there is no such process. */
async function startOf(pid: number): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (text !== undefined) return text.slice(text.lastIndexOf(')') + 2).split(' ')[19];
  try {
    process.kill(pid, 0);
    return 'unknown';
  } catch {
    return undefined;
  }
}
