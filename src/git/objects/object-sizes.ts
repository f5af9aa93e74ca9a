import { GitError } from '../git-error.ts';
import { git } from '../native/run-git.ts';
import { looseSizes } from './loose-objects.ts';
import type { ObjectStore } from './objects.ts';
import { packedSizes } from './packed-sizes.ts';
import { mostLoose, notRead, pureFault, throughRepacks } from './read-objects.ts';

type Sizes = ObjectStore['sizes'];

/** Sizes from the headers of objects. Error `object-missing`. */
export const nativeSizes =
  (gitdir: string): Sizes =>
  async (oids) => {
    const wanted = [...new Set(oids)];
    const found = wanted.length > mostLoose ? new Map<string, number>() : await looseSizes(gitdir, wanted);
    const others = wanted.filter((oid) => !found.has(oid));
    if (others.length === 0) return found;
    const ran = await git(['cat-file', '--batch-check', '--buffer'], { gitdir, input: `${others.join('\n')}\n` });
    if (ran.code !== 0) throw new GitError('failed', `git cat-file in ${gitdir}: ${ran.stderr}`);
    for (const line of ran.stdout.toString('latin1').trimEnd().split('\n')) {
      const [oid, , size] = line.split(' ') as [string, string, string | undefined];
      if (size === undefined) throw await notRead(oid, gitdir);
      found.set(oid, Number(size));
    }
    return found;
  };

/** Without the git binary. Error `object-missing`. */
export function pureSizes(gitdir: string): Sizes {
  const unlessRepacked = throughRepacks();
  const all = async (wanted: readonly string[]): Promise<Map<string, number>> => {
    const loose = await looseSizes(gitdir, wanted);
    const others = wanted.filter((oid) => !loose.has(oid));
    const packed = others.length === 0 ? new Map<string, number>() : await packedSizes(gitdir, others);
    const missing = others.find((oid) => !packed.has(oid));
    // The error of isomorphic-git, so that the read is retried as after a repack.
    if (missing !== undefined)
      throw Object.assign(new Error(missing), { code: 'NotFoundError', data: { what: missing } });
    return new Map([...loose, ...packed]);
  };
  return (oids) =>
    unlessRepacked(() => all([...new Set(oids)])).catch(async (error: unknown) => {
      throw await pureFault(error, gitdir);
    });
}
