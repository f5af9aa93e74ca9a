import { appendFile, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ParsedFile } from './parse-yaml.ts';

/** Raised when parsing changes, so that what an older version understood is not taken for what this one would. */
const parserVersion = 1;

/** Parsed files by blob id: in memory with stable identity, on disk so that a restart does not parse again. */
export interface LoadCache {
  get(oid: string): ParsedFile | undefined;
  put(oid: string, parsed: ParsedFile): void;
  /** Forgets everything that is not in use, and writes what is new. */
  flush(inUse: ReadonlySet<string>): Promise<void>;
}

export const memoryCache = (): LoadCache => cache(new Map(), undefined);

/** Reads the cache of a directory; a file that cannot be understood is ignored, since everything in it can be made again. */
export async function loadCache(dir: string): Promise<LoadCache> {
  const file = join(dir, `parsed-v${parserVersion}.jsonl`);
  const known = new Map<string, ParsedFile>();
  const text = await readFile(file, 'utf8').catch(() => '');
  for (const line of text.split('\n')) {
    try {
      const [oid, parsed] = JSON.parse(line) as [string, ParsedFile];
      known.set(oid, parsed);
    } catch {
      // A line cut off by a crash, or the end of the file.
    }
  }
  return cache(known, { dir, file });
}

/** Dead entries that are tolerated in the file before it is written anew. */
const slack = 2;

function cache(
  known: Map<string, ParsedFile>,
  disk: { readonly dir: string; readonly file: string } | undefined,
): LoadCache {
  const fresh = new Set<string>();
  let onDisk = known.size;
  return {
    get: (oid) => known.get(oid),
    put(oid, parsed) {
      known.set(oid, parsed);
      fresh.add(oid);
    },
    async flush(inUse) {
      for (const oid of known.keys()) if (!inUse.has(oid)) known.delete(oid);
      if (!disk) return;
      const added = [...fresh].filter((oid) => known.has(oid));
      fresh.clear();
      if (added.length === 0) return;
      const lines = (oids: Iterable<string>) =>
        [...oids].map((oid) => `${JSON.stringify([oid, known.get(oid)])}\n`).join('');
      await mkdir(disk.dir, { recursive: true });
      onDisk += added.length;
      if (onDisk <= slack * known.size + 100) return appendFile(disk.file, lines(added));
      const next = `${disk.file}.${process.pid}`;
      await rm(next, { force: true });
      await appendFile(next, lines(known.keys()));
      await rename(next, disk.file);
      onDisk = known.size;
    },
  };
}
