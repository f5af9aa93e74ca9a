import { join } from 'node:path';
import { watch } from 'chokidar';
import { parseAddress } from '../address.ts';
import { branchRef } from '../source.ts';
import { readRef } from './local-refs.ts';
import { locate } from './locate.ts';

/** Events of one git command occur within this time of each other, milliseconds; a long series is reported before it ends. */
const gatherMs = 100;
const longestGatherMs = 1_000;

/**
 * Calls `hinted` soon after a branch of a local repository moved. Only a hint: the file system drops and reorders events, so the
 * branch is resolved after each, and the daemon also polls. Returns undefined for a remote.
 */
export async function watchLocal(
  repo: string,
  branches: readonly string[],
  hinted: (branch: string) => void,
): Promise<{ close(): Promise<void> } | undefined> {
  const address = parseAddress(repo);
  const located = address.kind === 'local' ? await locate(address.path) : undefined;
  if (located === undefined) return undefined;
  const { commonDir } = located;
  const resolve = async (branch: string) => [branch, await readRef(commonDir, branchRef(branch))] as const;
  let last = new Map(await Promise.all(branches.map(resolve)));
  let timer: ReturnType<typeof setTimeout> | undefined;
  let first = 0;
  let closed = false;

  async function look(): Promise<void> {
    const now = new Map(await Promise.all(branches.map(resolve)));
    const moved = branches.filter((branch) => now.get(branch) !== last.get(branch));
    last = now;
    if (!closed) for (const branch of moved) hinted(branch);
  }

  function soon(): void {
    const now = performance.now();
    if (timer === undefined) first = now;
    else clearTimeout(timer);
    timer = setTimeout(
      () => {
        timer = undefined;
        void look();
      },
      Math.max(0, Math.min(gatherMs, first + longestGatherMs - now)),
    );
  }

  const watcher = watch([join(commonDir, 'refs/heads'), join(commonDir, 'packed-refs')], {
    ignoreInitial: true,
    ignored: (path) => path.endsWith('.lock'),
  });
  watcher.on('all', soon);
  // Without inotify handles, polling still finds every change.
  watcher.on('error', () => {});
  // A branch that moved before the watcher was ready raised no event.
  watcher.on('ready', soon);
  return {
    async close() {
      closed = true;
      clearTimeout(timer);
      await watcher.close();
    },
  };
}
