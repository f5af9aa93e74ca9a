import { link, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { GitError } from '../git-error.ts';

/** The holder touches the file this often; a lock of another host counts as stale after three misses. Milliseconds. */
const touchMs = 10_000;
const staleMs = 30_000;

const held = new Set<string>();

/**
 * Takes a lock file until this process ends, and returns the function that releases it. A lock whose process has ended is taken
 * over. Process ids are compared together with the start time, since in a container the id is always the same.
 * Error `locked` when another process holds it.
 */
export async function takeLock(path: string): Promise<() => Promise<void>> {
  if (held.has(path)) throw new GitError('locked', `${path} is held by this process already`);
  held.add(path);
  const me = JSON.stringify({ host: hostname(), pid: process.pid, started: await startOf(process.pid) });
  const mine = `${path}.${process.pid}`;
  try {
    await writeFile(mine, me);
    if (!(await placed(mine, path)) && !(await takenOver(mine, path))) {
      const holder = (await livingHolder(path)) ?? 'starting';
      throw new GitError(
        'locked',
        `${path}: another gitfleet (${holder}) uses this cache: give each its own --cache-dir`,
      );
    }
  } catch (error) {
    held.delete(path);
    throw error;
  } finally {
    await rm(mine, { force: true });
  }
  const timer = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => {});
  }, touchMs).unref();
  return async () => {
    clearInterval(timer);
    held.delete(path);
    // A process that took the lock over while this machine slept keeps it.
    if ((await readFile(path, 'utf8').catch(() => '')) === me) await rm(path, { force: true });
  };
}

/** A link has its content from the start, so no process ever reads a lock without its holder. */
function placed(mine: string, path: string): Promise<boolean> {
  return link(mine, path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false;
      throw error;
    },
  );
}

/**
 * Replaces a stale lock. Of several processes that find it at the same time, only one may remove it, and only after it has read
 * it again: otherwise the slower one removes the lock that the faster one has just taken.
 */
async function takenOver(mine: string, path: string): Promise<boolean> {
  if ((await livingHolder(path)) !== undefined) return false;
  const guard = `${path}.takeover`;
  if (!(await placed(mine, guard))) {
    if ((await livingHolder(guard)) !== undefined) return false;
    // The process that created it was killed within the few lines below.
    await rm(guard, { force: true });
    return takenOver(mine, path);
  }
  try {
    if ((await livingHolder(path)) !== undefined) return false;
    await rm(path, { force: true });
    return await placed(mine, path);
  } finally {
    await rm(guard, { force: true });
  }
}

async function livingHolder(path: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const touched = (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;
  const fresh = Date.now() - touched < staleMs;
  let holder: { host: string; pid: number; started: string | undefined };
  try {
    holder = JSON.parse(text);
  } catch {
    // Removed meanwhile, or cut short when the disk was full: no running process wrote it.
    return fresh && text !== '' ? 'unknown' : undefined;
  }
  const name = `process ${holder.pid} on ${holder.host}`;
  if (holder.host !== hostname()) return fresh ? name : undefined;
  const started = await startOf(holder.pid);
  return started !== undefined && started === holder.started && holder.pid !== process.pid ? name : undefined;
}

/** When a process started, in the unit of the system; undefined if there is no such process or it has ended. */
async function startOf(pid: number): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (text !== undefined) {
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return /[ZX]/.test(fields[0]!) && (await isAlone(pid)) ? undefined : fields[19];
  }
  try {
    process.kill(pid, 0);
    return 'unknown';
  } catch {
    return undefined;
  }
}

/**
 * A process that was killed is listed as a zombie until its parent waits for it. So is one whose first thread has ended before
 * the others: it still runs as long as other threads remain.
 */
const isAlone = (pid: number): Promise<boolean> =>
  readdir(`/proc/${pid}/task`).then(
    (threads) => threads.length <= 1,
    () => true,
  );
