import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { GitError } from '../git-error.ts';
import type { PackSink } from '../http/pack-sink.ts';
import { git } from './run-git.ts';

/** Header, the number of objects with it, and the digest at the end: a pack of none is no longer. */
const emptyPackBytes = 12 + 20;

/**
 * Writes a pack into a repository while it is received, by the git binary: large objects are inflated piece by piece, see
 * `core.bigFileThreshold` in `safeOptions`. Error `failed` for a pack that git refuses.
 */
export function indexPack(gitdir: string): PackSink {
  const input = new PassThrough();
  const indexed = git(['index-pack', '--stdin', '--fix-thin'], { gitdir, input });
  // Handled where it is awaited.
  indexed.catch(() => {});
  let size = 0;
  return {
    async write(chunk) {
      size += chunk.length;
      if (!input.write(chunk)) await Promise.race([once(input, 'drain'), indexed]);
    },
    async end() {
      input.end();
      const ran = await indexed;
      if (ran.code === 0 || size <= emptyPackBytes) return undefined;
      throw new GitError('failed', `git index-pack in ${gitdir}: ${ran.stderr || `exit code ${ran.code}`}`);
    },
    async abort() {
      input.destroy(new Error('the connection ended before the fetch was complete'));
      await indexed.catch(() => {});
    },
  };
}
