import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Why an object may be there although git and isomorphic-git report it as missing, as they do where permissions, too many open
 * files or a broken disk keep them from reading: a missing commit means that history was rewound. Undefined where the object really
 * is not there.
 */
export async function unreadable(gitdir: string, oid: string): Promise<string | undefined> {
  const loose = join(gitdir, 'objects', oid.slice(0, 2), oid.slice(2));
  const packs = join(gitdir, 'objects/pack');
  try {
    if (await unlessAbsent(lstat(loose), undefined)) return `${loose} is there and is no object`;
    for (const name of await unlessAbsent(readdir(packs), [])) if (isPack(name)) await probe(join(packs, name));
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const isPack = (name: string): boolean => name.endsWith('.idx') || name.endsWith('.pack');

/** Reads a byte: opening alone does not show every fault. */
async function probe(file: string): Promise<void> {
  const opened = await unlessAbsent(open(file, 'r'), undefined);
  try {
    await opened?.read(Buffer.alloc(1), 0, 1, 0);
  } finally {
    await opened?.close();
  }
}

/** What is not there holds no object; a repack may remove packs meanwhile. */
const unlessAbsent = <T, U>(read: Promise<T>, otherwise: U): Promise<T | U> =>
  read.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return otherwise;
    throw error;
  });
