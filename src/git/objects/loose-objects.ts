import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { constants, inflate, inflateSync, type ZlibOptions } from 'node:zlib';
import { largestObject, type StoredObject } from './objects.ts';

const expand = promisify(inflate);

/** Longer than any header with the type and the size. */
const headerBytes = 64;

/** Deflated bytes that this thread inflates by itself, at most 16 MB in 15 ms: the stream of a hand-over costs more than a manifest. */
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
  const tried = await Promise.all(oids.map(async (oid) => [oid, await read(oid)] as const));
  return new Map(tried.flatMap(([oid, found]) => (found === undefined ? [] : [[oid, found]])));
}

async function readLoose(gitdir: string, oid: string): Promise<StoredObject | undefined> {
  const file = fileOf(gitdir, oid);
  const packedSize = file === undefined ? undefined : await stat(file).catch(() => undefined);
  // What cannot be compressed grows a little.
  if (file === undefined || packedSize === undefined || packedSize.size > 2 * largestObject) return undefined;
  const whole = await readFile(file)
    // The size in a header may be too small.
    .then((packed) => inflated(packed, { maxOutputLength: largestObject + headerBytes }))
    .catch(() => undefined);
  const header = whole && headerOf(whole);
  if (header === undefined) return undefined;
  const content = whole!.subarray(header.length);
  return header.size === content.length ? { type: header.type, content } : undefined;
}

async function readSize(gitdir: string, oid: string): Promise<number | undefined> {
  const file = fileOf(gitdir, oid);
  const handle = file === undefined ? undefined : await open(file, 'r').catch(() => undefined);
  try {
    const read = await handle?.read(Buffer.alloc(headerBytes), 0, headerBytes, 0);
    if (read === undefined) return undefined;
    const partial = { finishFlush: constants.Z_SYNC_FLUSH };
    return headerOf(await inflated(read.buffer.subarray(0, read.bytesRead), partial))?.size;
  } catch {
    return undefined;
  } finally {
    await handle?.close();
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
