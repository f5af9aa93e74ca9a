import type { TreeFile } from '../../repo/tree.ts';
import { isFolder, type TreeEntry } from './new-objects.ts';

/** A fleet of 1,000 placements on 1,000 clusters has fewer than 20,000; a path takes about 200 bytes. */
const mostFiles = 500_000;
/** Each level is one round of reading; a path of 4,096 characters, the longest of Linux, is seldom deeper. */
export const deepestFolder = 100;

/**
 * Every file under a folder. A folder with too many files is listed itself, with the mode of a folder: a few folders that
 * contain each other many times over make billions of paths.
 */
export function listFiles(root: string, folders: ReadonlyMap<string, readonly TreeEntry[]>): TreeFile[] {
  const files: TreeFile[] = [];
  const counts = fileCounts(folders);
  const collect = (oid: string, prefix: string): void => {
    for (const { name, oid: inner, mode } of folders.get(oid) ?? []) {
      const path = prefix + name;
      if (!isFolder({ mode })) files.push({ path, oid: inner, mode });
      else if (!folders.has(inner) || files.length + counts(inner) > mostFiles) files.push({ path, oid: inner, mode });
      else collect(inner, `${path}/`);
    }
  };
  collect(root, '');
  return files;
}

/** How many files lie under a folder, with those of the folders inside. */
function fileCounts(folders: ReadonlyMap<string, readonly TreeEntry[]>): (oid: string) => number {
  const known = new Map<string, number>();
  const count = (oid: string): number => {
    const there = known.get(oid);
    if (there !== undefined) return there;
    let sum = 0;
    for (const entry of folders.get(oid) ?? []) sum += isFolder(entry) ? count(entry.oid) : 1;
    known.set(oid, sum);
    return sum;
  };
  return count;
}
