import fs from 'node:fs';
import isomorphic from 'isomorphic-git';
import type { Branches } from './branches.ts';
import type { Credentials } from './credentials.ts';
import { GitError, messageOf } from './git-error.ts';
import { gitHttp } from './http.ts';
import { readRef } from './local-refs.ts';
import { mirrorRef, openMirror } from './mirror.ts';
import { openObjects } from './objects.ts';
import { smartPush } from './smart-push.ts';

/** A repository behind smart HTTP, with a mirror of what was read from it. */
export async function httpBranches(input: {
  readonly url: string;
  readonly mirrorDir: string;
  readonly credentials: Credentials;
  readonly native: boolean;
}): Promise<Branches> {
  const { url, native } = input;
  const mirror = await openMirror(input.mirrorDir, native);
  const { gitdir } = mirror;
  const http = gitHttp(input.credentials);
  const objects = openObjects(gitdir, native);

  return {
    name: url,
    remote: true,
    objects,
    async list(prefix) {
      const refs = await tried(`list ${prefix} of ${url}`, () =>
        isomorphic.listServerRefs({ http, url, prefix, protocolVersion: 2 }),
      );
      return new Map(
        refs
          .filter(({ ref }) => (prefix.endsWith('/') ? ref.startsWith(prefix) : ref === prefix))
          .map(({ ref, oid }) => [ref, oid]),
      );
    },
    async obtain(ref, oid) {
      const ours = mirrorRef(ref);
      if ((await readRef(gitdir, ours)) === oid) return;
      await mirror.fetching(() =>
        tried(`fetch ${ref} of ${url}`, async () => {
          const from = { gitdir, url, remote: 'origin', ref: ours, remoteRef: ref };
          await isomorphic.fetch({ fs, http, ...from, singleBranch: true, tags: false, cache: {} });
        }),
      );
      if (!(await objects.has(oid)))
        throw new GitError('object-missing', `fetch ${ref} of ${url}: ${oid} did not come, the branch has moved on`);
      await isomorphic.writeRef({ fs, gitdir, ref: ours, value: oid, force: true });
      await mirror.tidy();
    },
    change: (change) => tried(`push ${change.ref} to ${url}`, () => smartPush(http, url, change)),
    checkedOut: async () => false,
    async close() {
      await http.close();
      await mirror.release();
    },
  };
}

async function tried<T>(what: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof GitError) throw error;
    if (/sha256/.test(messageOf(error)))
      throw new GitError('sha256-repo', `${what}: a SHA-256 repository, which gitfleet cannot read`, error);
    throw new GitError('unreachable', `${what}: ${messageOf(error)}`, error);
  }
}
