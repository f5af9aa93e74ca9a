import { type FileHandle, open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { constants, inflate } from 'node:zlib';

const expand = promisify(inflate);

/** Bytes for the header of an entry, the base that a delta names, and two numbers of its deflated text. */
const headBytes = 128;

/**
 * Sizes of objects in packs, by the header of each entry: nothing is inflated but the first bytes of a delta, which begin with
 * the size of the resulting object (gitformat-pack). Objects that are in no pack are left out.
 */
export async function packedSizes(gitdir: string, oids: readonly string[]): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  const folder = join(gitdir, 'objects/pack');
  for (const name of (await readdir(folder).catch(() => [])).filter(isIndex)) {
    const offsets = offsetsIn(await readFile(join(folder, name)));
    const here = oids.filter((oid) => !found.has(oid)).map((oid) => ({ oid, offset: offsets(oid) }));
    if (here.every(({ offset }) => offset === undefined)) continue;
    const pack = await open(join(folder, `${name.slice(0, -'.idx'.length)}.pack`), 'r');
    try {
      for (const { oid, offset } of here) if (offset !== undefined) found.set(oid, await sizeAt(pack, offset));
    } finally {
      await pack.close();
    }
  }
  return found;
}

/** A repack writes under other names first, which begin with a dot. */
const isIndex = (entry: string): boolean => entry.startsWith('pack-') && entry.endsWith('.idx');

const fanoutAt = 8;
const namesAt = fanoutAt + 256 * 4;

/** Where an object's entry begins in the pack of an index of version 2, the only one that git has written since 2008. */
function offsetsIn(index: Buffer): (oid: string) => number | undefined {
  if (index.toString('hex', 0, 8) !== 'ff744f6300000002') return () => undefined;
  const count = index.readUInt32BE(fanoutAt + 255 * 4);
  const smallAt = namesAt + count * (20 + 4);
  const largeAt = smallAt + count * 4;
  return (oid) => {
    const name = Buffer.from(oid, 'hex');
    if (name.length !== 20) return undefined;
    let low = name[0] === 0 ? 0 : index.readUInt32BE(fanoutAt + (name[0]! - 1) * 4);
    let high = index.readUInt32BE(fanoutAt + name[0]! * 4);
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = index.compare(name, 0, 20, namesAt + middle * 20, namesAt + (middle + 1) * 20);
      if (order === 0) {
        const small = index.readUInt32BE(smallAt + middle * 4);
        return small < 0x80000000 ? small : Number(index.readBigUInt64BE(largeAt + (small - 0x80000000) * 8));
      }
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return undefined;
  };
}

async function sizeAt(pack: FileHandle, offset: number): Promise<number> {
  const { buffer, bytesRead } = await pack.read(Buffer.alloc(headBytes), 0, headBytes, offset);
  return (await entrySize(buffer.subarray(0, bytesRead))).size;
}

/** The size of an entry once it is inflated, and where its deflated text begins. */
export async function entrySize(head: Buffer): Promise<{ readonly size: number; readonly dataAt: number }> {
  const type = (head[0]! >> 4) & 7;
  const { value, at } = numberAt(head, 0, 4);
  if (type !== 6 && type !== 7) return { size: value, dataAt: at };
  // A delta names its base by a distance (6) or by its id (7).
  const dataAt = type === 7 ? at + 20 : afterDistance(head, at);
  const partial = { finishFlush: constants.Z_SYNC_FLUSH };
  const delta = await expand(head.subarray(dataAt, dataAt + headBytes), partial);
  const base = numberAt(delta, 0, 7);
  return { size: numberAt(delta, base.at, 7).value, dataAt };
}

/** A number of seven bits a byte, the lowest first; the first byte may hold fewer. */
function numberAt(bytes: Buffer, from: number, firstBits: number): { readonly value: number; readonly at: number } {
  let [value, at, factor] = [bytes[from]! & (2 ** firstBits - 1), from + 1, 2 ** firstBits];
  while (at <= bytes.length && bytes[at - 1]! & 0x80) {
    value += (bytes[at]! & 0x7f) * factor;
    factor *= 128;
    at++;
  }
  return { value, at };
}

function afterDistance(head: Buffer, from: number): number {
  let at = from;
  while (at < head.length && head[at]! & 0x80) at++;
  return at + 1;
}
