import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type GitRun, git } from './run-git.ts';

/** Milliseconds between two looks at what was received. */
const lookEveryMs = 100;

/** `git fetch` with these arguments, ended when the server sends more bytes. Git itself has no such limit for fetches. */
export async function boundedFetch(
  args: readonly string[],
  { gitdir, mostBytes }: { readonly gitdir: string; readonly mostBytes: number },
): Promise<GitRun | 'too-large'> {
  const before = await packedBytes(gitdir);
  const stop = new AbortController();
  let look: Promise<void> | undefined;
  const timer = setInterval(() => {
    look ??= packedBytes(gitdir).then((bytes) => {
      if (bytes - before > mostBytes) stop.abort();
      look = undefined;
    });
  }, lookEveryMs);
  // Everything is received as a pack, so that its size can be seen.
  const ran = await git(['-c', 'fetch.unpackLimit=1', 'fetch', ...args], { gitdir, signal: stop.signal });
  clearInterval(timer);
  await look;
  return (await packedBytes(gitdir)) - before > mostBytes ? 'too-large' : ran;
}

/** Bytes of packs, also of those that are being received. */
export async function packedBytes(gitdir: string): Promise<number> {
  const packs = join(gitdir, 'objects/pack');
  const names = await readdir(packs).catch(() => []);
  const sizes = await Promise.all(
    names.map(async (name) => (await stat(join(packs, name)).catch(() => undefined))?.size),
  );
  return sizes.reduce((sum: number, size) => sum + (size ?? 0), 0);
}
