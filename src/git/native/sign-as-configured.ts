import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GitError } from '../git-error.ts';
import { type NewObject, newObject } from '../objects/new-objects.ts';
import type { Person } from '../person.ts';
import { git, gitOrThrow, hasGit } from './run-git.ts';

/** A commit to be made; its author is its committer. */
export interface CommitToSign {
  /** The root, and commits that are parents. */
  readonly tree: NewObject;
  readonly parents: readonly NewObject[];
  readonly message: string;
  readonly author: Person;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/**
 * The repository if git accepts its settings, else undefined: they may name programs, and those of another user's repository do not
 * count (`safe.directory`). With `--git-dir` git does not ask. A `.git` directory counts as bare for `safe.bareRepository`, which is about
 * directories that git finds by itself.
 */
export async function withOwnSettings(gitDir: string | undefined): Promise<string | undefined> {
  if (gitDir === undefined || !(await hasGit())) return undefined;
  return (await git(['-c', 'safe.bareRepository=all', '-C', gitDir, 'rev-parse', '--git-dir'])).code === 0
    ? gitDir
    : undefined;
}

/** Whether the user's git signs commits (`commit.gpgSign`), in a repository or for the whole machine. */
export async function signsCommits(gitDir: string | undefined): Promise<boolean> {
  if (!(await hasGit())) return false;
  const options = gitDir === undefined ? {} : { gitdir: gitDir };
  const { code, stdout } = await git(['config', '--type=bool', '--get', 'commit.gpgSign'], options);
  return code === 0 && stdout.toString('utf8').trim() === 'true';
}

/**
 * The commit with the signature that git makes with the user's settings, those of `gitDir` included: the program and the key are the
 * user's, and neither can be pushed. The repository itself is not changed. Error: GitError `failed` with what git says.
 */
export async function signAsConfigured(commit: CommitToSign, gitDir: string | undefined): Promise<NewObject> {
  const dir = await mkdtemp(join(tmpdir(), 'gitfleet-commit-'));
  try {
    await gitOrThrow(['init', '-q', '--bare', dir]);
    const options = { gitdir: gitDir ?? dir, environment: { GIT_OBJECT_DIRECTORY: join(dir, 'objects') } };
    for (const { type, content } of [commit.tree, ...commit.parents])
      await gitOrThrow(['hash-object', '-w', '-t', type, '--stdin'], { ...options, input: content });
    const { name, email } = commit.author;
    const date = `${Math.floor(commit.at / 1_000)} +0000`;
    const who = Object.fromEntries(
      ['AUTHOR', 'COMMITTER'].flatMap((role) => [
        [`GIT_${role}_NAME`, name],
        [`GIT_${role}_EMAIL`, email],
        [`GIT_${role}_DATE`, date],
      ]),
    );
    const parents = commit.parents.flatMap(({ oid }) => ['-p', oid]);
    const made = await gitOrThrow(['commit-tree', '-S', commit.tree.oid, ...parents], {
      ...options,
      environment: { ...options.environment, ...who },
      input: `${commit.message.trimEnd()}\n`,
    });
    const content = await gitOrThrow(['cat-file', 'commit', made.toString('utf8').trim()], options);
    const signed = newObject('commit', content);
    if (!content.includes('\ngpgsig ')) throw new GitError('failed', 'git commit-tree: the commit has no signature');
    return signed;
  } finally {
    await rm(dir, { recursive: true, force: true, maxRetries: 3 });
  }
}
