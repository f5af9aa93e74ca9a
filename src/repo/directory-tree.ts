import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fleetLimits } from './too-large.ts';
import { isHidden, type RepoTree, type TreeFile } from './tree.ts';

/**
 * A directory as a fleet repo: its present files, or only those named by `only`. Folders that begin with a dot are skipped.
 */
export async function openDirectory(root: string, only?: readonly string[]): Promise<RepoTree> {
  const files: TreeFile[] = [];
  const contents = new Map<string, Uint8Array>();
  const sizes = new Map<string, number>();
  const walk = async (folder: string): Promise<void> => {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && entry.name.startsWith('.')) continue;
      if (entry.isDirectory()) await walk(path);
      else if (entry.isSymbolicLink() || entry.isFile()) files.push(await read(path, entry.isSymbolicLink()));
    }
  };
  const read = async (path: string, link: boolean): Promise<TreeFile> => {
    const { size, mtimeMs } = await lstat(path);
    const isRead = size <= fleetLimits.file;
    // A file too large to read is identified by size and time of change.
    const bytes = link ? Buffer.from(await readlink(path)) : isRead ? await readFile(path) : Buffer.from(`${mtimeMs}`);
    const oid = createHash('sha1')
      .update(`blob ${isRead ? bytes.length : size}\0`)
      .update(bytes)
      .digest('hex');
    if (isRead) contents.set(oid, bytes);
    sizes.set(oid, size);
    return { path: relative(root, path).replaceAll('\\', '/'), oid, mode: link ? '120000' : '100644' };
  };
  const readOnly = async (paths: readonly string[]): Promise<void> => {
    for (const name of paths.filter((path) => !isHidden(path))) {
      const path = join(root, name);
      const there = await lstat(path).catch(() => undefined);
      if (there?.isSymbolicLink() || there?.isFile()) files.push(await read(path, there.isSymbolicLink()));
    }
  };
  await (only === undefined ? walk(root) : readOnly(only));
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  const id = createHash('sha256')
    .update(files.map(({ path, oid }) => `${oid} ${path}\n`).join(''))
    .digest('hex');
  return {
    id,
    files: async () => files,
    sizes: async () => sizes,
    read: async (oids) =>
      new Map(oids.flatMap((oid) => (contents.has(oid) ? [[oid, contents.get(oid)!] as const] : []))),
  };
}
