import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseAddress } from '../address.ts';
import { GitError } from '../git-error.ts';

/** A repository on this machine. */
export interface Located {
  /** Has objects and branches; with linked worktrees, the folder that they share. */
  readonly commonDir: string;
  /** Has HEAD; the same as `commonDir` unless this is a linked worktree. */
  readonly gitDir: string;
  readonly bare: boolean;
}

/** The repository whose working tree or bare folder is exactly `path`; undefined for a plain folder, also inside a repo. */
export async function locate(path: string): Promise<Located | undefined> {
  const dotGit = join(path, '.git');
  const kind = await stat(dotGit).catch(() => undefined);
  if (kind?.isDirectory()) return shared(dotGit, false);
  if (kind?.isFile()) {
    const pointer = /^gitdir:\s*(.+?)\s*$/m.exec(await readFile(dotGit, 'utf8'))?.[1];
    if (pointer === undefined) throw new GitError('failed', `${dotGit} does not name a git directory`);
    return shared(resolve(path, pointer), false);
  }
  const bare =
    (await exists(join(path, 'HEAD'))) && (await exists(join(path, 'objects'))) && (await exists(join(path, 'refs')));
  return bare ? shared(path, true) : undefined;
}

/** Whether branches can be merged in place: false for bare repositories, plain folders, and everything on a server. */
export const isWorkingTree = async (repo: string): Promise<boolean> => {
  const address = parseAddress(repo);
  return address.kind === 'local' && (await locate(address.path))?.bare === false;
};

async function shared(gitDir: string, bare: boolean): Promise<Located> {
  const pointer = await readFile(join(gitDir, 'commondir'), 'utf8').catch(() => undefined);
  const commonDir = pointer === undefined ? gitDir : resolve(gitDir, pointer.trim());
  if (!(await exists(join(commonDir, 'objects')))) throw new GitError('not-found', `${gitDir} is not a git directory`);
  return { commonDir, gitDir, bare };
}

/** Refuses formats that neither our own object writer nor isomorphic-git supports; they would look like an empty repo. */
export async function refuseUnknownFormat(commonDir: string, native: boolean): Promise<void> {
  const config = await readFile(join(commonDir, 'config'), 'utf8').catch(() => '');
  if (/^\s*objectformat\s*=\s*"?sha256/im.test(config))
    throw new GitError(
      'sha256-repo',
      `${commonDir} is a SHA-256 repository, which gitfleet cannot read: use one with SHA-1`,
    );
  if (/^\s*refstorage\s*=\s*"?reftable/im.test(config))
    throw new GitError(
      'reftable-repo',
      `${commonDir} keeps its refs in a reftable, which gitfleet cannot read: run git refs migrate --ref-format=files`,
    );
  if (!native && (await exists(join(commonDir, 'objects/info/alternates'))))
    throw new GitError(
      'alternates',
      `${commonDir} borrows objects from another repository: install git, or run git repack -ad`,
    );
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
