import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import { GitError } from '../git-error.ts';
import { largestObject } from '../objects/objects.ts';
import { entrySize } from '../objects/packed-sizes.ts';
import type { PackSink } from './pack-sink.ts';

/** Keeps a pack back until all its objects are known to be small enough to inflate whole. Error `too-large`. */
export function checkedPack(url: string): PackSink {
  const chunks: Buffer[] = [];
  return {
    write: async (chunk) => void chunks.push(Buffer.from(chunk)),
    async end() {
      const pack = Buffer.concat(chunks.splice(0));
      await checkPack(pack, url);
      return pack;
    },
    abort: async () => void chunks.splice(0),
  };
}

/**
 * Refuses a pack with an object larger than `largestObject` before isomorphic-git inflates it whole. A delta is as large as what it
 * makes. Errors: `too-large`; `failed` for data that is not a pack.
 */
async function checkPack(pack: Buffer, url: string): Promise<void> {
  if (pack.length === 0) return;
  if (pack.toString('latin1', 0, 4) !== 'PACK')
    throw new GitError('failed', `fetch from ${url}: the server did not send a pack`);
  const count = pack.readUInt32BE(8);
  let at = 12;
  for (let entry = 0; entry < count; entry++) {
    const head = pack.subarray(at, at + 256);
    if (head.length === 0)
      throw new GitError('failed', `fetch from ${url}: the pack ends after ${entry} of ${count} objects`);
    const { size, dataAt } = await entrySize(head);
    if (size > largestObject)
      throw new GitError(
        'too-large',
        `fetch from ${url}: it includes an object of ${size} bytes, at most ${largestObject} are allowed: install git, which streams such objects`,
      );
    at += dataAt + (await deflatedLength(pack.subarray(at + dataAt)));
  }
}

async function deflatedLength(from: Buffer): Promise<number> {
  // The size in a header may be too small.
  const { engine } = await expand(from, { info: true, maxOutputLength: largestObject + 1 });
  return engine.bytesWritten;
}

const expand = promisify(inflate) as unknown as (
  bytes: Buffer,
  options: { readonly info: true; readonly maxOutputLength: number },
) => Promise<{ readonly engine: { readonly bytesWritten: number } }>;
