import { GitError } from '../git-error.ts';
import { largestObject, type ObjectStore } from './objects.ts';

/**
 * Reads objects after asking for the sizes of those that are not known to be small enough: two megabytes of a pack may hold one
 * of 600. Remembers what the last listing asked for, so that a commit costs only what it changed. Error `too-large`.
 */
export function boundedRead(store: ObjectStore): ObjectStore {
  let known = new Map<string, number>();

  async function sizes(oids: readonly string[]): Promise<Map<string, number>> {
    const missing = [...new Set(oids)].filter((oid) => !known.has(oid));
    const asked = missing.length === 0 ? new Map<string, number>() : await store.sizes(missing);
    const found = new Map(oids.map((oid) => [oid, asked.get(oid) ?? known.get(oid)!]));
    if (known.size > mostKnown) known = new Map(found);
    else for (const [oid, size] of asked) known.set(oid, size);
    return found;
  }

  return {
    sizes,
    async read(oids) {
      for (const [oid, size] of await sizes(oids))
        if (size > largestObject)
          throw new GitError(
            'too-large',
            `${oid} has ${size} bytes: at most ${largestObject} are read of one object of a repository`,
          );
      return store.read(oids);
    },
  };
}

/** About 100 bytes each. */
const mostKnown = 500_000;
