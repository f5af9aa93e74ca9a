import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { constants, inflate, inflateSync, type ZlibOptions } from 'node:zlib';
import { largestObject, type StoredObject } from './objects.ts';

const expand = promisify(inflate);

/** Longer than any header with the type and the size. */
const headerBytes = 64;

/**
 * Deflated bytes that this thread reads and inflates by itself, at most 16 MB in 15 ms: to hand over each step of that costs more than a
 * manifest.
 */
const mostHere = 16 * 1024;

const inflated = async (deflated: Buffer, options: ZlibOptions): Promise<Buffer> =>
  deflated.length <= mostHere ? inflateSync(deflated, options) : expand(deflated, options);

/**
 * Those of the objects that are loose files, as a commit leaves them until the next repack, read without starting a process: for
 * a daemon of two gigabytes, starting git costs 15 ms. Objects that are missing, too large, or not as git writes them are left
 * out: git also searches packs and alternates, and reports what is wrong with a broken file.
 */
export async function looseObjects(gitdir: string, oids: readonly string[]): Promise<Map<string, StoredObject>> {
  return foundAmong(oids, (oid) => readLoose(gitdir, oid));
}

/** Sizes of loose objects, of which only the beginning is read and inflated. */
export async function looseSizes(gitdir: string, oids: readonly string[]): Promise<Map<string, number>> {
  return foundAmong(oids, (oid) => readSize(gitdir, oid));
}

async function foundAmong<T>(
  oids: readonly string[],
  read: (oid: string) => Promise<T | undefined>,
): Promise<Map<string, T>> {
  const tried = await Promise.all(oids.map(async (oid) => [oid, await read(oid).catch(() => undefined)] as const));
  return new Map(tried.flatMap(([oid, found]) => (found === undefined ? [] : [[oid, found]])));
}

async function readLoose(gitdir: string, oid: string): Promise<StoredObject | undefined> {
  const file = fileOf(gitdir, oid);
  const packedSize = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false })?.size;
  // What cannot be compressed grows a little.
  if (file === undefined || packedSize === undefined || packedSize > 2 * largestObject) return undefined;
  const packed = packedSize <= mostHere ? readFileSync(file) : await readFile(file);
  // The size in a header may be too small.
  const whole = await inflated(packed, { maxOutputLength: largestObject + headerBytes });
  const header = headerOf(whole);
  if (header === undefined) return undefined;
  const content = whole.subarray(header.length);
  return header.size === content.length ? { type: header.type, content } : undefined;
}

async function readSize(gitdir: string, oid: string): Promise<number | undefined> {
  const file = fileOf(gitdir, oid);
  if (file === undefined) return undefined;
  const handle = openSync(file, 'r');
  try {
    const begin = Buffer.alloc(headerBytes);
    const length = readSync(handle, begin, 0, headerBytes, 0);
    return headerOf(inflateSync(begin.subarray(0, length), { finishFlush: constants.Z_SYNC_FLUSH }))?.size;
  } finally {
    closeSync(handle);
  }
}

const fileOf = (gitdir: string, oid: string): string | undefined =>
  /^[0-9a-f]{40}$/.test(oid) ? join(gitdir, 'objects', oid.slice(0, 2), oid.slice(2)) : undefined;

interface Header {
  readonly type: string;
  readonly size: number;
  /** With the zero byte at its end. */
  readonly length: number;
}

function headerOf(inflated: Buffer): Header | undefined {
  const end = inflated.subarray(0, headerBytes).indexOf(0);
  const [, type, size] = /^(commit|tree|blob|tag) (\d+)$/.exec(inflated.toString('latin1', 0, Math.max(end, 0))) ?? [];
  return type === undefined ? undefined : { type, size: Number(size), length: end + 1 };
}
