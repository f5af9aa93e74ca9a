import { GitError } from '../git-error.ts';
import { isFolder, type TreeEntry } from './new-objects.ts';
import type { Objects } from './objects.ts';

/** Error `not-found`: a mistyped folder must not look like a fleet that is empty. */
export async function requireFolder(
  { commit, tree }: Pick<Objects, 'commit' | 'tree'>,
  of: { readonly folder: string; readonly commit: string; readonly named: string },
): Promise<void> {
  if (of.folder === '') return;
  const root = (await commit(of.commit)).tree;
  if ((await treeOfFolder(tree, root, of.folder)) !== undefined) return;
  throw new GitError(
    'not-found',
    `${of.named} at ${of.commit.slice(0, 12)} has no folder ${of.folder}: commit the fleet there, or name another --path`,
  );
}

/** The tree of a folder below a tree; undefined where there is none. Links are not followed. */
export async function treeOfFolder(
  tree: (oid: string) => Promise<readonly TreeEntry[]>,
  root: string,
  folder: string,
): Promise<string | undefined> {
  let found: string | undefined = root;
  for (const part of folder.split('/').slice(0, -1)) {
    if (found === undefined) return undefined;
    found = (await tree(found)).find((entry) => entry.name === part && isFolder(entry))?.oid;
  }
  return found;
}
