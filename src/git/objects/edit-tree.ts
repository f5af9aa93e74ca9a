import { GitError } from '../git-error.ts';
import { isFolder, type NewObject, newObject, newTree, type TreeEntry } from './new-objects.ts';
import type { Objects } from './objects.ts';

/** New text of files by path; undefined deletes a file. */
export type FileEdits = ReadonlyMap<string, string | undefined>;

export interface EditedTree {
  readonly root: string;
  /** New objects, folders after their contents, the root last. */
  readonly objects: readonly NewObject[];
}

/**
 * A tree with some files added, replaced or deleted; a folder that becomes empty is deleted too. Error `failed` when a part of a
 * path is not a folder: targets of links are not changed.
 */
export async function editTree(objects: Objects, tree: string, edits: FileEdits): Promise<EditedTree> {
  const edited = await editFolder(objects, tree, { prefix: '', edits });
  if (edited !== undefined) return edited;
  const empty = newTree([]);
  return { root: empty.oid, objects: [empty] };
}

/** Undefined when nothing is left in it. */
async function editFolder(
  objects: Objects,
  tree: string | undefined,
  { prefix, edits }: { readonly prefix: string; readonly edits: FileEdits },
): Promise<EditedTree | undefined> {
  const entries = new Map((tree === undefined ? [] : await objects.tree(tree)).map((entry) => [entry.name, entry]));
  const made: NewObject[] = [];
  const put = (entry: TreeEntry) => entries.set(entry.name, entry);
  const inner = new Map<string, Map<string, string | undefined>>();
  for (const [path, text] of edits) {
    const [name = '', ...rest] = path.split('/');
    if (rest.length > 0) {
      inner.set(name, (inner.get(name) ?? new Map<string, string | undefined>()).set(rest.join('/'), text));
    } else if (text === undefined) entries.delete(name);
    else {
      const blob = newObject('blob', Buffer.from(text));
      made.push(blob);
      put({ mode: '100644', name, oid: blob.oid });
    }
  }
  for (const [name, within] of inner) {
    const old = entries.get(name);
    if (old && !isFolder(old))
      throw new GitError('failed', `${prefix}${name} is not a folder: no file can be written into it`);
    const edited = await editFolder(objects, old?.oid, { prefix: `${prefix}${name}/`, edits: within });
    if (edited === undefined) entries.delete(name);
    else {
      made.push(...edited.objects);
      put({ mode: '40000', name, oid: edited.root });
    }
  }
  if (entries.size === 0) return undefined;
  const root = newTree([...entries.values()]);
  return { root: root.oid, objects: [...made, root] };
}
