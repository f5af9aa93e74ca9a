import type { Branches, GitRequest } from '../branches.ts';
import { GitError } from '../git-error.ts';
import { covers } from '../list-refs.ts';
import { mirrorRef, openMirror } from '../mirror.ts';
import { mirrorFetch } from '../mirror-fetch.ts';
import { openObjects } from '../objects/open-objects.ts';
import { writeObjects } from '../objects/write-objects.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { type GitRun, git } from './run-git.ts';

/** A repository reached by the `git` binary (ssh and file URLs), with a mirror of what was read from it. */
export async function nativeBranches(input: {
  readonly url: string;
  readonly mirrorDir: string;
  readonly requested: (request: GitRequest) => void;
}): Promise<Branches> {
  const { url } = input;
  const mirror = await openMirror(input.mirrorDir, true);
  const { gitdir } = mirror;
  const objects = openObjects(gitdir, true);

  async function list(prefixes: readonly string[]): Promise<Map<string, string>> {
    input.requested('list');
    const patterns = prefixes.map((prefix) => (prefix.endsWith('/') ? `${prefix}*` : prefix));
    const ran = await git(['ls-remote', '--', url, ...patterns], { gitdir, timeoutMs: 60_000 });
    if (ran.code !== 0) throw refusal(`list ${prefixes.join(', ')} of ${url}`, ran);
    const lines = ran.stdout.toString('utf8').trim().split('\n').filter(Boolean);
    const pairs = lines.map((line): [string, string] => [line.split('\t')[1]!, line.split('\t')[0]!]);
    if (pairs.some(([, oid]) => oid.length !== 40))
      throw new GitError(
        'sha256-repo',
        `${url} is a SHA-256 repository, which gitfleet cannot read: use one with SHA-1`,
      );
    // A pattern of ls-remote also matches names that only end like it.
    return new Map(pairs.filter(([ref]) => prefixes.some((prefix) => covers(prefix, ref))));
  }

  const fetched = mirrorFetch({
    mirror,
    objects,
    url,
    native: true,
    requested: input.requested,
    async transfer(ref, { depth, mostBytes }) {
      const how = depth === undefined ? [] : [`--depth=${depth}`];
      const quiet = ['--quiet', '--no-tags', '--no-write-fetch-head', '--update-shallow'];
      const args = [...quiet, ...how, '--', url, `+${ref}:${mirrorRef(ref)}`];
      const ran = await boundedFetch(args, { gitdir, mostBytes });
      if (ran === 'too-large')
        throw new GitError('too-large', `fetch ${ref} of ${url}: the server sent more than ${mostBytes} bytes`);
      if (ran.code !== 0) throw refusal(`fetch ${ref} of ${url}`, ran);
    },
  });

  /** Moves the ref of the mirror too, so that the pushed objects are not garbage there. */
  async function pushed(ref: string, to: string | undefined): Promise<'done'> {
    const ours = mirrorRef(ref);
    await git(to === undefined ? ['update-ref', '-d', ours] : ['update-ref', ours, to], { gitdir });
    await mirror.tidy();
    return 'done';
  }

  return {
    ...fetched,
    list,
    async change({ ref, from, to, objects: fresh }) {
      input.requested('push');
      await writeObjects(gitdir, fresh, true);
      // The lease names the exact expected value. It cannot overwrite: the pushed commit always descends from that value.
      const ran = await git(
        [
          'push',
          '--porcelain',
          '--no-verify',
          `--force-with-lease=${ref}:${from ?? ''}`,
          '--',
          url,
          `${to ?? ''}:${ref}`,
        ],
        { gitdir },
      );
      if (ran.code === 0) return pushed(ref, to);
      const now = (await list([ref])).get(ref);
      if (now === to) return pushed(ref, to);
      if (now !== from) return 'moved';
      throw new GitError('push-refused', `push ${ref} to ${url}: ${wordsOf(ran)}`);
    },
    close: () => mirror.release(),
  };
}

function refusal(what: string, ran: GitRun): GitError {
  const words = wordsOf(ran);
  if (/permission denied|authentication failed|could not read (username|password)/i.test(words))
    return new GitError('unauthorized', `${what}: ${words}`);
  if (/does not appear to be a git repository|not found|does not exist/i.test(words))
    return new GitError('not-found', `${what}: ${words}`);
  if (/mismatched algorithms|sha256/i.test(words)) return new GitError('sha256-repo', `${what}: ${words}`);
  return new GitError('unreachable', `${what}: ${words}`);
}

const wordsOf = (ran: GitRun): string =>
  `${ran.stdout.toString('utf8').trim()} ${ran.stderr}`.trim() || `exit code ${ran.code}`;
