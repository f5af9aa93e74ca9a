import fs from 'node:fs';
import isomorphic, { type HttpClient } from 'isomorphic-git';
import { messageOf } from '../../api/message-of.ts';
import type { Branches, GitRequest } from '../branches.ts';
import { GitError } from '../git-error.ts';
import { mirrorRef, openMirror } from '../mirror.ts';
import { mirrorFetch } from '../mirror-fetch.ts';
import { indexPack } from '../native/index-pack.ts';
import { openObjects } from '../objects/open-objects.ts';
import { checkedPack } from './checked-pack.ts';
import type { Credentials } from './credentials.ts';
import { bounded, gitHttp } from './http.ts';
import { lsRefs } from './ls-refs.ts';
import { throughSinks } from './pack-sink.ts';
import { smartPush } from './smart-push.ts';

/** A repository behind smart HTTP, with a mirror of what was read from it. */
export async function httpBranches(input: {
  readonly url: string;
  readonly mirrorDir: string;
  readonly credentials: Credentials;
  readonly native: boolean;
  readonly requested: (request: GitRequest) => void;
}): Promise<Branches> {
  const { url, native } = input;
  const mirror = await openMirror(input.mirrorDir, native);
  const { gitdir } = mirror;
  const http = gitHttp(input.credentials);
  const objects = openObjects(gitdir, native);

  const refs = lsRefs(http, url);
  const sizeLimited = (mostBytes: number): HttpClient => ({
    async request(asked) {
      const answer = await http.request(asked);
      return answer.body ? { ...answer, body: bounded(answer.body, asked.url, mostBytes) } : answer;
    },
  });
  const fetching = (mostBytes: number) =>
    throughSinks(sizeLimited(mostBytes), () => (native ? indexPack(gitdir) : checkedPack(url)));

  const fetched = mirrorFetch({
    mirror,
    objects,
    url,
    native,
    requested: input.requested,
    transfer: (ref, { depth, mostBytes }) =>
      tried(`fetch ${ref} of ${url}`, async () => {
        const from = { gitdir, url, remote: 'origin', ref: mirrorRef(ref), remoteRef: ref };
        const client = fetching(mostBytes);
        await isomorphic.fetch({ fs, http: client, ...from, depth, singleBranch: true, tags: false, cache: {} });
      }),
  });

  return {
    ...fetched,
    async list(prefixes) {
      input.requested('list');
      return tried(`list ${prefixes.join(', ')} of ${url}`, () => refs(prefixes));
    },
    async change(change) {
      input.requested('push');
      return tried(`push ${change.ref} to ${url}`, () => smartPush(http, url, change));
    },
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
