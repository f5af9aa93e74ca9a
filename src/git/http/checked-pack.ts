import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import { GitError } from '../git-error.ts';
import { largestObject } from '../objects/objects.ts';
import { entrySize } from '../objects/packed-sizes.ts';
import type { PackSink } from './pack-sink.ts';

/** Holds a pack until it is known that all its objects may be inflated whole. Error `too-large`. */
export function checkedPack(url: string): PackSink {
  const chunks: Buffer[] = [];
  return {
    write: async (chunk) => void chunks.push(Buffer.from(chunk)),
    async end() {
      const pack = Buffer.concat(chunks.splice(0));
      await checkPack(pack, url);
      return pack;
    },
    abort: () => void chunks.splice(0),
  };
}

/**
 * Refuses a pack with an object larger than `largestObject` before isomorphic-git inflates it whole. A delta is as large as what it
 * makes. Errors: `too-large`; `failed` for what is no pack.
 */
async function checkPack(pack: Buffer, url: string): Promise<void> {
  if (pack.length === 0) return;
  if (pack.toString('latin1', 0, 4) !== 'PACK')
    throw new GitError('failed', `fetch from ${url}: what the server sent is no pack`);
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
        `fetch from ${url}: an object of ${size} bytes comes with it, of at most ${largestObject}: install git, which takes it in piece by piece`,
      );
    at += dataAt + (await deflatedLength(pack.subarray(at + dataAt)));
  }
}

async function deflatedLength(from: Buffer): Promise<number> {
  // A header may say less than there is.
  const { engine } = await expand(from, { info: true, maxOutputLength: largestObject + 1 });
  return engine.bytesWritten;
}

const expand = promisify(inflate) as unknown as (
  bytes: Buffer,
  options: { readonly info: true; readonly maxOutputLength: number },
) => Promise<{ readonly engine: { readonly bytesWritten: number } }>;
