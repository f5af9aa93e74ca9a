import fs from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { messageOf } from '../../api/message-of.ts';
import { GitError } from '../git-error.ts';
import { loadIsomorphic } from '../load-isomorphic.ts';
import { git } from '../native/run-git.ts';
import { looseObjects } from './loose-objects.ts';
import type { Objects, StoredObject } from './objects.ts';

type Read = Objects['read'];

/** Of more objects than a commit usually brings most are packed, and git reads them quicker. */
const mostLoose = 200;

/** Error `object-missing` when an object is not there. */
export function nativeRead(gitdir: string): Read {
  return async (oids) => {
    const wanted = [...new Set(oids)];
    const found = wanted.length > mostLoose ? new Map<string, StoredObject>() : await looseObjects(gitdir, wanted);
    const others = wanted.filter((oid) => !found.has(oid));
    if (others.length === 0) return found;
    const ran = await git(['cat-file', '--batch', '--buffer'], { gitdir, input: `${others.join('\n')}\n` });
    if (ran.code !== 0) throw new GitError('failed', `git cat-file in ${gitdir}: ${ran.stderr}`);
    return new Map([...found, ...parseBatch(ran.stdout, gitdir)]);
  };
}

function parseBatch(out: Buffer, gitdir: string): Map<string, StoredObject> {
  const found = new Map<string, StoredObject>();
  let at = 0;
  while (at < out.length) {
    const end = out.indexOf(10, at);
    const [oid, type, size] = out.toString('latin1', at, end).split(' ') as [string, string, string | undefined];
    if (size === undefined) throw missing(oid, gitdir);
    const from = end + 1;
    at = from + Number(size) + 1;
    found.set(oid, { type, content: out.subarray(from, at - 1) });
  }
  return found;
}

/** So many reads of isomorphic-git at a time: each holds inflated delta bases in memory. */
const readsAtOnce = 32;
/** A repack may come between the first try and the second, hardly ever between the next ones too. */
const readAttempts = 6;
/**
 * Before the second attempt, milliseconds; doubles. A repack renames a pack and its index one after the other, and may be
 * put to sleep in between.
 */
const firstPauseMs = 5;

/** Without the git binary. Error `object-missing` when an object is not there. */
export function pureRead(gitdir: string): Read {
  let cache = {};
  const one = async (oid: string): Promise<StoredObject> => {
    const isomorphic = await loadIsomorphic();
    const { type, object } = await isomorphic.readObject({ fs, gitdir, oid, format: 'content', cache });
    return { type, content: Buffer.from(object as Uint8Array) };
  };
  return async (oids) => {
    const wanted = [...new Set(oids)];
    const found = new Map<string, StoredObject>();
    for (let from = 0; from < wanted.length; from += readsAtOnce) {
      const some = wanted.slice(from, from + readsAtOnce);
      for (const [oid, object] of await batch(some, 1)) found.set(oid, object);
    }
    return found;
  };

  async function batch(oids: readonly string[], attempt: number): Promise<(readonly [string, StoredObject])[]> {
    const tried = await Promise.allSettled(oids.map(one));
    const failed = tried.findIndex(({ status }) => status === 'rejected');
    if (failed === -1)
      return tried.map((each, at) => [oids[at]!, (each as PromiseFulfilledResult<StoredObject>).value]);
    const error: unknown = (tried[failed] as PromiseRejectedResult).reason;
    if (!isStale(error)) throw error;
    if (attempt === readAttempts) throw missing(oids[failed]!, gitdir, error);
    // A repack by somebody else removes packs that the cache still points at.
    cache = {};
    await setTimeout(firstPauseMs * 2 ** (attempt - 1));
    return batch(oids, attempt + 1);
  }
}

/** isomorphic-git trips over the null that it reads from a pack that is gone: that is a TypeError. */
function isStale(error: unknown): boolean {
  const code = (error as { code?: string }).code;
  return code === 'InternalError' || code === 'NotFoundError' || error instanceof TypeError;
}

const missing = (oid: string, gitdir: string, cause?: unknown): GitError =>
  new GitError(
    'object-missing',
    `${oid} is not in ${gitdir}${cause === undefined ? '' : `: ${messageOf(cause)}`}`,
    cause,
  );
