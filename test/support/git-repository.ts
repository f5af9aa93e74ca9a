import { execFileSync } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Credentials } from '../../src/git/http/credentials.ts';
import { openStatusBranch, type StatusBranch } from '../../src/git/status-branch.ts';
import type { OpenSigning } from '../../src/git/verify/status-signing.ts';
import { folder, put } from './folders.ts';

export const gitThere = (() => {
  try {
    execFileSync('git', ['--version']);
    return true;
  } catch {
    console.warn('SKIPPED: the tests of src/git need the git binary, which is not installed here');
    return false;
  }
})();

export const nobody: Credentials = async () => undefined;
export const author = { name: 'Fleet Bot', email: 'bot@example.com' };
export const now = (): number => Date.parse('2026-11-20T10:00:00Z');

export function sh(dir: string, ...args: string[]): string {
  const who = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', '-c', 'init.defaultBranch=main'];
  return execFileSync('git', ['-C', dir, ...who, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    .toString('utf8')
    .trim();
}

/** Writes files and commits them; returns the commit. */
export function commit(dir: string, files: Readonly<Record<string, string>>, message = 'Change'): string {
  put(dir, files);
  sh(dir, 'add', '-A');
  sh(dir, 'commit', '-qm', message);
  return sh(dir, 'rev-parse', 'HEAD');
}

/** Copies what `make` made once: each step of git takes a process. `removeFolders` may have removed it. */
function copiesOf(make: () => string): (dir: string) => string {
  let first: string | undefined;
  return (dir) => {
    if (first === undefined || !existsSync(first)) first = make();
    cpSync(first, dir, { recursive: true });
    return dir;
  };
}

const copyClone = copiesOf(() => {
  const dir = folder();
  sh(dir, 'init', '-q');
  commit(
    dir,
    { 'clusters/eu-1.yaml': 'kind: MemberCluster\n', 'resources/shop/web.yaml': 'kind: Deployment\n' },
    'First',
  );
  return dir;
});

const copyBare = copiesOf(() => {
  const dir = join(folder(), 'fleet.git');
  sh('.', 'clone', '-q', '--bare', clone(), dir);
  sh(dir, 'config', 'http.receivepack', 'true');
  return dir;
});

export const clone = (): string => copyClone(folder());

/** A commit on a branch made elsewhere: in a clone, pushed to where it came from. */
export function elsewhere(dir: string, files: Readonly<Record<string, string>>, branch = 'main'): string {
  const work = folder();
  sh('.', 'clone', '-q', dir, work);
  if (branch !== 'main') sh(work, 'checkout', '-q', branch);
  const oid = commit(work, files);
  if (dir.endsWith('.git')) sh(work, 'push', '-q', 'origin', `HEAD:${branch}`);
  else sh(dir, 'fetch', '-q', '--update-head-ok', work, `+HEAD:refs/heads/${branch}`);
  return oid;
}

/** A bare repository with the content of `clone()`. */
export const bare = (): string => copyBare(join(folder(), 'fleet.git'));

/** The status branch of a repository, with a cache of its own unless one is named. */
export const openStatus = (of: {
  readonly repo: string;
  readonly native?: boolean | undefined;
  readonly cacheDir?: string;
  readonly credentials?: Credentials;
  readonly signing?: OpenSigning;
}): Promise<StatusBranch> =>
  openStatusBranch({
    repo: of.repo,
    statusBranch: 'fleet-status',
    cacheDir: of.cacheDir ?? folder(),
    credentials: of.credentials ?? nobody,
    native: of.native,
    signing: of.signing,
    author,
    now,
  });
