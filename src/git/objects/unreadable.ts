import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Why an object may exist although git and isomorphic-git report it as missing, as they do when permissions, too many open files
 * or a broken disk keep them from reading. The distinction matters because a missing commit means that history was rewound.
 * Undefined if the object really does not exist.
 */
export async function unreadable(gitdir: string, oid: string): Promise<string | undefined> {
  const loose = join(gitdir, 'objects', oid.slice(0, 2), oid.slice(2));
  const packs = join(gitdir, 'objects/pack');
  try {
    if (await unlessAbsent(lstat(loose), undefined)) return `${loose} exists but is not an object`;
    for (const name of await unlessAbsent(readdir(packs), [])) if (isPack(name)) await probe(join(packs, name));
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const isPack = (name: string): boolean => name.endsWith('.idx') || name.endsWith('.pack');

/** Reads a byte: opening alone does not reveal every fault. */
async function probe(file: string): Promise<void> {
  const opened = await unlessAbsent(open(file, 'r'), undefined);
  try {
    await opened?.read(Buffer.alloc(1), 0, 1, 0);
  } finally {
    await opened?.close();
  }
}

/** A file that does not exist has no object; a repack may remove packs meanwhile. */
const unlessAbsent = <T, U>(read: Promise<T>, otherwise: U): Promise<T | U> =>
  read.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return otherwise;
    throw error;
  });
