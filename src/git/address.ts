import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GitError } from './git-error.ts';

/** Where a repository is and how it is reached. */
export type Address =
  | { readonly kind: 'local'; readonly path: string }
  /** Smart HTTP, implemented in this process. */
  | { readonly kind: 'http'; readonly url: string }
  /** Protocols that only the `git` binary supports: ssh and file URLs. */
  | { readonly kind: 'native'; readonly url: string };

const scpForm = /^(?:[\w.-]+@)?([\w.-]+):[^\s]+$/;

/**
 * Parses the repository that a user named. Errors: `bad-address` for remote helpers (`ext::` runs commands), for what git
 * would parse as an option, for credentials inside a URL (they end in logs) and for protocols without integrity (`git://`).
 */
export function parseAddress(repo: string): Address {
  if (repo.trim() === '') throw new GitError('bad-address', 'the repository is empty: name a directory or a URL');
  if (repo.startsWith('-'))
    throw new GitError('bad-address', `the repository ${repo} looks like an option: write ./${repo} for a directory`);
  if (/[\0\r\n]/.test(repo)) throw new GitError('bad-address', 'the repository holds a control character');
  if (/^[a-z0-9+.-]+::/i.test(repo))
    throw new GitError('bad-address', `${repo.split('::')[0]}:: addresses run commands and are not opened`);
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(repo)?.[1]?.toLowerCase();
  if (scheme === undefined) {
    if (looksLikeScp(repo)) return scpAddress(repo);
    return { kind: 'local', path: resolve(repo) };
  }
  const url = parseUrl(repo);
  switch (scheme) {
    case 'http':
    case 'https':
      refuseCredentials(url);
      if (url.search !== '' || url.hash !== '')
        throw new GitError('bad-address', `${withoutSecrets(url)}: a repository URL has neither ? nor #`);
      return { kind: 'http', url: url.href.replace(/\/+$/, '') };
    case 'ssh':
      if (url.password !== '') throw credentialsInside(url);
      if (url.hostname.startsWith('-') || decodeURIComponent(url.username).startsWith('-'))
        throw new GitError('bad-address', `${withoutSecrets(url)}: the host looks like an option`);
      return { kind: 'native', url: repo };
    case 'file':
      return { kind: 'native', url: `file://${fileURLToPath(url)}` };
    default:
      throw new GitError(
        'bad-address',
        `${scheme}:// is not opened: use a directory, https://, ssh:// or file:// (git:// has no integrity)`,
      );
  }
}

/** Git's own rule: a colon before the first slash. Drive letters are paths. */
const looksLikeScp = (repo: string): boolean => /^[^/:\\]{2,}:/.test(repo);

function scpAddress(repo: string): Address {
  const host = scpForm.exec(repo)?.[1];
  if (host === undefined || host.startsWith('-'))
    throw new GitError(
      'bad-address',
      `${repo} looks like an option or a broken user@host:path: write ./${repo} for a directory`,
    );
  return { kind: 'native', url: repo };
}

function parseUrl(repo: string): URL {
  try {
    return new URL(repo);
  } catch (error) {
    throw new GitError('bad-address', `${repo.replace(/\/\/[^@/]*@/, '//…@')} is not a valid URL`, error);
  }
}

function refuseCredentials(url: URL): void {
  if (url.username !== '' || url.password !== '') throw credentialsInside(url);
}

const credentialsInside = (url: URL): GitError =>
  new GitError(
    'bad-address',
    `${withoutSecrets(url)}: credentials in a URL end up in logs: set GITFLEET_GIT_TOKEN or GITFLEET_GIT_TOKEN_FILE instead`,
  );

const withoutSecrets = (url: URL): string => `${url.protocol}//${url.host}${url.pathname}`;
