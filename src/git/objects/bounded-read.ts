import { GitError } from '../git-error.ts';
import { largestObject, type ObjectStore, type StoredObject } from './objects.ts';

export interface BoundedRead {
  sizes(oids: readonly string[]): Promise<Map<string, number>>;
  /** Leaves out objects larger than `largestObject`. */
  readSmall(oids: readonly string[]): Promise<Map<string, StoredObject>>;
  /** Error `too-large`. */
  read(oids: readonly string[]): Promise<Map<string, StoredObject>>;
}

/**
 * Reads objects after looking up the sizes of those that are not known to be small enough: two megabytes of a pack may inflate
 * to 600. Caches the sizes of the last listing, so that a commit costs only what it changed.
 */
export function boundedRead(store: ObjectStore): BoundedRead {
  let known = new Map<string, number>();

  async function sizes(oids: readonly string[]): Promise<Map<string, number>> {
    const missing = [...new Set(oids)].filter((oid) => !known.has(oid));
    const asked = missing.length === 0 ? new Map<string, number>() : await store.sizes(missing);
    const found = new Map(oids.map((oid) => [oid, asked.get(oid) ?? known.get(oid)!]));
    if (known.size > mostKnown) known = new Map(found);
    else for (const [oid, size] of asked) known.set(oid, size);
    return found;
  }

  async function readSmall(oids: readonly string[]): Promise<Map<string, StoredObject>> {
    if (store.readSmall && oids.some((oid) => !known.has(oid))) {
      const { sizes: asked, objects } = await store.readSmall(oids);
      for (const [oid, size] of asked) known.set(oid, size);
      return objects;
    }
    const found = await sizes(oids);
    return store.read(oids.filter((oid) => found.get(oid)! <= largestObject));
  }

  return {
    sizes,
    readSmall,
    async read(oids) {
      const objects = await readSmall(oids);
      const left = oids.find((oid) => !objects.has(oid));
      if (left === undefined) return objects;
      throw new GitError(
        'too-large',
        `${left} has ${known.get(left)} bytes: at most ${largestObject} are read of one object of a repository`,
      );
    },
  };
}

/** About 100 bytes each. */
const mostKnown = 500_000;
