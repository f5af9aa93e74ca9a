import { hash } from 'node:crypto';
import { appendFile, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from '../make-directory.ts';
import type { ParsedFile } from '../yaml/parse-yaml.ts';

/** Incremented when parsing changes, so that results of older versions are not used. */
const parserVersion = 4;

/** A parsed file, and the size of its text in bytes. */
export interface CachedFile extends ParsedFile {
  readonly size: number;
}

/** Parsed files by blob id: in memory with stable identity, on disk so that a restart does not parse again. */
export interface LoadCache {
  get(oid: string): CachedFile | undefined;
  put(oid: string, parsed: CachedFile): void;
  /** Drops unused entries and writes new ones. A failed write is reported and costs only time. */
  flush(inUse: ReadonlySet<string>): Promise<void>;
}

/** A cache in memory only. */
export const memoryCache = (): LoadCache => cache(new Map(), undefined);

/** For files of past commits: shares present entries, and never drops them. */
export function readThrough({ get }: LoadCache): LoadCache {
  const past = new Map<string, CachedFile>();
  return {
    get: (oid) => past.get(oid) ?? get(oid),
    put: (oid, parsed) => void past.set(oid, parsed),
    flush: async () => {},
  };
}

/**
 * Opens the cache in a directory. Every line has its own digest; a truncated or corrupt line is ignored and parsed again. Readable by
 * its owner only, since a fleet repo may contain Secrets. `cannotWrite` is called at the first failed write.
 */
export async function loadCache(dir: string, cannotWrite: (error: unknown) => void = () => {}): Promise<LoadCache> {
  const file = join(dir, `parsed-v${parserVersion}.jsonl`);
  const known = new Map<string, CachedFile>();
  const text = await readFile(file, 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line !== '');
  for (const line of lines) {
    const entry = readLine(line);
    if (entry) known.set(...entry);
  }
  return cache(known, { dir, file, lines: lines.length, cannotWrite });
}

interface Disk {
  readonly dir: string;
  readonly file: string;
  readonly lines: number;
  readonly cannotWrite: (error: unknown) => void;
}

/** Size of the file relative to its live entries, beyond which it is rewritten. */
const slack = 2;

function cache(known: Map<string, CachedFile>, disk: Disk | undefined): LoadCache {
  const fresh = new Set<string>();
  let lines = disk?.lines ?? 0;
  let isReported = false;
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
      if (added.length === 0) return;
      fresh.clear();
      const rewrite = lines + added.length > slack * known.size + 100;
      const written = rewrite ? [...known.keys()] : added;
      // Each line starts with its line break, since a crash may have truncated the last line.
      const text = written.map((oid) => `\n${writeLine(oid, known.get(oid)!)}`).join('');
      try {
        await makeDirectory(disk.dir, 0o700);
        if (rewrite) await replace(disk, text);
        else await appendFile(disk.file, text, { mode: 0o600 });
        lines = rewrite ? written.length : lines + written.length;
      } catch (error) {
        for (const oid of added) fresh.add(oid);
        if (!isReported) disk.cannotWrite(error);
        isReported = true;
      }
    },
  };
}

async function replace({ dir, file }: { readonly dir: string; readonly file: string }, text: string): Promise<void> {
  const next = `${file}.${process.pid}`;
  await rm(next, { force: true });
  await appendFile(next, text, { mode: 0o600 });
  await rename(next, file);
  const others = (await readdir(dir)).filter((name) => /^parsed-v\d+\.jsonl/.test(name) && join(dir, name) !== file);
  for (const name of others) await rm(join(dir, name), { force: true });
}

const digestOf = (text: string): string => hash('sha256', text, 'base64url').slice(0, 22);

function writeLine(oid: string, parsed: CachedFile): string {
  const text = JSON.stringify([oid, parsed]);
  return `${digestOf(text)} ${text}`;
}

function readLine(line: string): [string, CachedFile] | undefined {
  const text = line.slice(23);
  return line[22] === ' ' && line.startsWith(digestOf(text)) ? (JSON.parse(text) as [string, CachedFile]) : undefined;
}
