import { Readable } from 'node:stream';
import { GitError } from '../git-error.ts';
import { git, hasGitSince } from '../native/run-git.ts';
import { looseObjects } from './loose-objects.ts';
import { nativeSizes } from './object-sizes.ts';
import { largestObject, type ObjectStore } from './objects.ts';
import { mostLoose, nativeRead, notRead, parseBatch } from './read-objects.ts';

type ReadSmall = NonNullable<ObjectStore['readSmall']>;
type Read = Awaited<ReturnType<ReadSmall>>;

/**
 * Reads sizes, then the contents of objects that are small enough, from one process of git: for a daemon of two gigabytes, each
 * start of git costs 15 ms. Git before 2.36 has no `cat-file --batch-command` and is started twice. Error `object-missing`.
 */
export function nativeReadSmall(gitdir: string): ReadSmall {
  return async (oids) => {
    const wanted = [...new Set(oids)];
    const loose = wanted.length > mostLoose ? new Map() : await looseObjects(gitdir, wanted);
    const others = wanted.filter((oid) => !loose.has(oid));
    const read = (await hasGitSince(2, 36)) ? readInOneProcess : readInTwo;
    const { sizes, objects } = others.length === 0 ? { sizes: [], objects: [] } : await read(gitdir, others);
    return {
      sizes: new Map([...[...loose].map(([oid, { content }]) => [oid, content.length] as const), ...sizes]),
      objects: new Map([...loose, ...objects]),
    };
  };
}

async function readInOneProcess(gitdir: string, oids: readonly string[]): Promise<Read> {
  const answered = Promise.withResolvers<readonly string[]>();
  const infos: Buffer[] = [];
  let lines = 0;
  const ask = async function* () {
    yield `${oids.map((oid) => `info ${oid}\n`).join('')}flush\n`;
    const small = [...sizesOf(await answered.promise)].filter(([, size]) => size <= largestObject);
    if (small.length > 0) yield `${small.map(([oid]) => `contents ${oid}\n`).join('')}flush\n`;
  };
  const ran = await git(['cat-file', '--batch-command', '--buffer'], {
    gitdir,
    input: Readable.from(ask()),
    onOutput(chunk) {
      if (lines === oids.length) return;
      infos.push(chunk);
      for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) lines++;
      if (lines === oids.length) answered.resolve(linesOf(Buffer.concat(infos)));
    },
  });
  if (ran.code !== 0) throw new GitError('failed', `git cat-file in ${gitdir}: ${ran.stderr}`);
  if (lines < oids.length)
    throw new GitError('failed', `git cat-file in ${gitdir} returned ${lines} of ${oids.length} objects`);
  const described = linesOf(Buffer.concat(infos));
  const missing = described.find((line) => line.endsWith(' missing'));
  if (missing !== undefined) throw await notRead(missing.split(' ')[0]!, gitdir);
  const { objects, missing: gone } = parseBatch(ran.stdout.subarray(Buffer.concat(infos).length));
  if (gone !== undefined) throw await notRead(gone, gitdir);
  return { sizes: sizesOf(described), objects };
}

const newline = 10;
const linesOf = (text: Buffer): readonly string[] => text.toString('latin1').trimEnd().split('\n');

/** Lines `oid type size`; missing objects have no size. */
const sizesOf = (infos: readonly string[]): Map<string, number> =>
  new Map(
    infos.flatMap((line): [string, number][] => {
      const [oid, , size] = line.split(' ') as [string, string, string | undefined];
      return size === undefined ? [] : [[oid, Number(size)]];
    }),
  );

async function readInTwo(gitdir: string, oids: readonly string[]): Promise<Read> {
  const sizes = await nativeSizes(gitdir)(oids);
  return { sizes, objects: await nativeRead(gitdir)(oids.filter((oid) => sizes.get(oid)! <= largestObject)) };
}
