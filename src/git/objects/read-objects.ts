import fs from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { messageOf } from '../../api/message-of.ts';
import { GitError } from '../git-error.ts';
import { loadIsomorphic } from '../load-isomorphic.ts';
import { git } from '../native/run-git.ts';
import { looseObjects } from './loose-objects.ts';
import type { Objects, StoredObject } from './objects.ts';
import { unreadable } from './unreadable.ts';

type Read = Objects['read'];

/** Of more objects than a usual commit has, most are packed, and git reads them faster. */
export const mostLoose = 200;

/** Error `object-missing`. */
export function nativeRead(gitdir: string): Read {
  return async (oids) => {
    const wanted = [...new Set(oids)];
    const found = wanted.length > mostLoose ? new Map<string, StoredObject>() : await looseObjects(gitdir, wanted);
    const others = wanted.filter((oid) => !found.has(oid));
    if (others.length === 0) return found;
    const ran = await git(['cat-file', '--batch', '--buffer'], { gitdir, input: `${others.join('\n')}\n` });
    if (ran.code !== 0) throw new GitError('failed', `git cat-file in ${gitdir}: ${ran.stderr}`);
    const { objects, missing } = parseBatch(ran.stdout);
    if (missing !== undefined) throw await notRead(missing, gitdir);
    return new Map([...found, ...objects]);
  };
}

/** Stops at the first object that git reports as missing. */
export function parseBatch(out: Buffer): { readonly objects: Map<string, StoredObject>; readonly missing?: string } {
  const found = new Map<string, StoredObject>();
  let at = 0;
  while (at < out.length) {
    const end = out.indexOf(10, at);
    const [oid, type, size] = out.toString('latin1', at, end).split(' ') as [string, string, string | undefined];
    if (size === undefined) return { objects: found, missing: oid };
    const from = end + 1;
    at = from + Number(size) + 1;
    found.set(oid, { type, content: out.subarray(from, at - 1) });
  }
  return { objects: found };
}

/** Concurrent reads of isomorphic-git: each keeps inflated delta bases in memory. */
const readsAtOnce = 32;
/** A repack may happen between the first attempt and the second, hardly ever between the next ones too. */
const readAttempts = 6;
/**
 * Before the second attempt, milliseconds; doubles. A repack renames a pack and its index one after the other, and its process
 * may be suspended in between.
 */
const firstPauseMs = 5;

/** Without the git binary. Error `object-missing`. */
export function pureRead(gitdir: string): Read {
  const unlessRepacked = throughRepacks();
  const one = async (oid: string, cache: object): Promise<StoredObject> => {
    const isomorphic = await loadIsomorphic();
    const { type, object } = await isomorphic.readObject({ fs, gitdir, oid, format: 'content', cache });
    return { type, content: Buffer.from(object as Uint8Array) };
  };
  return async (oids) => {
    const wanted = [...new Set(oids)];
    const found = new Map<string, StoredObject>();
    for (let from = 0; from < wanted.length; from += readsAtOnce) {
      const some = wanted.slice(from, from + readsAtOnce);
      const read = await unlessRepacked((cache) => allOf(some.map((oid) => one(oid, cache)))).catch(async (error) => {
        throw await pureFault(error, gitdir);
      });
      for (const [at, oid] of some.entries()) found.set(oid, read[at]!);
    }
    return found;
  };
}

/** Waits for all of them, even if one fails. */
async function allOf<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

/**
 * Reads with isomorphic-git's cache, and again with an empty one if a repack by another process may have removed packs that the
 * cache refers to.
 */
export function throughRepacks(): <T>(read: (cache: object) => Promise<T>) => Promise<T> {
  let cache = {};
  return async (read) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await read(cache);
      } catch (error) {
        if (attempt === readAttempts || !isStale(error)) throw error;
      }
      cache = {};
      await setTimeout(firstPauseMs * 2 ** (attempt - 1));
    }
  };
}

/** isomorphic-git throws a TypeError on the null that it gets for a removed pack; opening one ends with ENOENT. */
const isStale = (error: unknown): boolean =>
  isNotFound(error) ||
  ['InternalError', 'ENOENT'].includes((error as { code?: string }).code ?? '') ||
  error instanceof TypeError;

const isNotFound = (error: unknown): error is { readonly data: { readonly what: string } } =>
  (error as { code?: string }).code === 'NotFoundError';

/** What isomorphic-git's error means: `object-missing` only if it searched everywhere without finding the object. */
export async function pureFault(error: unknown, gitdir: string): Promise<GitError> {
  if (isNotFound(error)) return notRead(error.data.what, gitdir, error);
  return new GitError('failed', `read objects of ${gitdir}: ${messageOf(error)}`, error);
}

/** `object-missing` only if every place that may have the object could be read. */
export async function notRead(oid: string, gitdir: string, cause?: unknown): Promise<GitError> {
  const fault = await unreadable(gitdir, oid);
  return fault === undefined
    ? new GitError('object-missing', `${oid} is not in ${gitdir}`, cause)
    : new GitError('failed', `read ${oid} in ${gitdir}: ${fault}`, cause);
}
