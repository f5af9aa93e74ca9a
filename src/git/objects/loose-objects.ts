import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import type { StoredObject } from './objects.ts';

const expand = promisify(inflate);

/**
 * The objects among these that lie in files of their own, as a commit leaves them until the next repack, read without starting
 * a process: of a daemon with two gigabytes a start of git costs 15 ms. What is not there, or not what git would have written,
 * is left out: git looks into packs and alternates too, and says what is wrong with a broken file.
 */
export async function looseObjects(gitdir: string, oids: readonly string[]): Promise<Map<string, StoredObject>> {
  const tried = await Promise.all(oids.map(async (oid) => [oid, await readLoose(gitdir, oid)] as const));
  return new Map(tried.flatMap(([oid, object]) => (object ? [[oid, object]] : [])));
}

async function readLoose(gitdir: string, oid: string): Promise<StoredObject | undefined> {
  if (!/^[0-9a-f]{40}$/.test(oid)) return undefined;
  const file = join(gitdir, 'objects', oid.slice(0, 2), oid.slice(2));
  const whole = await readFile(file)
    .then((packed) => expand(packed))
    .catch(() => undefined);
  if (whole === undefined) return undefined;
  const end = whole.indexOf(0);
  const [, type, size] = /^(commit|tree|blob|tag) (\d+)$/.exec(whole.toString('latin1', 0, end)) ?? [];
  const content = whole.subarray(end + 1);
  return type === undefined || Number(size) !== content.length ? undefined : { type, content };
}
