import { mkdir, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { gitOrThrow } from '../native/run-git.ts';
import { type NewObject, packOf } from './new-objects.ts';

const compress = promisify(deflate);

/** For this many objects or more, one pack is written instead of loose files: a first status commit may have thousands. */
const packFrom = 100;
/** Loose files written concurrently. */
const writesAtOnce = 16;

/** Writes objects into a repository. No ref points at them yet: after a crash, git gc removes them. */
export async function writeObjects(gitdir: string, objects: readonly NewObject[], native: boolean): Promise<void> {
  if (native && objects.length >= packFrom) {
    await gitOrThrow(['index-pack', '--stdin'], { gitdir, input: packOf(objects) });
    return;
  }
  for (let from = 0; from < objects.length; from += writesAtOnce)
    await Promise.all(objects.slice(from, from + writesAtOnce).map((object) => writeLoose(gitdir, object)));
}

let serial = 0;

async function writeLoose(gitdir: string, { oid, type, content }: NewObject): Promise<void> {
  const folder = join(gitdir, 'objects', oid.slice(0, 2));
  const path = join(folder, oid.slice(2));
  if (await stat(path).catch(() => undefined)) return;
  const packed = await compress(Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]));
  await mkdir(folder, { recursive: true });
  const temporary = join(folder, `tmp_obj_${process.pid}_${serial++}`);
  await writeFile(temporary, packed, { mode: 0o444 });
  await rename(temporary, path);
}
