import { createHash } from 'node:crypto';
import { appendFile, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from '../make-directory.ts';
import type { ParsedFile } from '../yaml/parse-yaml.ts';

/** Raised when parsing changes, so that what an older version understood is not taken for what this one would. */
const parserVersion = 3;

/** Parsed files by blob id: in memory with stable identity, on disk so that a restart does not parse again. */
export interface LoadCache {
  get(oid: string): ParsedFile | undefined;
  put(oid: string, parsed: ParsedFile): void;
  /** Forgets everything that is not in use, and writes what is new. A disk that cannot be written costs only time, and is told. */
  flush(inUse: ReadonlySet<string>): Promise<void>;
}

/** A cache for as long as the process runs. */
export const memoryCache = (): LoadCache => cache(new Map(), undefined);

/** For files of the past: what they share with the present is not parsed again, and nothing of the present is forgotten. */
export function readThrough({ get }: LoadCache): LoadCache {
  const past = new Map<string, ParsedFile>();
  return {
    get: (oid) => past.get(oid) ?? get(oid),
    put: (oid, parsed) => void past.set(oid, parsed),
    flush: async () => {},
  };
}

/**
 * Reads the cache of a directory. Every line carries its own digest: one that was cut off, or in which a bit fell over, is
 * ignored, since everything in it can be made again. Readable by its owner only, since a fleet repo may hold Secrets.
 * `cannotWrite` is called the first time that it cannot be written.
 */
export async function loadCache(dir: string, cannotWrite: (error: unknown) => void = () => {}): Promise<LoadCache> {
  const file = join(dir, `parsed-v${parserVersion}.jsonl`);
  const known = new Map<string, ParsedFile>();
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

/** Dead entries that are tolerated in the file before it is written anew. */
const slack = 2;

function cache(known: Map<string, ParsedFile>, disk: Disk | undefined): LoadCache {
  const fresh = new Set<string>();
  let lines = disk?.lines ?? 0;
  let told = false;
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
      // Every line brings its own line break in front: the end of the file may be a line that a crash cut off.
      const text = written.map((oid) => `\n${writeLine(oid, known.get(oid)!)}`).join('');
      try {
        await makeDirectory(disk.dir, 0o700);
        if (rewrite) await replace(disk, text);
        else await appendFile(disk.file, text, { mode: 0o600 });
        lines = rewrite ? written.length : lines + written.length;
      } catch (error) {
        for (const oid of added) fresh.add(oid);
        if (!told) disk.cannotWrite(error);
        told = true;
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

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22);

function writeLine(oid: string, parsed: ParsedFile): string {
  const text = JSON.stringify([oid, parsed]);
  return `${digestOf(text)} ${text}`;
}

function readLine(line: string): [string, ParsedFile] | undefined {
  const text = line.slice(23);
  return line[22] === ' ' && line.startsWith(digestOf(text)) ? (JSON.parse(text) as [string, ParsedFile]) : undefined;
}
