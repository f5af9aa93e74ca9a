import { GitError } from '../git-error.ts';
import type { TreeEntry } from './new-objects.ts';

/** The entries of a tree object. Error `failed` if it is cut off: a server may send objects that git would not have written. */
export function parseTree(content: Buffer): TreeEntry[] {
  const entries: TreeEntry[] = [];
  let at = 0;
  while (at < content.length) {
    const space = content.indexOf(32, at);
    const zero = content.indexOf(0, space);
    if (space < 0 || zero < 0 || zero + 21 > content.length)
      throw new GitError(
        'failed',
        `a folder of the repository is cut off after ${entries.length} entries: run git fsck`,
      );
    entries.push({
      mode: content.toString('latin1', at, space),
      name: content.toString('utf8', space + 1, zero),
      oid: content.toString('hex', zero + 1, zero + 21),
    });
    at = zero + 21;
  }
  return entries;
}
